"""Changes of inputs, and what a reader may take: time, memory, and no exception but an error of splc."""

from __future__ import annotations

import random
import re
import resource
import signal
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import FrameType

from tests.fuzz.readers import Reader
from tests.support.refusal import check_read_or_refused

_TOKEN = re.compile(rb"\s+|\w+|[^\w\s]")
# Numbers, names and signs that have a meaning somewhere.
SPECIAL: tuple[bytes, ...] = (
    b"",
    b"9" * 5000,
    *b"0 -0 1e308 -1e308 1e-308 1e400 -1 0.1 .5 5. 1e nan inf -inf NaN Infinity 0x1 1_000".split(b" "),
    *"٣ ² ½ ß ﬁ é \ufeff \u2028 \x85 \x1c \x0b \x1b[31m \x9b \x07 \u0131 \u0130 \u202e".encode().split(b" "),
    *b"( ) [ ] { } < > \" ' ` , ; : = == != <= | & ! ^ ** // + - * / % @ # \\ ~ ? $ . ..".split(b" "),
    *b"null true false root x y cache log10( sqrt( ln( log( xs:y \xff \x00 \xc3\x28 \xed\xa0\x80".split(b" "),
    *b"<!-- --> <![CDATA[ ]]> &amp; &#0; &#1; &x; <!DOCTYPE <?x?> /> \n \r \r\n \t \n\n ''' ```".split(b" "),
    b" ",
)
# Text that is repeated to find code whose time is not linear.
UNITS: tuple[bytes, ...] = (
    *b"0 9 a _ - , ; . ( ) [ ] { } < ` \" ' + * / ^ # = | ! & \\ : ~ 1, 1; a, a; a= 0. -1 -- +- (( a( [a".split(b" "),
    *b"[[ {a a* a+ 1* 1+ a. .a log( sqrt( <a> <a/> &amp; 1@ a: a:1, %;% `` 1e 1e1 .. !a| a& {a? a->".split(b" "),
    *b'a- =[a \t \n \r \x0b a\n 1\n a,b\n 1;2\n [a]\n {"a": "a":1, cache, x;1, \\" \r\n \xc3\xa9'.split(b" "),
    *(b" ", b"a ", b" a", b"1 ", b" +", b"+ ", b"x * ", b"x + ", b"(x + y) * ", b"# ", b"a = 1\n", b" \n"),
)


def mutated(data: bytes, seeds: Sequence[bytes], rng: random.Random) -> bytes:
    """Return an input with one to four tokens replaced, deleted, inserted, repeated, or taken from another seed."""
    tokens = _TOKEN.findall(data) or [b""]
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(tokens))
        length = rng.choice((1, 1, 2, 5, 20))
        match rng.randrange(6):
            case 0:
                tokens[at] = rng.choice(SPECIAL)
            case 1:
                del tokens[at : at + length]
            case 2:
                tokens.insert(at, rng.choice(SPECIAL))
            case 3:
                tokens[at:at] = tokens[at : at + length] * rng.choice((1, 2, 30))
            case 4:
                other = _TOKEN.findall(rng.choice(seeds)) or [b""]
                start = rng.randrange(len(other))
                tokens[at : at + length] = other[start : start + length]
            case _:
                other_at = rng.randrange(len(tokens))
                tokens[at], tokens[other_at] = tokens[other_at], tokens[at]
        tokens = tokens or [b""]
    return b"".join(tokens)


def repeated(data: bytes, unit: bytes, place: int, size: int) -> bytes:
    """Return an input with a text that is repeated at the beginning of one of its tokens until it has this size."""
    tokens = _TOKEN.findall(data)
    return b"".join([*tokens[:place], unit * (size // len(unit)), *tokens[place:]])


def places(data: bytes) -> int:
    """Return the number of places for `repeated`."""
    return len(_TOKEN.findall(data)) + 1


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
