"""Experiments in files that are broken in any way."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from splc.errors import InputError
from splc.formats.experiments.folder import named_points
from splc.formats.experiments.read import parse_experiment
from splc.io.files import Source
from tests.support.examples import examples
from tests.support.reader_golden import READER_FILES, read_cases
from tests.support.refusal import check_read_or_refused


def read_or_refused(content: bytes) -> None:
    """Read a file in every format; only errors of this project are raised, and their text can be shown."""
    source = Source("e", content)
    for kind in (None, "text", "json", "jsonl", "extra-p", "csv"):
        try:
            kept = parse_experiment(source, kind=kind)
        except InputError as error:
            said = str(error)
        else:
            said = "".join((*kept.parameters, *kept.callpaths, *kept.metrics, *kept.report.notes))
        assert said.encode()


PIECES = [
    case.data.decode("utf-8", "replace")
    for form in ("text", "json", "jsonl")
    for case in read_cases(READER_FILES / f"experiments-{form}.txt")
]
WORDS = ("PARAMETER", "POINTS", "REGION", "METRIC", "DATA", "p", "value", "metric", "callpath", "null", "NaN", "-0")
TEXTS = ('"', '"params"', '"parameters"', '"value"', '"measurements"', '"point"', "1e999", "9" * 400, "\\u", "\\ud800")
TOKENS = st.sampled_from([*"()#\n\r \t{}[]:,;\0ä\u2028\x0c", *WORDS, *TEXTS])


@examples(40)
@given(
    content=st.one_of(st.binary(max_size=200), st.lists(TOKENS, max_size=30).map(lambda parts: "".join(parts).encode()))
)
@example(b"[" * 100_000)
@example(b'{"a":' * 50_000)
@example(b"PARAMETER p\nPOINTS " + b"(" * 50_000)
@example(b"PARAMETER p\nPOINTS " + b"(1" * 5_000)
@example(b'{"' + b"\\" * 50_000)
@example(b'{"";' + b'"' * 50_001)
@example(b"," * 50_000)
@example(b"rep," * 20_000 + b"p,t\n1")
@example(b"PARAMETER p\n" * 1_000)
@example(b"," * 50_000 + b"\n1")
@example(b"a " * 50_000)
@example(b"x\n" * 2_000)
@example(b"p;t\n" + b'1;"' * 10_000)
@example(b"DATA " + b"1 " * 50_000)
@example(b"#\n" * 5_000)
def test_random_files(content: bytes) -> None:
    """Any content is read or an error of this project, fast."""
    read_or_refused(content)


@examples(40)
@given(data=st.data())
def test_mutated_files(data: st.DataObject) -> None:
    """A file with parts cut out, doubled or replaced is read or refused."""
    text = data.draw(st.sampled_from(PIECES))
    for _ in range(data.draw(st.integers(1, 4))):
        at, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        piece = data.draw(st.one_of(st.just(""), TOKENS, st.just(text[at:end] * 2), st.text(max_size=3)))
        text = text[:at] + piece + text[min(end, at + data.draw(st.sampled_from([0, 1, 5, 600]))) :]
    read_or_refused(text.encode(errors="surrogatepass"))


@given(names=st.lists(st.text("p=8.r1,/_-xä٣", max_size=40), min_size=1, max_size=4), by_folder=st.booleans())
def test_any_names(names: list[str], by_folder: bool) -> None:
    """Any names of files give points or an error of this project."""
    check_read_or_refused(lambda: len(named_points(names, "f", by_folder=by_folder).points) == len(names), InputError)
