"""Tables, notes, progress and JSON."""

from __future__ import annotations

import contextlib
import json
import re
import sys
import time
import unicodedata
from io import StringIO

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from splc.cli import terminal
from splc.cli.printer import print_json, print_view
from splc.cli.progress import TimeLeft, progress
from splc.cli.terminal import printing
from splc.io.tables import Table
from splc.workflows.note import Note, Rank
from splc.workflows.views import Detail, Entries, duration, rows_of


class Terminal(StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        """Claim it."""
        return True


def screen_of(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Put a terminal of 30 columns in the place of stdout and stderr (no fixture: pytest sets them anew for a test)."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return stream


@pytest.mark.parametrize("count", [0, 1, 3])
def test_json_of_an_iterator(capsys: pytest.CaptureFixture[str], count: int) -> None:
    """Keys keep their order, integers are exact, and the entries of an iterator are a list with a line for each."""
    content = {"schema": "splc.test/1", "b": None, "a": 10**30, "f": {"ü": -0.5}}
    print_json(content)
    assert list(json.loads(capsys.readouterr().out).items()) == list(content.items())
    entries = [{"name": f"a\x1b{at}", "value": float(at)} for at in range(count)]
    print_json({"schema": "splc.test/1", "models": iter(entries), "seconds": [1, 2]})
    text = capsys.readouterr().out
    assert json.loads(text) == {"schema": "splc.test/1", "seconds": [1, 2], "models": entries}
    assert sum(line.startswith('    {"name": "a') for line in text.splitlines()) == count
    assert "\x1b" not in text


def test_a_piped_table_is_plain(capsys: pytest.CaptureFixture[str]) -> None:
    """Into a pipe a table is as wide as its content, without borders, trailing blanks and empty columns."""
    terminal.table(("a", "nothing", "n"), [("x" * 300, "", "1"), ("y", "", "20")], right=(False, False, True))
    terminal.table(("a", "b"), [], (True, False))
    assert capsys.readouterr().out.splitlines() == ["a" + " " * 301 + " n", "x" * 300 + "   1", "y" + " " * 301 + "20"]


@given(rows=st.lists(st.lists(st.text("ab, 1", max_size=6), min_size=3, max_size=3), min_size=1, max_size=5))
def test_a_piped_table_is_that_of_rich(rows: list[list[str]]) -> None:
    """Tables of plain cells, which are printed without rich, look as with a row more that is not plain."""
    filled = next((at for at in range(3) if any(row[at] for row in rows)), None)
    assume(filled is not None)
    printed = []
    for more in ([], [["é" if at == filled else "" for at in range(3)]]):
        with contextlib.redirect_stdout(StringIO()) as found:
            terminal.table(("a", "bb", "n"), [*rows, *more], right=(False, False, True))
        printed.append(found.getvalue().splitlines())
    assert printed[0] == printed[1][:-1]


def test_a_table_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal no line is wider than it, and nothing is lost."""
    screen = screen_of(monkeypatch)
    terminal.table(("option", "value"), [("word " * 10, "x" * 40)], (False, False))
    lines = re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue()).splitlines()
    assert max(map(len, lines)) <= 30
    assert "".join(lines).count("x") == 40


@pytest.mark.parametrize("columns", [23, 24, 25, 26, 30, 31, 32, 33])
def test_numbers_are_not_cut(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    """Rows of a table of numbers wider than the terminal are one long line each; no other line is wider."""
    screen = screen_of(monkeypatch)
    monkeypatch.setenv("COLUMNS", str(columns))
    numbers = [str(at) * 8 for at in (1, 2, 3)]
    terminal.table(("a", "b", "c"), [numbers], right=(True, True, True))
    shown = re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue()).splitlines()
    assert shown[-1].split() == numbers
    # A space before the first column, and 3 between columns.
    assert max(map(len, shown)) == 1 + 3 * 8 + 2 * 3


def test_short_steps_have_no_progress(capsys: pytest.CaptureFixture[str]) -> None:
    """Into a pipe no progress is written of what takes a few seconds."""
    with progress("learning") as advance:
        advance(3, 10, "round 3")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("detail", [Detail(), Detail(json=True), Detail(verbose=True), Detail(quiet=True)])
def test_long_steps_have_lines(capsys: pytest.CaptureFixture[str], detail: Detail) -> None:
    """Into a pipe a line says what is done, and how much of it, after some seconds, and then less and less often."""
    with printing(detail), progress("learning", wait=0.05) as advance:
        advance(3, 10, "round 3")
        time.sleep(0.6)
    out, err = capsys.readouterr()
    assert out == ""
    lines = [line for line in err.splitlines() if "so far" in line]
    # After 0.05, 0.1, 0.2, 0.4 seconds; fewer on a busy machine.
    assert (0 if detail.quiet else 2) <= len(lines) <= (0 if detail.quiet else 5)
    assert all(line.startswith("learning: ") and "round 3" in line and "30 % done" in line for line in lines)
    capsys.readouterr()
    time.sleep(0.3)
    assert capsys.readouterr() == ("", "")


def test_progress_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal the progress is shown."""
    screen = screen_of(monkeypatch)
    with progress("learning") as advance:
        advance(3, 10, "round 3")
    assert "round 3" in screen.getvalue()


def test_the_number_of_notes(capsys: pytest.CaptureFixture[str]) -> None:
    """The most important notes are printed, in order; the others are counted, and -v prints all."""
    notes = [Note(str(place), warning=place in (4, 6), negative=place == 6) for place in range(7)]
    notes[1] = Note("1", about=Rank.METHOD)
    notes[3] = Note("3", about=Rank.LIMIT)
    terminal.show_notes(notes)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[1] for line in lines[:-1]] == ["6", "4", "3", "0", "2"]
    assert lines[-1] == "note: 2 more notes with -v"
    with printing(Detail(verbose=True)):
        terminal.show_notes(notes)
    assert len(capsys.readouterr().err.splitlines()) == 7
    terminal.show_notes(notes[:5])
    assert len(capsys.readouterr().err.splitlines()) == 5


def test_quiet(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """With -q there are no notes but those that explain the exit code, and no progress."""
    with printing(Detail(quiet=True)):
        terminal.show_notes([Note("a", warning=True), Note("b", negative=True)])
        terminal.note("c")
        terminal.warn("d")
    assert capsys.readouterr().err == "note: b\nwarning: d\n"
    screen = screen_of(monkeypatch)
    for silent in (Detail(quiet=True), Detail(json=True)):
        with printing(silent), progress("learning") as advance:
            advance(3, 10, "round 3")
    assert screen.getvalue() == ""


def test_control_characters_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Characters that terminals act on are escaped in lines, notes, tables and JSON; other characters are not."""
    text = "\x1b\u202e"
    terminal.say(text)
    terminal.note(text)
    terminal.warn(text)
    terminal.table(["a" + text], [["é" + text]], (False,))
    print_json({"name" + text: text})
    printed = capsys.readouterr()
    assert not {*text} & {*(printed.out + printed.err)}
    assert "é" in printed.out
    assert json.loads(printed.out[printed.out.index("{") :]) == {"name" + text: text}
    assert printed.err.count("\\u001b") == 2


def test_characters_that_terminals_act_on() -> None:
    """Control characters but tab and line feed, and Unicode's changes of direction, are escaped; no others are."""
    directions = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    for code in range(0x3000):
        character = chr(code)
        acting = unicodedata.category(character) == "Cc" and character not in "\t\n"
        acting |= unicodedata.bidirectional(character) in directions
        assert terminal.printable(f"a{character}") == (f"a\\u{code:04x}" if acting else f"a{character}")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0123, "0.012 s"),
        (9.9, "9.9 s"),
        (10, "10 s"),
        (119.4, "119 s"),
        (120, "2 min"),
        (7199, "120 min"),
        (7200, "2.0 h"),
        (48 * 3600 - 1, "48.0 h"),
        (48 * 3600, "2.0 days"),
        (86400e6 * 1.1, "1100000.0 days"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    """A duration has the largest unit of which there are at least two, or ten seconds."""
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False), ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False)],
)
def test_colours(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], coloured: bool) -> None:
    """On a terminal answers, warnings, and what raises and lowers are coloured; the text is the same without."""
    screen = screen_of(monkeypatch)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    terminal.tell("an answer", "answer")
    terminal.warn("doubtful")
    terminal.table(("term", "n"), [("a", "1.5"), ("b", "-2")], (False, True), (False, True))
    text = screen.getvalue()
    assert ("\x1b[" in text) is coloured
    assert ("\x1b[31m" in text) is coloured
    assert ("\x1b[34m" in text) is coloured
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert "an answer\nwarning: doubtful\n" in plain
    assert "-2" in plain


