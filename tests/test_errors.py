"""Errors and problems: their texts, in another process, many at once, and hints at near names."""

from __future__ import annotations

import pickle
import random
import time
import tracemalloc

from splc.errors import (
    ConfigurationError,
    ExpressionError,
    InputError,
    Problem,
    Problems,
    SplcError,
    VariabilityError,
    listed,
    nearest,
    shorten,
    unknown_name_hint,
)
from tests.support.golden_messages import Lines, check_calls


def text(*problem: object, **more: object) -> Lines:
    """Return the text of a problem; long words of it are shown by their lengths."""
    shown = str(Problem(*problem, **more))  # type: ignore[arg-type]
    return Lines(" ".join(f"{word[0]}*{len(word)}{word[-1]}" if len(word) > 99 else word for word in shown.split(" ")))


def collected(*problems: tuple[str, int] | tuple[str], limit: int = 20) -> None:
    """Raise problems of a file together, one of which an error without a line has."""
    found = Problems("f.xml", limit=limit)
    for problem in problems:
        found.add(*problem)
    if problems:
        found.include(ExpressionError(Problem("included", column=4)), 5)
    found.raise_if_any(VariabilityError)


def test_texts() -> None:
    """Problems have their place and what to do, once and in the order of lines; hints have near or known names."""
    calls = (text, collected, nearest, unknown_name_hint, listed, shorten, Problem, ConfigurationError)
    check_calls("problems", *calls)


def test_an_error_survives_another_process() -> None:
    """A pickled error has its problems and its class; SplcError is the base class of all, InputError that of files."""
    error = ExpressionError([Problem("one", "f", 1), Problem("two", "f", 2)])
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (type(copy), copy.problems, str(copy)) == (ExpressionError, error.problems, str(error))
    placed = ConfigurationError("wrong", hint="mend it").at("f.csv", 2)
    assert (type(placed), str(placed)) == (ConfigurationError, "f.csv:2: wrong\n    mend it")
    assert issubclass(VariabilityError, InputError)
    assert issubclass(InputError, SplcError)


def test_long_messages_are_cut() -> None:
    """Messages of more than 3,000 characters are cut, wherever their words are."""
    many = "no " + "x " * 50_000
    assert str(Problem(many)) == many[:2999] + "…"
    assert str(Problem(many[:3000])) == many[:3000]


def test_near_names_take_little_time_and_memory() -> None:
    """Names of more than 300 characters are not compared, repeated names once, and lists of names are not kept."""
    rng = random.Random(1)
    long = "".join(chr(0x100 + rng.randrange(200)) for _ in range(20_000))
    names = [f"option_{i}" for i in range(1000)]
    begin = time.process_time()
    assert nearest(long, ["x", long[1:]]) is None
    assert nearest("long", ["lung", long]) == "did you mean 'lung'?"
    assert {nearest("optoin_7", names) for _ in range(1000)} == {"did you mean 'option_7'?"}
    assert time.process_time() - begin < 0.5
    assert nearest("x" * 300, ["x" * 299]) == f"did you mean {'x' * 299!r}?"
    tracemalloc.start()
    try:
        for file in range(40):
            nearest("x", [f"{file}-{cell:0>100}" for cell in range(2000)])
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 6e6
