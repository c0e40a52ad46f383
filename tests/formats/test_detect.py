"""Detection of file formats by content: model text that looks like a table, and tables that look like formulas."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from splc.errors import InputError
from splc.formats.detect import kind_of, system_format, xml_root_of_file
from splc.formats.measurements.file_columns import read_file_columns
from splc.io.files import Source

MODELS = [
    "T = 1,5*nx",
    "T = max(nx, px)",
    "T = log(nx, 2)",
    "T = nx;",
    "1,5*nx",
    "max(nx, px)",
    "max(nx,\n  px)",
    "nx^2;",
    "a = max(nx, px)\nb = min(nx, px)\nT = a + b",
    "T = max(nx, px)\n  + max(ny, pz)",
    "a = 1,5\nT = a * nx",
    "nx + px",
    "log (nx) * 2 + 3",
    "# a, b\nnx",
    "`a;b` * 2",
]
TABLES = [
    "nx,px,time\n1,2,3.5",
    "nx;px;time",
    "nx,\n1,",
    "time (s),nx\n3,1",
    "f(nx), px\n1, 2",
    "cache=lru,nx\n1,2",
    "a = b;c\n1,5;2",
    "x*y;x^2\n1;2\n3;4",
    "# made by a*b, c\nnx,time\n1,2",
    "base;fast;3.5",
]


@pytest.mark.parametrize(
    ("text", "kind"),
    [*((text, "model") for text in MODELS), *((text, "measurements") for text in TABLES)],
    ids=lambda value: value[:20].replace("\n", " "),
)
def test_models_and_tables(text: str, kind: str) -> None:
    """A formula is a model whatever is wrong with it, unless a row of a table follows below."""
    assert kind_of(Source("a", text.encode())) == kind


NAMES = ["flag", "time (ms)", "f(x)", "p99 [us]", "a*b", "x^2", "#threads", "size >= 4", "Score Error (99,9%)"]
TEXTS = ["C = A * B", "sort (stable)", "a|b", "1.2.3", "x, y", "on"]


@given(st.data(), st.lists(st.sampled_from(NAMES), min_size=2, max_size=5, unique=True), st.sampled_from(",;\t|"))
def test_what_the_reader_of_tables_reads_is_a_table(data: st.DataObject, header: list[str], separator: str) -> None:
    """Names with units, formulas in cells and decimal commas in quotes make no table a model or a log."""
    if separator != ",":
        header = [name.replace(",", ".") for name in header]
    cells = [st.sampled_from(TEXTS) for _ in header[1:]]
    rows = data.draw(st.lists(st.tuples(st.sampled_from(["1", "2,5"]), *cells), min_size=1, max_size=3))
    text = io.StringIO()
    csv.writer(text, delimiter=separator).writerows([header, *rows])
    source = Source("a", text.getvalue().encode())
    assume(separator != "|" or not any(mark in text.getvalue() for mark in ",;\t"))
    assert list(read_file_columns(source).columns) == header
    assert kind_of(source) == "measurements"


@pytest.mark.parametrize(
    "text", ["n;op;time\n1;C = A * B;3.5\n", "flag,time (ms)\n0,1,5\n", 'flag,time (ms)\n0,"1,5"\n']
)
def test_tables_that_look_like_other_files(text: str) -> None:
    """Products in cells make no log, and a decimal comma without quotes is reported by the reader of tables."""
    assert kind_of(Source("a", text.encode())) == "measurements"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("features\n\tA\n", "uvl"),
        ("// a\n/* b */\r\nnamespace a\r\n\r\nfeatures // c\r\n\tA\r\n", "uvl"),
        ("include\n\tBoolean\nfeatures\n\tA\n", "uvl"),
        ("features\n1\n2\n", None),
        ("c 1 a\nc\n\np cnf 1 0\n", "dimacs"),
        ('{"hyperparameters": [{"name": "a"}]}', "configspace"),
        ('{"hyperparameters": [[1, 2]]}', None),
        ("namespace = 3", None),
        ("c * x + 2", None),
        ("<featureModel/>", "featureide"),
        ("<feature_model/>", "xml"),
        ("<results/>", None),
    ],
)
def test_systems(text: str, form: str | None) -> None:
    """Feature models are told by their beginning; formulas and models with similar words are not among them."""
    source = Source("a", text.encode())
    assert system_format(source) == form
    assert (kind_of(source) == "system") == (form is not None)


def test_experiments_of_extra_p_3() -> None:
    """A binary file of Extra-P 3 is refused with what to do."""
    with pytest.raises(InputError, match="open it in Extra-P 4"):
        kind_of(Source("a", b"\1\0\x12\0\0\0EXTRAP_EXPERIMENT"))


def test_root_of_a_file(tmp_path: Path) -> None:
    """The root of XML is found in files as they are and in compressed ones; other files have none."""
    path = tmp_path / "file"
    assert xml_root_of_file(path) is None
    text = b"<?xml version='1.0'?><!-- a --><vm name='s'><x/></vm>"
    for data, root in ((text, "vm"), (gzip.compress(text), "vm"), (b"a,b\n1,2\n", None), (b"\x1f\x8bdamaged", None)):
        path.write_bytes(data)
        assert xml_root_of_file(path) == root