def test_colours_in_pipes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Pipes and files have colours with FORCE_COLOR only; columns are in the same places."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    cells = [("a", "1.5"), ("bbb", "-2")]
    terminal.table(("term", "n"), cells, (False, True), (False, True))
    plain = capsys.readouterr().out
    assert "\x1b" not in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    terminal.table(("term", "n"), cells, (False, True), (False, True))
    coloured = capsys.readouterr().out
    assert "\x1b[34m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


@pytest.mark.parametrize("columns", [30, 60, 80, 100, 200])
def test_sentences_fit_the_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    """Sentences and notes have line breaks between words; commands are not broken, so that they can be copied."""
    screen = screen_of(monkeypatch)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    text = " ".join(["configurations"] * 12)
    terminal.tell(text)
    terminal.show_notes([Note(text)])
    lines = screen.getvalue().splitlines()
    assert max(map(len, lines)) <= columns
    assert " ".join(screen.getvalue().split()) == f"{text} note: {text}"
    screen.truncate(0)
    screen.seek(0)
    command = "run 'splc learn table.csv' " * 10
    terminal.show_notes([Note(command)])
    assert screen.getvalue() == f"note: {command}\n"


@pytest.mark.parametrize(
    ("most", "shown"), [(None, ["  a", "  b"]), (2, ["  a", "  b"]), (1, ["  a", "  … 1 more (-v)"])]
)
def test_entries(capsys: pytest.CaptureFixture[str], most: int | None, shown: list[str]) -> None:
    """Of more entries than are printed the others are counted; a title without entries is not printed."""
    print_view([Entries("Two", ["a", "b"], most, "-v"), Entries("None", [], most)])
    assert capsys.readouterr().out.splitlines() == ["", "Two", *shown]


