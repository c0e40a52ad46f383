"""Tables, notes, progress and JSON."""

from __future__ import annotations

import contextlib
import json
import re
import sys
import time
import unicodedata
from collections.abc import Callable
from functools import partial
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
from tests.support.golden_messages import check_lines


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


NOTES = [Note(str(place), warning=place in (4, 6), negative=place == 6) for place in range(7)]
NOTES[1], NOTES[3] = Note("1", about=Rank.METHOD), Note("3", about=Rank.LIMIT)
SENTENCE = " ".join(["configurations"] * 6)


def quietly(detail: Detail, work: Callable[[], object]) -> None:
    """Do something with a detail."""
    with printing(detail):
        work()


def steps() -> None:
    """Do the steps of a long command."""
    with progress("learning") as advance:
        advance(0.5, 1.0, "")
        for text in ("first", "first", "second"):
            advance(1, 2, text)


def silent() -> None:
    """Print notes and a warning."""
    terminal.show_notes([Note("a", warning=True), Note("b", negative=True)])
    terminal.note("c")
    terminal.warn("d")


# What is printed → the columns of the terminal (none: a pipe), and what prints it.
PRINTED: dict[str, tuple[int | None, Callable[[], object]]] = {
    "a piped table is as wide as its content, without borders, trailing blanks and empty columns": (
        None,
        lambda: terminal.table(("a", "nothing", "n"), [("x" * 60, "", "1"), ("y", "", "20")], (False, False, True)),
    ),
    "a table without rows is not printed": (None, lambda: terminal.table(("a", "b"), [], (True, False))),
    "into a pipe no progress is written of what takes a few seconds": (None, steps),
    "with -v steps are lines, once": (None, partial(quietly, Detail(verbose=True), steps)),
    "with -q a terminal has no progress": (30, partial(quietly, Detail(quiet=True), steps)),
    "with --json a terminal has no progress": (30, partial(quietly, Detail(json=True), steps)),
    "the most important notes, in order": (None, lambda: terminal.show_notes(NOTES)),
    "all notes with -v": (None, partial(quietly, Detail(verbose=True), lambda: terminal.show_notes(NOTES))),
    "five notes": (None, lambda: terminal.show_notes(NOTES[:5])),
    "with -q there are no notes but those that explain the exit code": (
        *(None, partial(quietly, Detail(quiet=True), silent)),
    ),
    "two entries": (None, lambda: print_view([Entries("Two", ["a", "b"], 2, "-v"), Entries("None", [], None)])),
    "of more entries than are printed the others are counted": (
        *(None, lambda: print_view([Entries("Two", ["a", "b"], 1, "-v")])),
    ),
    "line breaks are between words of sentences": (40, lambda: terminal.tell(SENTENCE)),
    "line breaks are between words of notes": (40, lambda: terminal.show_notes([Note(SENTENCE)])),
    "commands are not broken, so that they can be copied": (
        *(40, lambda: terminal.show_notes([Note("run 'splc learn table.csv' " * 3)])),
    ),
    "a duration has the largest unit of which there are at least two, or ten seconds": (
        None,
        lambda: terminal.say(
            "\n".join(map(duration, (0.0123, 9.9, 10, 119.4, 120, 7199, 7200, 172799, 172800, 86400e6 * 1.1)))
        ),
    ),
}


def test_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What pipes and terminals get of tables, notes, steps and durations."""
    lines: list[str] = []
    for name, (columns, work) in PRINTED.items():
        screen = screen_of(monkeypatch) if columns else StringIO()
        monkeypatch.setenv("NO_COLOR", "1")
        monkeypatch.setenv("COLUMNS", str(columns or 80))
        for stream in ("stdout", "stderr"):
            monkeypatch.setattr(sys, stream, screen)
        work()
        lines += [f"$ {name}", *screen.getvalue().splitlines()]
    check_lines("terminal", lines)


def test_colours_in_pipes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Pipes and files have colours with FORCE_COLOR only; columns are in the same places."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    shown = []
    for forced in (False, True):
        monkeypatch.delenv("FORCE_COLOR", raising=False)
        if forced:
            monkeypatch.setenv("FORCE_COLOR", "1")
        terminal.table(("term", "n"), [("a", "1.5"), ("bbb", "-2")], (False, True), (False, True))
        shown.append(capsys.readouterr().out)
    assert ["\x1b[34m" in each for each in shown] == [False, True]
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown[1]) == shown[0]


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


@pytest.mark.parametrize(
    ("total", "steps"),
    [
        *((20, [(0.1, 0, ""), (1, 1, ""), (5, 2, "about 45 s left"), (30, 15, "about 10 s left"), (40, 20, "")]),),
        # Those of an earlier command took no time.
        (20, [(0.1, 10, ""), (60, 11, "about 9 min left"), (240, 14, "about 6 min left"), (300, 20, "")]),
        # Between two steps the time that is left falls; it is empty when it is over, or if the end is not known.
        (1, [(0, 0, ""), (10, 0.25, "about 30 s left"), (20, None, "about 20 s left"), (50, None, "")]),
    ],
)
def test_time_left(total: float, steps: list[tuple[float, float | None, str]]) -> None:
    """It is estimated from the steps of this time, from two seconds on, and falls between two steps."""
    now = 0.0
    left = TimeLeft(lambda: now)
    for now, done, text in steps:  # noqa: B007 - the clock reads it
        if done is not None:
            left.advance(done, total)
        assert left.text == text
    left.advance(0.5, None)
    assert left.text == ""
