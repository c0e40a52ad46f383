"""The law of every reader on its seeds and on what fuzzing found: see `limits`."""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest

from splc.errors import InputError
from splc.formats.detect import FORMATS
from tests.fuzz.limits import BYTES, MEGABYTES, TooSlowError, check, mutated, peak_megabytes, restart_peak
from tests.fuzz.readers import READERS, Reader

# The number of changed seeds of each reader.
CHANGED = 100
# Reader → inputs that broke the law once: a text before, a text that is repeated, a text after.
SLOW: dict[str, list[tuple[str, str, str]]] = {
    "constraint-arithmetic": [("", "1+", "")],
    "kind": [("", "a", ", x"), ("1;", " * ", ""), ('{"a', '\\"', "")],
    "measurements-xml": [('<results><row><data columname="Variable Features">a', " ", "x</data></row></results>")],
    "model-log": [("average model:\n2 * x", " +", " x")],
    "parameters-lines": [("", "\n", "a = 1"), ("a", " ", "b")],
    "parameters-toml": [('a = """\n[a', " ", 'b\n"""')],
    "project-toml": [("a", ".a", " = 1")],
    "sampling": [("", "+", ""), ("ff[", "a+", "]")],
    "script-a": [("numeric plackettBurman ", "[a ", ""), ("learn-splconqueror-opt ", "a-", "")],
}
# 100 kB of a wide header and as many rows with one cell: the whole table would have gigabytes.
WIDE = ",".join(["cache,left,right,x,y", *(f"p{at}" for at in range(8000)), "time"]) + "\n" + "1\n" * 24_000
# One long text in a column of short ones: an array of texts would have its width in every row.
LONG = "cache,left,right,x,y,time,name\n" + "1,1,0,1,1,2,a\n" * 4000 + f"0,0,0,2,1,3,{'b' * 40_000}\n"
# Many values in one of many rows: a table of all would have the width of this row.
POINTS_OF_ONE = f"PARAMETER x\nPOINTS {' '.join(map(str, range(4000)))}\nREGION f\nMETRIC t\n" + "DATA 1\n" * 3999
ROW = '<row multipleMeasurements="true"><data columname="time">{}</data></row>'
# One value for each call path, each at another point.
SPARSE = "x,callpath,time\n" + "".join(f"{at},f{at},1\n" for at in range(1, 5001))
OTHERS: dict[str, list[bytes]] = {
    "measurements-csv": [WIDE.encode(), b'""'],
    "measurements-xml": [f"<results>{ROW.format('1') * 800}{ROW.format('1,' * 22_000)}</results>".encode()],
    "experiment-text": [f"{POINTS_OF_ONE}DATA {'1 ' * 24_000}\n".encode()],
    "configurations-csv": [WIDE.encode()],
    "table": [WIDE.encode(), LONG.encode()],
    # Integers that Python cannot write, or that no float can hold.
    "project-toml": [b"system = 0x" + b"f" * 5000, b"where = { a = 1" + b"0" * 400 + b" }"],
    "study-toml": [b"constant = 0x" + b"f" * 5000],
    # A header without rows, and a table of 25 million cells.
    "experiment-csv": [b"1,11,time,\n", SPARSE.encode()],
    # A value that another unit takes beyond the largest number.
    "measurements-csv-dropped": [b"cache,left,right,x,y,time\n1,1,0,1e305,1,1\n0,0,0,1,1,1\n"],
    "properties": [
        b"w=regex:" + b"(" * 5000 + b")" * 5000,
        b"w=regex:([[a]--b])",
        b"w=regex:(a{99999999999999999999})",
    ],
}


@pytest.mark.parametrize("name", READERS)
def test_seeds(name: str) -> None:
    """Every reader keeps the law on its seeds, whole, cut off and changed, and on any bytes."""
    seeds, rng = READERS[name].own(), random.Random(name)
    for seed in seeds:
        check(READERS[name], seed)
    for _ in range(CHANGED):
        seed = rng.choice(seeds)
        at = rng.randrange(len(seed))
        flipped = seed[:at] + rng.randbytes(1) + seed[at + 1 :]
        for data in (seed[:at], flipped, mutated(seed, seeds, rng), rng.randbytes(rng.randrange(60))):
            check(READERS[name], data)


@pytest.mark.parametrize(("name", "parts"), [(name, each) for name, found in SLOW.items() for each in found])
def test_linear_time(name: str, parts: tuple[str, str, str]) -> None:
    """Inputs with a text that is repeated many times are read in linear time."""
    before, unit, after = parts
    check(READERS[name], (before + unit * (BYTES // max(1, len(unit))) + after).encode())


@pytest.mark.parametrize(
    ("name", "data"), [(n, each) for n, found in OTHERS.items() for each in found], ids=lambda each: str(each)[:20]
)
def test_findings(name: str, data: bytes) -> None:
    """Inputs that led to exceptions, warnings or much memory are read, or refused by an error of splc."""
    check(READERS[name], READERS[name].own()[0])
    restart_peak()
    before = peak_megabytes()
    check(READERS[name], data)
    assert peak_megabytes() - before <= MEGABYTES


def test_every_format_is_fuzzed() -> None:
    """Each format of the registry that can be read has a reader here."""
    kinds = {"measurements": "measurements-{}", "model": "model-{}", "experiment": "experiment-{}"}
    kinds |= {"system": "system-{}", "script": "script-{}"}
    names = {kinds[each.kind].format({"txt": "text"}.get(each.name, each.name)) for each in FORMATS if each.reader}
    assert names - set(READERS) == set()


def reader(what: object) -> Reader:
    """Return a reader that raises an exception, warns, or takes its time."""

    def read(path: Path) -> None:
        if isinstance(what, Exception):
            raise what
        if isinstance(what, str):
            warnings.warn(what, stacklevel=1)
        while what is None:
            pass

    return Reader(read, ())


def test_the_law() -> None:
    """Errors of splc keep the law; other exceptions, warnings and inputs that take too long violate it."""
    check(reader(InputError("wrong")), b"")
    for error in (KeyError("x"), RecursionError(), MemoryError()):
        with pytest.raises(type(error)):
            check(reader(error), b"")
    with pytest.raises(UserWarning):
        check(reader("overflow"), b"")
    with pytest.raises(TooSlowError):
        check(reader(None), b"", slower=0.02)
