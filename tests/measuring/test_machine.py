"""The machine that measures, errors that are due to it, and warnings of other programs on it."""

from __future__ import annotations

import errno
import os
import platform
import re
from pathlib import Path
from typing import Any

import pytest

from splc import __version__
from splc.errors import MachineError
from splc.measuring.machine import BUSY_BEFORE, BUSY_DURING, load_warning, machine, machine_errors

CPUINFO = "processor\t: 0\nvendor_id\t: X\nmodel name\t:  Fast CPU: 3 GHz \nmodel name\t: other\n"


def test_machine() -> None:
    """The description has what Python and the system state."""
    found, system = machine(), os.uname()
    total = re.search(r"^MemTotal:\s*(\d+) kB$", Path("/proc/meminfo").read_text(encoding="ascii"), re.MULTILINE)
    assert total is not None
    assert found.pop("memory_bytes") == pytest.approx(1024 * int(total[1]), rel=0.1)
    assert found == {
        **{key: found[key] for key in ("cpu", "governor")},
        **{"node": platform.node(), "architecture": system.machine, "system": system.sysname, "kernel": system.release},
        **{"cores": os.cpu_count(), "usable_cores": len(os.sched_getaffinity(0))},
        **{"python": platform.python_version(), "splc": __version__},
    }


@pytest.mark.parametrize(
    ("text", "processor", "cpu"),
    [
        (CPUINFO, "x86", "Fast CPU: 3 GHz"),
        ("model name\n", "x86", "x86"),
        ("", "", None),
        (OSError(), "x86", "x86"),
        (UnicodeError(), "", None),
    ],
)
def test_what_a_system_does_not_provide(
    text: str | Exception, processor: str, cpu: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The processor is the first one that the system names, else that of Python; what is not known is None."""

    def read(path: Path, encoding: str) -> str:
        if isinstance(text, Exception):
            raise text
        return text

    monkeypatch.setattr(Path, "read_text", read)
    monkeypatch.setattr(platform, "processor", lambda: processor)
    for name in ("sched_getaffinity", "sysconf"):
        monkeypatch.delattr(os, name)
    found = machine()
    assert (found["cpu"], found["usable_cores"], found["memory_bytes"]) == (cpu, os.cpu_count(), None)


def test_errors_of_a_machine() -> None:
    """Errors of the system are those of the machine, with the file and what to do."""
    again = ", and run the same command again (splc measure: with --resume); what is done is kept"
    space = "free disk space or memory there"
    for error, reason, remedy in (
        (OSError(errno.ENOSPC, "No space left", "a.csv"), "No space left: a.csv", space),
        (OSError(errno.ENOMEM, "No memory"), "No memory", space),
        (OSError(errno.EMFILE, "Too many open files"), "Too many open files", "allow more open files (ulimit -n)"),
        (OSError("broken"), "broken", space),
    ):
        with pytest.raises(MachineError) as caught, machine_errors():
            raise error
        expected = [f"the machine {platform.node()} cannot do any run: {reason}", remedy + again]
        assert str(caught.value).split("\n    ") == expected
    with pytest.raises(ValueError, match="other"), machine_errors():
        raise ValueError("other")


MACHINE = {"kind": "session", "load": 9.0, "machine": {"cores": 4}}


def runs(*loads: float | None) -> list[dict[str, Any]]:
    """Return the records of runs with these load averages."""
    return [MACHINE, *({"kind": "run", "load": load} for load in loads)]


SEVERAL = {**MACHINE, "workers": {"a": {"cores": 2}, "b": {"cores": 64}}}
BEFORE, DURING = 4 * BUSY_BEFORE, 4 * BUSY_DURING


@pytest.mark.parametrize(
    ("records", "text"),
    [
        # The load before the first run is that of other programs; half of the cores may be busy.
        (runs(BEFORE, BEFORE), ""),
        (runs(BEFORE + 0.1, 0.0, 0.0), "2.1 on 4 cores"),
        # Runs may use all cores themselves, so that the median may be a little above their number; few runs may not.
        (runs(0.0, DURING, DURING, 99.0), ""),
        (runs(0.0, DURING + 1, DURING + 1), "6 on 4 cores"),
        # Of a cluster the machine with the fewest cores counts, not only the one that starts the runs.
        ([SEVERAL, {"kind": "run", "load": 1.5}], "1.5 on 2 cores"),
        ([SEVERAL, {"kind": "run", "load": 1.0}], ""),
        # Some systems have no load average, or no number of cores, as in some containers.
        *((records, "") for records in ([], [MACHINE], runs(None, None), runs(0.0, None))),
        *((records, "") for records in ([{"kind": "run", "load": 9.0}], [{**MACHINE, "machine": {}}])),
    ],
)
def test_loads(records: list[dict[str, Any]], text: str) -> None:
    """A load that is too high for the number of cores is a warning with both."""
    found = load_warning(records)
    assert (found is None) == (not text)
    assert text in (found or "")
