"""Messages about files of another format, unreadable files, and unusual file names."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Refused = Callable[..., str]


class TestFiles:
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
