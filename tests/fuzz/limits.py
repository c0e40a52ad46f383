"""The law of every reader: it reads, or raises an error of splc that can be shown; at most 2 s of CPU per 100 kB."""

from __future__ import annotations

import resource
import signal
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import FrameType

from tests.fuzz.readers import Reader
from tests.support.refusal import check_read_or_refused

# Seconds of CPU for `BYTES` and fewer; more in proportion.
SECONDS, BYTES = 2.0, 100_000
# What an input of the fuzzer (a few kilobytes) may add to the memory of the process.
MEGABYTES = 64


class TooSlowError(Exception):
    """The reader took more CPU than the law allows."""


class TooLargeError(Exception):
    """The reader took more memory than the law allows."""


def check(reader: Reader, data: bytes, slower: float = 1.0) -> None:
    """Read an input; raise what violates the law.

    `slower`: how many times slower the code is than the one that users run (it is instrumented, or not alone).
    """
    path = _folder() / f"input{reader.suffix}"
    path.write_bytes(data)
    allowed = slower * SECONDS * max(1.0, len(data) / BYTES)
    with warnings.catch_warnings(), _time_limit(allowed):
        warnings.simplefilter("error")
        check_read_or_refused(lambda: (reader.read(path),))


def seconds(reader: Reader, data: bytes) -> float:
    """Return the seconds of CPU that an input takes, whatever its outcome."""
    begin = time.process_time()
    with suppress(Exception):
        check(reader, data, slower=0.25)
    return time.process_time() - begin


def restart_peak() -> None:
    """Measure the peak of the memory from now on, where the system can do so (Linux)."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_megabytes() -> int:
    """Return the peak of the memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


@contextmanager
def _time_limit(allowed: float) -> Iterator[None]:
    """Raise an error in the block when it has used this much CPU; also in regular expressions, which check signals."""

    def exceeded(number: int, frame: FrameType | None) -> None:
        raise TooSlowError(f"more than {allowed:.2g} s of CPU")

    before = signal.signal(signal.SIGPROF, exceeded)
    signal.setitimer(signal.ITIMER_PROF, allowed)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@cache
def _folder() -> Path:
    """Return a folder for inputs, in memory where there is one."""
    memory = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="splc-fuzz-", dir=memory if memory.is_dir() else None))
