"""What readers report about bad inputs, as golden files, which `make golden` rewrites; the difference is reviewed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.golden import check_file
from tests.support.golden_readers import READERS
from tests.support.reader_golden import READER_FILES, Case, escaped, golden_text, read_cases


@pytest.mark.parametrize("name", READERS)
def test_messages(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every message about a bad input has the place, the text and what to do, as the golden file of the reader."""
    monkeypatch.chdir(tmp_path)
    file = READER_FILES / f"{name}.txt"
    found = [case.outcome(READERS[name], tmp_path) for case in read_cases(file)]
    check_file(file, golden_text(found))


def test_every_file_has_a_reader() -> None:
    """There is one golden file for each reader, and no other."""
    assert sorted(file.stem for file in READER_FILES.glob("*.txt")) == sorted(READERS)


@pytest.mark.parametrize(
    "data", [b"", b"a\n", b"a", b"\n", b"a\\\n\tb\r\n", b"\xef\xbb\xbf\xff\0x", "ü\n \n".encode(), b"a\\"]
)
def test_contents(data: bytes) -> None:
    """Any bytes are written as lines, and are the same bytes again."""
    assert Case("f", escaped(data), ()).data == data
