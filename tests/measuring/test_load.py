"""Warnings of other programs on the machine that measures."""

from __future__ import annotations

from typing import Any

import pytest

from splc.measuring.machine import BUSY_BEFORE, BUSY_DURING, load_warning

MACHINE = {"kind": "session", "load": 9.0, "machine": {"cores": 4}}


def runs(*loads: float | None) -> list[dict[str, Any]]:
    """Return the records of runs with these load averages."""
    return [MACHINE, *({"kind": "run", "load": load} for load in loads)]


def test_before_the_first_run() -> None:
    """The load before the first run is that of other programs; half of the cores may be busy."""
    before = 4 * BUSY_BEFORE
    assert load_warning(runs(before, before)) is None
    text = load_warning(runs(before + 0.1, 0.0, 0.0))
    assert text is not None
    assert "2.1 on 4 cores" in text


def test_during_the_runs() -> None:
    """Runs may use all cores themselves, so that the median may be a little above their number; few runs may not."""
    during = 4 * BUSY_DURING
    assert load_warning(runs(0.0, during, during, 99.0)) is None
    text = load_warning(runs(0.0, during + 1, during + 1))
    assert text is not None
    assert "6 on 4 cores" in text


@pytest.mark.parametrize(
    "records",
    [[], [MACHINE], runs(None, None), runs(0.0, None), [{"kind": "run", "load": 9.0}], [{**MACHINE, "machine": {}}]],
)
def test_unknown_loads(records: list[dict[str, Any]]) -> None:
    """There is no warning where the system has no load average, or no number of cores, as in some containers."""
    assert load_warning(records) is None


def test_several_machines() -> None:
    """Of a cluster the machine with the fewest cores counts, not only the one that starts the runs."""
    session = {**MACHINE, "workers": {"a": {"cores": 2}, "b": {"cores": 64}}}
    assert load_warning([session, {"kind": "run", "load": 1.5}]) is not None
    assert load_warning([session, {"kind": "run", "load": 1.0}]) is None
