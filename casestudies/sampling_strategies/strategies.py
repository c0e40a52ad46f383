"""The systems, and the strategies that are compared on each, in groups of about the same size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from casestudies.accuracy import systems
from casestudies.accuracy.systems import System
from casestudies.real_data import DATA
from sampling import Space
from splc.formats.detect import read_variability_model
from splc.formats.measurements.read import read_measurements
from splc.workflows.learn.request import learning_rows

RANDOM = "random"
EXASTENCILS = "exastencils"
# Name here → name in `casestudies.accuracy.systems`.
CASES: Mapping[str, str] = {
    "x264": "x264",
    "LLVM": "LLVM",
    "Dune": "Dune",
    "SMG2000 2-D": "SMG2000 2-D, solve_compute_seconds",
    "SMG2000 3-D": "SMG2000 3-D, solve_compute_seconds",
    "BoomerAMG": "BoomerAMG, solve_compute_seconds",
}
BINARY, NUMERIC = ("x264", "LLVM", "Dune"), ("SMG2000 2-D", "SMG2000 3-D", "BoomerAMG")
SYSTEMS = (*CASES, EXASTENCILS)

# Strategies that take any number of configurations: strategy → spec. All are given the same sizes.
WHOLE = {
    RANDOM: "random:{}",
    "distaware": "distaware:{}",
    "distpreserving": "distpreserving:{}",
    "distance": "distance:{}",
}
OF_BINARY = {**WHOLE, "divdistance": "divdistance:{}", "solver": "solver:{}", "henard": "henard:{}"}
OF_NUMERIC = {**WHOLE, "lhs": "lhs:{}", "sobol": "sobol:{}", "dopt": "dopt:{}"}
# Strategies whose sizes the others are given: size → strategy, spec.
SIZES_OF_BINARY = {"asOW": ("t-wise", "optionwise"), "asTW2": ("t-wise", "twise:2")}
SIZES_OF_NUMERIC = {"9": ("pb", "pb:9,3"), "25": ("pb", "pb:25,5"), "49": ("pb", "pb:49,7")}
SIZES_OF_MIXED = ("20", "60")
# Designs with sizes of their own, each compared with random configurations of the same number.
OWN_OF_BINARY = ("negoptionwise", "covering:2", "covering:3")
OWN_OF_NUMERIC = ("cci", "bbd", "ofat:5", "factorial:2", "factorial:3", "hyper:50")
OWN_OF_MIXED = (
    "optionwise+pb:9,3",
    "optionwise+pb:25,5",
    "optionwise+lhs:20",
    "twise:2+pb:9,3",
    "negoptionwise+pb:9,3",
    "random:10+lhs:10",
)
# Larger designs are not learned from.
MOST = 200


@dataclass(frozen=True)
class Choice:
    """A strategy at a size."""

    system: str  # the name of the system
    size: str  # the name of the size; for designs with a size of their own, the design
    strategy: str  # the name of the strategy
    spec: str  # the sampling spec


def present() -> tuple[str, ...]:
    """Return the systems whose measurements are on this machine."""
    return tuple(
        name
        for name in SYSTEMS
        if (not systems.absent(CASES[name]) if name in CASES else (DATA / EXASTENCILS).is_dir())
    )


@cache
def load(name: str) -> System:
    """Read a system."""
    if name in CASES:
        return systems.load(CASES[name])
    folder = DATA / EXASTENCILS
    system = read_variability_model(folder / "FeatureModel.xml")
    measured = read_measurements(folder / "SS-X.csv.gz", system)
    return System(measured, next(iter(measured.properties)))


@cache
def space_of(name: str) -> Space:
    """Return the valid configurations of a system."""
    return Space(load(name).measurements.system)


@cache
def learning_set(name: str, spec: str, seed: int) -> tuple[int, ...]:
    """Return the positions of the configurations that a spec selects."""
    system = load(name)
    return tuple(learning_rows(system.measurements, system.nfp, spec, seed, space_of(name), "error").rows.tolist())


def compared(name: str) -> list[Choice]:
    """Return the strategies of a system that are given the same sizes."""
    free, sizes = (OF_BINARY, SIZES_OF_BINARY) if name in BINARY else (OF_NUMERIC, SIZES_OF_NUMERIC)
    if name not in CASES:
        return [Choice(name, size, each, spec.format(size)) for size in SIZES_OF_MIXED for each, spec in WHOLE.items()]
    found = []
    for size, (strategy, own) in sizes.items():
        found += [Choice(name, size, each, spec.format(size)) for each, spec in free.items()]
        found.append(Choice(name, size, strategy, own))
    return found


def own_sizes(name: str) -> list[Choice]:
    """Return the designs of a system with sizes of their own, each followed by random configurations."""
    designs = OWN_OF_MIXED if name not in CASES else OWN_OF_BINARY if name in BINARY else OWN_OF_NUMERIC
    found = []
    for design in designs:
        rows = len(learning_set(name, design, 0))
        if rows <= MOST:
            choice = Choice(name, design, design, design)
            found += [choice, replace(choice, strategy=RANDOM, spec=f"random:{rows}")]
    return found
