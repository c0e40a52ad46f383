"""Messages about files of another format, unreadable files, and unusual file names."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import SYSTEM, Run

Refused = Callable[..., str]


class TestFiles:
    def test_csv_in_the_place_of_xml(self, refused: Refused, folder: Path) -> None:
        """A table instead of a description is named as a table; any other text is not XML."""
        message = refused("init", "measurements.csv", "--system", "measurements.csv")
        assert message.startswith("measurements.csv:1: this looks like CSV, not XML")
        (folder / "notes.txt").write_text("hello\n", encoding="utf-8")
        assert refused("describe", "notes.txt").startswith("notes.txt:1: this is not XML")

    def test_numbers_that_are_too_large(self, refused: Refused, folder: Path) -> None:
        """A number beyond all floats is called too large, not no number."""
        (folder / "system.xml").write_text(SYSTEM.replace("1;2;4", "1;2;1e400"), encoding="utf-8")
        assert "x: '1e400' in <values> is too large to be a number" in refused("describe")
        (folder / "system.xml").write_text(SYSTEM, encoding="utf-8")
        (folder / "model.txt").write_text("x", encoding="utf-8")
        (folder / "c.csv").write_text("cache,left,right,x\n0,1,0,1e400\n0,1,0,one\n", encoding="utf-8")
        message = refused("predict", "model.txt", "c.csv")
        assert "c.csv:2: x: '1e400' is too large to be a number" in message
        assert "c.csv:3: x: 'one' is not one of its values" in message

    def test_missing_values_have_lines(self, run: Run, folder: Path) -> None:
        """Of missing values the first lines are told."""
        rows = [f"0,1,0,{x},{'' if number % 2 else number}\n" for number in range(16) for x in (1, 2, 4)]
        (folder / "m.csv").write_text("cache,left,right,x,time\n" + "".join(rows), encoding="utf-8")
        result = run("convert", "m.csv", "-o", "a.csv")
        assert "24 values of time are missing" in result.stderr
        assert "time lacks a value in lines 5, 6, 7, 11, 12, …" in result.stderr

    @pytest.mark.parametrize("arguments", [("describe", "m.csv"), ("learn", "--measurements", "m.csv", "--by", "host")])
    def test_missing_values_of_contexts(self, run: Run, folder: Path, arguments: tuple[str, ...]) -> None:
        """Missing values, and rows that are left out, are counted over all values of a context, in one line."""
        (folder / "system.xml").unlink()
        rows = [
            f"{host},{x},{n},{'' if (x + n) % 4 == 0 else x * n + 0.5},7\n"
            for host in "abc"
            for x in (1, 2, 3)
            for n in (1, 2, 3)
        ]
        (folder / "m.csv").write_text("host,x,n,time,size\n" + "".join(rows), encoding="utf-8")
        message = run(*arguments, "--property", "time").stderr if arguments[0] == "learn" else run(*arguments).stderr
        assert "9 values of time are missing" in message
        assert message.count("lacks a value") == 1
        assert "time lacks a value in lines 4, 6, 8, 13, 15, …" in message

    @pytest.mark.parametrize("mode", [os.R_OK, os.X_OK])
    def test_a_folder_that_cannot_be_read(
        self, refused: Refused, folder: Path, monkeypatch: pytest.MonkeyPatch, mode: int
    ) -> None:
        """A project folder without the permission to read it is named, with what to do."""
        monkeypatch.setattr(os, "access", lambda path, wanted: wanted != mode)
        message = refused("describe", ".")
        assert "the folder cannot be read: permission denied" in message
        assert "chmod" in message


class TestStreams:
    def test_names_that_the_locale_cannot_say(self, folder: Path) -> None:
        """A file name is shown with its own bytes, whatever the locale."""
        environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        command = [sys.executable.encode(), b"-m", b"splc", b"describe", "nöthing.xml".encode()]
        found = subprocess.run(command, env=environment, capture_output=True, check=False)
        assert found.returncode == 2
        assert found.stderr.decode("utf-8").startswith("nöthing.xml: there is no such file")

    @pytest.mark.parametrize("arguments", [("--help",), ("sample", "--help"), ("--version",)])
    def test_help_whose_reader_has_seen_enough(self, folder: Path, arguments: tuple[str, ...]) -> None:
        """A closed pipe behind a help text is no failure."""
        reading, writing = os.pipe()
        os.close(reading)
        command = [sys.executable, "-m", "splc", *arguments]
        found = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
        os.close(writing)
        assert (found.returncode, found.stderr) == (0, "")