@pytest.mark.parametrize(("columns", "kept"), [(20, "abd"), (25, "abd"), (26, "abcd"), (34, "abcd"), (35, "abcde")])
def test_columns_that_are_left_out(monkeypatch: pytest.MonkeyPatch, columns: int, kept: str) -> None:
    """Narrow terminals: optional columns are left out in order, and a line names them."""
    screen = screen_of(monkeypatch)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    cells = {"a": "name", "b": "1.25", "c": "2.125", "d": "3.5", "e": "4.0625"}
    terminal.table(list(cells), [list(cells.values())], (False, True, True, True, True), optional=(4, 2))
    heading, *_ = (line for line in screen.getvalue().splitlines() if line.strip())
    assert heading.split() == list(kept)
    left_out = [name for name in "ec" if name not in kept]
    assert ("for lack of width" in screen.getvalue()) is bool(left_out)
    if columns > len(f"for lack of width, without the columns: {', '.join(left_out)}"):
        assert all(name in screen.getvalue().splitlines()[-1] for name in left_out)


@pytest.mark.parametrize(("columns", "kept"), [(24, ["term", "score"]), (40, ["class", "term", "score"])])
def test_tables_without_columns(monkeypatch: pytest.MonkeyPatch, columns: int, kept: list[str]) -> None:
    """Named columns of a table are left out where the terminal is narrow; a table need not have them."""
    screen = screen_of(monkeypatch)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    print_view([rows_of(Table(("class", "term", "score"), (("nx, py", "log10(py) * nx", -1),)), "class", "found")])
    heading, *_ = (line for line in screen.getvalue().splitlines() if line.strip())
    assert heading.split() == kept


def test_steps_as_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """With -v the steps of a long command are lines on stderr, once, also without a terminal."""
    with printing(Detail(verbose=True)), progress("learning") as advance:
        advance(0.5, 1.0, "")
        for text in ("first", "first", "second"):
            advance(1, 2, text)
    assert capsys.readouterr().err == "first\nsecond\n"


@pytest.mark.parametrize(
    "steps",
    [
        [(0.1, 0, ""), (1.0, 1, ""), (5.0, 2, "about 45 s left"), (30.0, 15, "about 10 s left"), (40.0, 20, "")],
        # Those of an earlier command took no time.
        [(0.1, 10, ""), (60.0, 11, "about 9 min left"), (240.0, 14, "about 6 min left"), (300.0, 20, "")],
    ],
)
def test_time_left(steps: list[tuple[float, int, str]]) -> None:
    """It is estimated from the steps of this time, from two seconds on, and falls between two steps."""
    now = 0.0
    left = TimeLeft(lambda: now)
    for now, done, text in steps:  # noqa: B007 - the clock reads it
        left.advance(done, 20)
        assert left.text == text


def test_between_steps() -> None:
    """Between two steps the time that is left falls; it is empty when it is over, or if the end is not known."""
    now = 0.0
    left = TimeLeft(lambda: now)
    left.advance(0.0, 1.0)
    now = 10.0
    left.advance(0.25, 1.0)
    for now, text in ((10.0, "about 30 s left"), (20.0, "about 20 s left"), (50.0, "")):  # noqa: B007
        assert left.text == text
    left.advance(0.5, None)
    assert left.text == ""
