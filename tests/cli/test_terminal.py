"""Tables, notes, progress and JSON."""

from __future__ import annotations

import contextlib
import json
import re
import sys
import time
import unicodedata
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from splc.cli import terminal
from splc.cli.signature import TimeLeft, print_json, print_view, progress
from splc.cli.terminal import printing
from splc.io.tables import Table
from splc.workflows.note import Note, Rank
from splc.workflows.views import Detail, Entries, duration, rows_of
from tests.support.golden_messages import Lines, check_calls


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


def test_control_characters_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Characters that terminals act on are escaped, others are not; texts with line ends are in one line of a note."""
    text = "\x1b\u202e"
    assert str(Note("a\nb", details=("c\nd", "e"))) == "note: a b\n    c d\n    e"
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


NOTES = [Note(str(place), warning=place in (4, 6), negative=place == 6) for place in range(7)]
NOTES[1], NOTES[3] = Note("1", about=Rank.METHOD), Note("3", about=Rank.LIMIT)
CELLS = {"a": "name", "b": "1.25", "c": "2.125", "d": "3.5", "e": "4.0625"}
FOUND = rows_of(Table(("class", "term", "score"), (("nx, py", "log10(py) * nx", -1),)), "class", "found")


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


def coloured() -> None:
    """Print an answer, a warning, and numbers with signs."""
    terminal.tell("an answer", "answer")
    terminal.warn("doubtful")
    terminal.table(("term", "n"), [("a", "1.5"), ("b", "-2")], (False, True), (False, True))


def on(work: Callable[..., object]) -> Callable[..., Lines]:
    """Return a function that returns what another one prints on a terminal of so many columns, or into a pipe."""

    def shown(*given: Any, columns: int = 0, detail: Detail | None = None, **variables: str) -> Lines:
        with pytest.MonkeyPatch.context() as patch, printing(detail or Detail()):
            screen = screen_of(patch) if columns else StringIO()
            for name, value in ({"NO_COLOR": "1", "COLUMNS": str(columns or 80)} | variables).items():
                patch.setenv(name, value)
            for stream in ("stdout", "stderr"):
                patch.setattr(sys, stream, screen)
            work(*given)
        return Lines(screen.getvalue())

    return shown


def words(lines: Lines) -> list[list[str]]:
    """Return the words of the lines of a table on a terminal, without empty lines and rules."""
    return [line.split() for line in lines.splitlines() if line.strip(" ─")]


def numbers(columns: int) -> tuple[list[str], int]:
    """Return the row of a table of numbers on a terminal of so many columns, and the largest width of a line."""
    cells = [str(at) * 8 for at in (1, 2, 3)]
    lines = on(terminal.table)(("a", "b", "c"), [cells], (True, True, True), columns=columns).splitlines()
    return lines[-1].split(), max(map(len, lines))


def codes(lines: Lines) -> tuple[list[str], list[list[str]]]:
    """Return the codes of colours in a text, and its words without them."""
    code = re.compile(r"\x1b\[([0-9;]+)m")
    return sorted(set(code.findall(lines))), words(Lines(code.sub("", lines)))


def left(total: float, *steps: tuple[float, float | None]) -> list[str]:
    """Return the time that is left after steps, as (seconds, number of finished ones or None), and without an end."""
    now, found = 0.0, []
    watch = TimeLeft(lambda: now)
    for now, done in steps:  # noqa: B007 - the clock reads it
        if done is not None:
            watch.advance(done, total)
        found.append(watch.text)
    watch.advance(0.5, None)
    return [*found, watch.text]


def test_printed() -> None:
    """What pipes and terminals get of tables, notes, steps, durations, and colours."""
    functions: dict[str, Callable[..., object]] = {
        "notes": terminal.show_notes,
        "view": lambda *items: print_view(items),
    }
    functions |= {each.__name__: each for each in (terminal.table, terminal.tell, steps, silent, coloured)}
    check_calls(
        "terminal",
        *(duration, words, numbers, codes, left),
        **{name: on(work) for name, work in functions.items()},
        **{"NOTES": NOTES, "Note": Note, "CELLS": CELLS, "FOUND": FOUND, "Entries": Entries, "Detail": Detail},
        SENTENCE=" ".join(["configurations"] * 6),
    )


def test_colours_in_pipes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Pipes and files have colours with FORCE_COLOR only; columns are in the same places."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    shown = []
    for forced in ("", "1"):
        monkeypatch.setenv("FORCE_COLOR", forced)
        terminal.table(("term", "n"), [("a", "1.5"), ("bbb", "-2")], (False, True), (False, True))
        shown.append(capsys.readouterr().out)
    assert ["\x1b[34m" in each for each in shown] == [False, True]
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown[1]) == shown[0]
