"""The language of the source and the pages: plain technical English, the same words for the same things."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests import budget
from tests.support.paths import ROOT
from tests.support.tracked import PAGES, tracked

FOLDERS = ("splc", "sampling", "comparison", "casestudies", "docs")
FILES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *(file for file in tracked(*(ROOT / folder for folder in FOLDERS)) if file.suffix in {".py", ".md"}),
]
# The largest number of words in a usual sentence.
LONGEST = 30
# Each odd phrase, with the usual one.
PHRASES = {
    r"is there twice": "duplicate …",
    r"\bnobody\b": "name the subject",
    r"\bwhat becomes of\b": "say what is returned or done",
    r"\b(goes|go|gone|going|went) on\b": "continue, resume",
    r"\bblanks\b": "spaces, empty lines",
    r"\bat (its|their) end\b": "at the end",
    r"\bfor people\b": "name the reader, or leave it out",
    r"\b(is|are) to blame\b": "the cause is …",
    r"\ba mere\b": "only",
    r"\bin the place of\b": "instead of",
    r"\bas (it|they) stands?\b": "unchanged",
    r"\bstands? (in|at|below|above|beside|there|by|on|behind|under)\b": "is in, is next to",
    r"\bwhat is left of\b": "the rest of",
    r"\bsuch that what\b": "so that",
    r"\bso far also\b": "also",
    r"\b(is|are) said\b": "is reported",
    r"\bof a (\w+ )?kind of its own\b": "different",
    r"\bwhoever\b": "a user who",
    r"(?<!there\x20)\b(is|are) no (finite|number|array|interval|exponent|parameter|point|option)": "is not a …",
}
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
