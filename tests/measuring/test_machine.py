"""The machine that measures, errors that are due to it, and warnings of other programs on it."""

from __future__ import annotations

import errno
import os
import platform
import re
from pathlib import Path
from typing import Any
from unittest.mock import Mock

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
    raised = text if isinstance(text, Exception) else None
    monkeypatch.setattr(Path, "read_text", Mock(return_value=text, side_effect=raised))
    monkeypatch.setattr(platform, "processor", lambda: processor)
    for name in ("sched_getaffinity", "sysconf"):
        monkeypatch.delattr(os, name)
    found = machine()
    assert (found["cpu"], found["usable_cores"], found["memory_bytes"]) == (cpu, os.cpu_count(), None)


@pytest.mark.parametrize(
    ("error", "reason", "remedy"),
    [
        (OSError(errno.ENOSPC, "No space left", "a.csv"), "No space left: a.csv", "free disk space or memory there"),
        (OSError(errno.EMFILE, "Too many open files"), "Too many open files", "allow more open files (ulimit -n)"),
        (OSError("broken"), "broken", "free disk space or memory there"),
    ],
)
def test_errors_of_a_machine(error: OSError, reason: str, remedy: str) -> None:
    """Errors of the system are those of the machine, with the file and what to do."""
    with pytest.raises(MachineError) as caught, machine_errors():
        raise error
    again = "and run the same command again (splc measure: with --resume); what is done is kept"
    expected = [f"the machine {platform.node()} cannot do any run: {reason}", f"{remedy}, {again}"]
    assert str(caught.value).split("\n    ") == expected


MACHINE = {"kind": "session", "load": 9.0, "machine": {"cores": 4}}
SEVERAL = {**MACHINE, "workers": {"a": {"cores": 2}, "b": {"cores": 64}}}
BEFORE, DURING = 4 * BUSY_BEFORE, 4 * BUSY_DURING


@pytest.mark.parametrize(
    ("session", "loads", "text"),
    [
        # The load before the first run is that of other programs; half of the cores may be busy.
        (MACHINE, [BEFORE, BEFORE], ""),
        (MACHINE, [BEFORE + 0.1, 0.0, 0.0], "2.1 on 4 cores"),
        # Runs may use all cores themselves, so that the median may be a little above their number; few runs may not.
        (MACHINE, [0.0, DURING, DURING, 99.0], ""),
        (MACHINE, [0.0, DURING + 1, DURING + 1], "6 on 4 cores"),
        # Of a cluster the machine with the fewest cores counts, not only the one that starts the runs.
        (SEVERAL, [1.5], "1.5 on 2 cores"),
        (SEVERAL, [1.0], ""),
        # Some systems have no load average, or no number of cores, as in some containers.
        *((MACHINE, loads, "") for loads in ([], [None, None], [0.0, None])),
        ({**MACHINE, "kind": "other"}, [9.0], ""),
        ({**MACHINE, "machine": {}}, [9.0], ""),
    ],
)
def test_loads(session: dict[str, Any], loads: list[float | None], text: str) -> None:
    """A load that is too high for the number of cores is a warning with both."""
    found = load_warning([session, *({"kind": "run", "load": load} for load in loads)])
    assert (found is None) == (not text)
    assert text in (found or "")
