"""SPL Conqueror's algorithm against a plain loop that refits every candidate with `lstsq`, side by side in one run.

Run by `make bench`. The ratio is printed and the claim (at least 100 times on Dune over 30 rounds) asserted; so are the
limits that were promised, 1 s of CPU for all of x264 and 1 GB for all of exastencils.
"""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import pytest

from benchmarks.yardstick import PEAK
from splc.formats.detect import read_variability_model
from splc.formats.measurements.read import read_measurements
from splc.learning.features import FeatureTable, feature_table
from splc.learning.stepwise.algorithm import ForwardSelection
from splc.learning.stepwise.settings import Settings
from tests.support.learning_oracle import learn_naively
from tests.support.real_data import real

README = {"abortError": 10, "minImprovementPerRound": 0.25, "learn_logFunction": True}
THIRTY = {"abortError": 0, "minImprovementPerRound": 0, "numberOfRounds": 30}
CASES: dict[str, dict[str, Any]] = {"readme": README, "defaults": {}, "thirty rounds": THIRTY}


def problem(system: str) -> FeatureTable:
    """Return the learning problem of all measurements of a real system."""
    folder = real(system)
    ms = read_measurements(folder / "measurements.xml", read_variability_model(folder / "FeatureModel.xml"))
    return feature_table(ms.configurations, ms["Performance"])


@pytest.mark.real_data
@pytest.mark.parametrize("settings", CASES)
@pytest.mark.parametrize("system", ["LLVM", "x264", "Dune"])
def test_learning_against_a_plain_loop(benchmark: Any, system: str, settings: str) -> None:
    """The learner gives the plain loop's terms, and on Dune over 30 rounds it is at least 100 times as fast."""
    data, chosen = problem(system), Settings().changed(CASES[settings])
    fast = benchmark(lambda: ForwardSelection(data, chosen).run())
    started = time.perf_counter()
    terms, _ = learn_naively(data, chosen)
    plain = time.perf_counter() - started
    ratio = plain / benchmark.stats.stats.median
    benchmark.extra_info["times the plain loop"] = round(ratio, 1)
    print(f"\n{system}, {settings}, {len(terms) - 1} rounds: {ratio:.0f} times the plain loop ({plain:.2f} s)")
    assert all(found.same_product(term.learned(0.0)) for found, term in zip(fast.terms, terms, strict=True))
    if (system, settings) == ("Dune", "thirty rounds"):
        assert ratio >= 100


LEARN_ALL = """
import sys, time
from splc.formats.measurements.read import read_measurements
from splc.formats.detect import read_variability_model
from splc.learning import learn
folder, nfp, file = sys.argv[1:]
before = time.process_time()
ms = read_measurements(f"{folder}/{file}", read_variability_model(f"{folder}/FeatureModel.xml"))
result = learn(ms, nfp, preset="splconqueror")
print(time.process_time() - before, PEAK, result.error_all)
""".replace("PEAK", PEAK)


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("system", "nfp", "file"),
    [("x264", "Performance", "measurements.xml"), ("exastencils", "Fixed-compile-cpu-", "SS-X.csv.gz")],
)
def test_cpu_and_memory_of_everything(benchmark: Any, system: str, nfp: str, file: str) -> None:
    """All rows are read and learned in a process of its own: x264 in under 1 s of CPU, exastencils in under 1 GB."""
    folder = real(system)

    def run() -> tuple[float, float]:
        call = [sys.executable, "-c", LEARN_ALL, str(folder), nfp, file]
        done = subprocess.run(call, capture_output=True, text=True, check=True)
        cpu, megabytes, _ = done.stdout.split()
        return float(cpu), float(megabytes)

    cpu, megabytes = benchmark.pedantic(run, rounds=3)
    print(f"\n{system}: {cpu:.2f} s of CPU after imports, {megabytes:.0f} MB at most")
    assert megabytes < 1024
    if system == "x264":
        assert cpu < 1
