"""The machine that measures, and errors that are due to it."""

from __future__ import annotations

import errno
import os
import platform
import re
from pathlib import Path

import pytest

from splc import __version__
from splc.errors import MachineError
from splc.measuring.machine import machine, machine_errors

CPUINFO = "processor\t: 0\nvendor_id\t: X\nmodel name\t:  Fast CPU: 3 GHz \nmodel name\t: other\n"


def test_machine() -> None:
    """The description has what Python and the system state."""
    found = machine()
    expected = {
        "node": platform.node(),
        "cores": os.cpu_count(),
        "usable_cores": len(os.sched_getaffinity(0)),
        "architecture": os.uname().machine,
        "system": os.uname().sysname,
        "kernel": os.uname().release,
        "python": platform.python_version(),
        "splc": __version__,
    }
    assert {key: found[key] for key in expected} == expected
    assert set(found) == {*expected, "cpu", "memory_bytes", "governor"}
    total = re.search(r"^MemTotal:\s*(\d+) kB$", Path("/proc/meminfo").read_text(encoding="ascii"), re.MULTILINE)
    assert total is not None
    assert found["memory_bytes"] == pytest.approx(1024 * int(total[1]), rel=0.1)


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
