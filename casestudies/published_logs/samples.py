"""The samples of SPL Conqueror's logs, drawn again from the commands that the logs echo."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from casestudies.published_logs.log_learnings import Learning
from casestudies.published_logs.strategies import OURS
from sampling import Space, draw_sample, parse_spec
from sampling.designs.binary import TWise
from sampling.draws import compat_positions
from sampling.space.parts import Demand, Parts, minimal, unrelated_subsets
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import RequestError, SplcError, plural
from splc.formats.scripts import Sampling, parse_lines
from splc.io.files import Source
from splc.learning.learner import match
from splc.splconqueror.learning import sampled
from splc.splconqueror.state import located
from splc.types import Array

# The most choices of a solver that are tried, and the most sets of options that are completed with all of them.
MAX_CHOICES, MAX_SETS = 2_000, 500_000
# Design that cannot be drawn again → the reason.
_UNKNOWN = {
    "solver": "the program's solver chooses the configurations of satoutput",
    "henard": "the program's solver chooses the configurations of satoutput",
    "distaware": "the program's solver or its list of configurations decides about the sample",
    "distpreserving": "the program's list of configurations decides about the sample",
    "distance": "the program's solver decides between configurations of equal distance",
    "negoptionwise": "the program's solver decides which largest configurations are changed",
    "random": "random draws from the list of the program's solver, whose order is not known",
    "dopt": "kexchange is another design here",
}


@dataclass(frozen=True, eq=False)
class Redrawn:
    """A sample that a program may have drawn."""

    rows: Array  # the positions of its configurations among the measured ones
    how: str  # how it is drawn
    doubt: str = ""  # what is not known if the log's rounds do not follow from this sample; empty: nothing


def redrawn(learning: Learning, measured: Measurements, space: Space, log: str, folder: Path) -> Iterator[Redrawn]:
    """Yield the samples that the commands of a log may have drawn, of the size that the log states.

    Differences between versions of the program, and choices of its solver, are tried in turn. Files of the commands are
    relative to the folder of the log, or in that of the system. It is an error if the sample cannot be drawn again.
    """
    size = learning.stated.configurations
    for sample in _candidates(learning, measured, space, log, folder):
        if size is None or len(sample.rows) == size:
            yield sample


def _candidates(learning: Learning, measured: Measurements, space: Space, log: str, folder: Path) -> Iterator[Redrawn]:
    own_specs = [line[len(OURS) :].strip() for line in learning.stated.sampling if line.casefold().startswith(OURS)]
    if not learning.stated.sampling:
        if learning.stated.configurations not in (None, len(measured)):
            raise RequestError("the log does not state how its learning set was drawn")
        yield Redrawn(np.arange(len(measured)), "all measurements")
        return
    if own_specs:
        sample = draw_sample(space.system, own_specs[0], learning.stated.seed, measured.configurations, space)
        yield Redrawn(_rows(measured, sample.configurations), sample.spec)
        return
    samplings = _samplings(learning.stated.sampling)
    [first, *other_samplings] = samplings
    if not other_samplings and first.file is not None:
        yield from _drawn_from_a_list(first, measured, space, log, folder)
        return
    if not other_samplings and not space.system.numeric_options and (size := _subset_size(first, space)):
        yield from _chosen_by_a_solver(size, measured, space)
        return
    for sampling in samplings:
        name = sampling.spec.partition(":")[0]
        if name in _UNKNOWN or sampling.file is not None:
            raise RequestError(_UNKNOWN.get(name, "several samplings draw from a file"))
    configurations, _ = sampled(samplings, space, log)
    if configurations is not None:
        yield Redrawn(_rows(measured, configurations), "; ".join(learning.stated.sampling))


def _samplings(lines: Sequence[str]) -> list[Sampling]:
    """Return the samplings of commands.

    Raises:
        RequestError: if one cannot be read, or is of a validation set.
    """
    script, problems = parse_lines(Source("log", "\n".join(lines).encode()))
    if problems:
        raise RequestError(problems[0].message)
    samplings = [command.sampling for command in script.commands if command.sampling is not None]
    if any(sampling.validation for sampling in samplings) or not samplings:
        raise RequestError("candidates were judged by a validation set")
    return samplings


def _rows(measured: Measurements, sample: Configurations) -> Array:
    return match(measured, sample, "nearest")[0]


def _drawn_from_a_list(
    sampling: Sampling, measured: Measurements, space: Space, log: str, folder: Path
) -> Iterator[Redrawn]:
    """Yield the draws from the list of a file, by either rule; without the file, from the list of measurements."""
    assert sampling.file is not None
    name = Path(sampling.file.replace("\\", "/")).name
    paths = (Path(located(log, sampling.file)), Path(log).parent / name, folder / name)
    file = next((path for path in paths if path.is_file()), None)
    if file is not None:
        for redraws, version in ((True, "before June 2023"), (False, "since June 2023")):
            configurations, _ = sampled([replace(_with_file(sampling, file), redraws=redraws)], space, str(file))
            if configurations is not None:
                yield Redrawn(_rows(measured, configurations), f"{name}, as drawn {version}")
        return
    arguments = dict(part.split("=", 1) for part in sampling.spec.split(",") if "=" in part)
    amount = sampling.resolved(len(space.system.binary_options)).partition(":")[2].split(",")[0]
    if not amount.isdigit() or int(amount) > len(measured) or space.system.numeric_options:
        raise RequestError(f"there is no file {name}")
    doubt = f"there is no file {name}, whose order of configurations is not that of the measurements"
    for redraws, version in ((True, "before June 2023"), (False, "since June 2023")):
        rows = compat_positions(len(measured), int(amount), int(arguments.get("seed", "0")), redraws)
        yield Redrawn(np.array(rows), f"the order of the measurements, as drawn {version}", doubt)


def _with_file(sampling: Sampling, file: Path) -> Sampling:
    return Sampling(sampling.kind, sampling.spec, options=sampling.options, file=file.name, line=sampling.line)


def _subset_size(sampling: Sampling, space: Space) -> int | None:
    """Return T of a t-wise sampling of all options, or None."""
    if sampling.kind != "binary" or sampling.options:
        return None
    design = parse_spec(f"{sampling.resolved(len(space.system.binary_options))}+ff").binary
    return design.size if isinstance(design, TWise) else None


def _chosen_by_a_solver(t: int, measured: Measurements, space: Space) -> Iterator[Redrawn]:
    """Yield the smallest configurations of all sets of T options, for each way to decide between equally small ones.

    Of an alternative group from which a set selects nothing, any member may be in the smallest configuration. Solvers
    choose it by rules of their own; published samples show one member, or two that depend on whether the set selects
    from another group.
    """
    parts, system = Parts(space), space.system
    groups = [[system.positions[name] for name in group] for group in system.alternative_groups]
    always = frozenset(system.positions[name] for name in system.mandatory)
    doubt = "the program's solver decides between equally small configurations"
    wanted_sets = unrelated_subsets(parts, t).tolist()
    if len(wanted_sets) > MAX_SETS:
        raise RequestError(f"{doubt} ({len(wanted_sets):,} sets of options)")
    subsets = [frozenset(row) | (always if t == 1 else frozenset()) for row in wanted_sets]
    subsets += [always] if t == 1 else []
    smallest, possible = minimal(parts, [selected(*subset) for subset in subsets])
    subsets = [subset for subset, can in zip(subsets, possible, strict=True) if can]
    smallest = smallest[possible]
    if t == 1:
        # The configuration of the mandatory options alone counts only if it is one.
        subsets, smallest = _without_incomplete(subsets, smallest, always)
    # Per set: the groups that are filled, and whether another group is selected from.
    filled = [
        [
            (at, any(other_group is not group and subset & set(other_group) for other_group in groups))
            for at, group in enumerate(groups)
            if not subset & set(group) and row[group].any()
        ]
        for subset, row in zip(subsets, smallest, strict=True)
    ]
    contexts = sorted({case for cases in filled for case in cases})
    choices = math.prod(len(groups[at]) for at, _ in contexts)
    if choices > MAX_CHOICES or choices * len(subsets) > MAX_SETS:
        raise RequestError(f"{doubt} ({plural(len(groups), 'alternative group', 'alternative groups')})")
    for members in itertools.product(*(groups[at] for at, _ in contexts)):
        choice: Mapping[tuple[int, bool], int] = dict(zip(contexts, members, strict=True))
        targets = [
            selected(*subset, *(choice[case] for case in cases)) for subset, cases in zip(subsets, filled, strict=True)
        ]
        rows, met = minimal(parts, targets)
        as_small = met & (rows.sum(axis=1) == smallest.sum(axis=1))
        rows = np.where(as_small[:, None], rows, smallest)
        configurations = Configurations(system, np.unique(rows, axis=0).astype(np.int64))
        names = sorted({system.options[member].name for member in members})
        try:
            origin = f"the solver prefers {', '.join(names)}" if names else f"subsets of {t}"
            yield Redrawn(_rows(measured, configurations), origin, doubt)
        except SplcError:
            continue


def _without_incomplete(
    subsets: list[frozenset[int]], smallest: Array, always: frozenset[int]
) -> tuple[list[frozenset[int]], Array]:
    """Drop the set of mandatory options where its smallest configuration has more."""
    if smallest[-1].sum() == len(always) or subsets[-1] != always:
        return subsets, smallest
    return subsets[:-1], smallest[:-1]


def selected(*variables: int) -> Demand:
    """Return the demand that these variables are selected."""
    return frozenset((variable, 1) for variable in variables)
