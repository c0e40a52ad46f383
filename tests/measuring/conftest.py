"""Fixtures of the tests of measuring: small systems, programs and measurements, and what is recorded of them."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from splc.data.configurations import Configurations
from splc.measuring.command import bind, parse_template
from splc.measuring.execution import Plan, Run, RunResult
from splc.measuring.properties import parse_properties
from splc.measuring.setup import Setup, require_batchable
from splc.system.options import BinaryOption, NumericOption, Presentation
from splc.system.variability import VariabilityModel

Program = Callable[[str], str]
PLANS = st.builds(
    Plan,
    repeat=st.integers(1, 3),
    warmup=st.integers(0, 2),
    order=st.sampled_from(["repetition", "random"]),
    seed=st.integers(0, 5),
    max_deviation=st.sampled_from([None, 0.02, 0.1, 0.3, 10.0]),
    max_repeat=st.integers(3, 5),
)

BLOCKS = st.builds(
    Plan,
    repeat=st.integers(1, 3),
    warmup=st.integers(0, 1),
    order=st.just("random"),
    seed=st.integers(0, 5),
    block=st.integers(1, 6),
)


@pytest.fixture
def configurations() -> Configurations:
    """Return four configurations: (cache, x, level) = (0, 1, 3), (1, 2.5, 4), (0, 1e6, -), (1, 1, -)."""
    options = (
        BinaryOption("cache", presentation=Presentation("--cache on")),
        NumericOption("x", (1.0, 2.5, 1e6), presentation=Presentation(prefix="-x")),
        NumericOption("level", (3.0, 4.0), deselected_flag=-1.0, presentation=Presentation(prefix="--level=")),
    )
    return Configurations(VariabilityModel("small", options), np.array([[0, 0, 0], [1, 1, 1], [0, 2, 2], [1, 0, 2]]))


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Return a function that makes an executable Python script, without site-packages so that it starts fast."""

    def make(code: str, name: str = "program") -> str:
        path = tmp_path / name
        path.write_text(f"#!{sys.executable} -IS\n{code}\n", encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    return make


def grid(count: int, *names: str) -> Configurations:
    """Return all configurations of numeric options with the values 1, 2, …."""
    values = tuple(map(float, range(1, count + 1)))
    system = VariabilityModel("s", tuple(NumericOption(name, values) for name in names))
    return Configurations(system, np.indices((count,) * len(names)).reshape(len(names), -1).T)


def measurement(
    configurations: Configurations, command: str, text: str, plan: Plan | None = None, **settings: Any
) -> Setup:
    """Return a measurement of a property."""
    system, batch = configurations.system, settings.get("batch")
    template = parse_template(command, system, ("repetition",) if batch is None else ("configurations",))
    require_batchable(system.names if batch is None else batch, template, system)
    properties = parse_properties([text], system.names, batch=batch is not None)
    return Setup(bind(template, configurations), configurations, properties, plan or Plan(), **settings)


class Recorder:
    """Keeps what is recorded, in order, each run once."""

    def __init__(self) -> None:
        self.results: dict[Run, RunResult] = {}
        self.ends: list[Mapping[str, Any]] = []

    def __call__(self, run: Run, result: RunResult, more: Mapping[str, Any]) -> None:
        """Keep a result."""
        assert run not in self.results
        self.results[run] = result

    @property
    def values(self) -> dict[Run, float | str]:
        """The values of the runs, or the reason why there is none."""
        return {run: one.values["t"] if one.reason is None else one.reason for run, one in self.results.items()}


def first_runs(setup: Setup) -> list[Run]:
    """Return the first run of each configuration."""
    return [(row, 0) for row in range(len(setup.configurations))]


def gone(process: int) -> bool:
    """Return whether a process has ended (an orphan may be a zombie until it is reaped)."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_until_gone(processes: Sequence[int]) -> bool:
    """Wait for the end of processes that were killed; return whether there are some, and all have ended."""
    for _ in range(1000):
        if all(map(gone, processes)):
            return len(processes) > 0
        threading.Event().wait(0.01)
    return False
