"""The language of messages and of docstrings, and errors with what to do."""

from __future__ import annotations

import pickle
import random
import re
import time
import tomllib
import tracemalloc
from functools import cache
from pathlib import Path

import pytest

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
from tests import budget
from tests.support.golden_messages import Lines, check_calls
from tests.support.paths import ROOT
from tests.support.tracked import PAGES, tracked


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


FOLDERS = ("splc", "sampling", "comparison", "casestudies", "docs")
FILES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *(file for file in tracked(*(ROOT / folder for folder in FOLDERS)) if file.suffix in {".py", ".md"}),
]
# The largest number of words in a usual sentence.
LONGEST = 30
# Each odd phrase, with the usual one.
PHRASES = tomllib.loads((ROOT / "tests" / "phrases.toml").read_text(encoding="utf-8"))
QUESTION = re.compile(r"(What|Where|How|Who|Whose)\b")
DOCSTRING = re.compile(r'\s*r?"""(.*)')


@cache
def text_of(file: Path) -> str:
    """Return the text of a file."""
    return file.read_text(encoding="utf-8")


def relative(file: Path) -> str:
    """Return a path as text, from the checkout."""
    return file.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("phrase", PHRASES)
def test_phrases(phrase: str) -> None:
    """No file has one of the odd phrases."""
    found = [
        f"{relative(file)}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]!r}, better: {PHRASES[phrase]}"
        for file in FILES
        for text in [text_of(file)]
        for match in re.finditer(phrase.replace(" ", r"\s+"), text, re.IGNORECASE)
    ]
    assert found == []


def test_docstrings_are_statements() -> None:
    """A docstring says what a module, a class or a function is or does; it is not a question."""
    found = [
        f"{relative(file)}:{number}: {match[1]}"
        for file in budget.files(*budget.PRODUCT, "casestudies")
        for number, line in enumerate(text_of(file).splitlines(), 1)
        if (match := DOCSTRING.match(line)) and QUESTION.match(match[1])
    ]
    assert found == []


def sentences(page: Path) -> list[str]:
    """Return the sentences of a page: of its paragraphs and lists, without code, tables and headings."""
    text = re.sub(r"```.*?```", "", text_of(page), flags=re.DOTALL)
    text = re.sub(r"^(    |\||#|!\[|<!--).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^\s*([-*]|\d+\.) ", "\n\n", text, flags=re.MULTILINE)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    paragraphs = (" ".join(each.split()) for each in re.split(r"\n\s*\n", text))
    return [each for paragraph in paragraphs for each in re.split(r"(?<=[.?!])\s+(?=\S)", paragraph) if each]


def test_sentences_are_short() -> None:
    """At most 5 % of the sentences of the pages have more than 30 words."""
    found = [sentence for page in PAGES for sentence in sentences(page)]
    long = [sentence for sentence in found if len(sentence.split()) > LONGEST]
    assert len(long) <= 0.05 * len(found), "\n".join(long)
