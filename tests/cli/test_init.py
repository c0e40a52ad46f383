"""`splc init`, and commands that work on a table without a description."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from splc import read_measurements, read_variability_model
from tests.cli.conftest import Run
from tests.support.paths import SMG2000

TABLE = """mode_fast,mode_slow,cache,threads,time
1,0,0,1,10.5
1,0,0,2,6.25
1,0,1,1,11.5
1,0,1,2,7.125
0,1,0,1,20.5
0,1,0,2,12.25
0,1,1,1,21.75
0,1,1,2,13.5
"""
STEPWISE = ("--learner", "stepwise")
NOTE = """    3 binary options: mode_fast, mode_slow, cache
    1 numeric option: threads (1, 2)
    alternative group: exactly one of mode_fast, mode_slow
    property: time
"""


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a table in the current folder, which has no description."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "table.csv"
    file.write_text(TABLE, encoding="utf-8")
    return file


class TestInit:
    def test_round_trip(self, run: Run, table: Path) -> None:
        """The written description is the inferred one, and all rows of the table are valid configurations."""
        assert run("init", table.name, "-o", "system.xml").exit_code == 0
        described = json.loads(run("describe", "--measurements", table.name, "--json").stdout)
        assert described["inferred"] is None
        assert described["valid_configurations"] == described["measurements"]["configurations"] == 8
        shutil.move("system.xml", "system.old")
        inferred = json.loads(run("describe", table.name, "--json").stdout)
        assert inferred["inferred"]["assumptions"] == [line.strip() for line in NOTE.splitlines()]
        for key in ("binary_options", "numeric_options", "alternative_groups", "valid_configurations"):
            assert inferred[key] == described[key]

    def test_text_round_trip(self, run: Run, table: Path) -> None:
        """A group of a column of text is written with its texts, and read from the same table."""
        table.write_text("preset,n,time\nvery fast,1,2.5\n-O2 <&>,2,3.5\n", encoding="utf-8")
        assert run("init", table.name, "--options", "preset,n", "-o", "system.xml").exit_code == 0
        system = read_variability_model(table.parent / "system.xml")
        found = read_measurements(table, system)
        assert system.alternative_groups == (("preset_O2", "preset_very_fast"),)
        assert found.configurations.value("preset_O2").tolist() == [0, 1]

    def test_folder(self, run: Run, table: Path) -> None:
        """Without a table it is the one of the folder, and splc.toml names options."""
        table.rename("measurements.csv")
        (table.parent / "splc.toml").write_text('options = ["time"]\nproperty = "threads"\n', encoding="utf-8")
        assert list(json.loads(run("init", "--json").stdout)["numeric_options"]) == ["time"]

    def test_standard_input(self, run: Run, table: Path) -> None:
        """The table can be standard input, also for commands that read it as measurements."""
        assert run("init", "-", stdin=TABLE).stdout.count("<configurationOption>") == 5
        table.unlink()
        assert run("describe", "-", stdin=TABLE).stdout == run("describe", "--measurements", "-", stdin=TABLE).stdout
        result = run("describe", "--measurements", "-", "--json", stdin=TABLE)
        assert json.loads(result.stdout)["measurements"]["configurations"] == 8


class TestExisting:
    def test_kinds_and_groups(self, run: Run, table: Path) -> None:
        """An option of another kind, and a missing group, are differences; the same description has none."""
        text = run("init", table.name).stdout
        (table.parent / "same.xml").write_text(text, encoding="utf-8")
        assert (
            "note: same.xml has the same options, values and groups"
            in run("init", table.name, "--system", "same.xml").stderr
        )
        changed = text.replace("<options>mode_slow</options>", "")
        (table.parent / "same.xml").write_text(changed.replace("mode_fast</options>", "cache</options>"))
        result = run("init", table.name, "--system", "same.xml", "--json")
        assert json.loads(result.stdout)["differences"] == [
            "the description has no alternative group mode_fast, mode_slow"
        ]


class TestRefused:
    def test_names_are_escaped(self, run: Run, table: Path) -> None:
        """Control characters in names do not reach the terminal."""
        table.write_text("a\x1b[31mred,n,time\n0,1,2.5\n1,2,3.5\n", encoding="utf-8")
        for arguments in (("describe", table.name), ("describe", table.name, "--tree", "3"), ("init", table.name)):
            result = run(*arguments)
            assert "\x1b" not in result.stdout + result.stderr
        assert result.stderr.startswith(r"table.csv: the name 'a\x1b[31mred' has a control character")

    @pytest.mark.parametrize("suffix", ["json", "log"])
    def test_other_options_of_a_model(self, refused: Callable[..., str], run: Run, table: Path, suffix: str) -> None:
        """A model of further options than the stated ones is one error with the --options to use."""
        rows = [f"{mode},{n},{n * factor + 1}.5" for mode, factor in (("x", 1), ("y", 9)) for n in range(1, 9)]
        table.write_text("\n".join(["host,n,time", *rows]), encoding="utf-8")
        named = ("--measurements", table.name)
        assert run("learn", *named, "--options", "host", *STEPWISE, "-o", f"model.{suffix}").exit_code == 0
        for command in (("optimize",), ("predict",), ("compare", f"model.{suffix}")):
            files = (f"model.{suffix}", table.name) if command == ("predict",) else (f"model.{suffix}",)
            message = refused(*command, *files, *named, "--options", "n")
            assert message.count("the model has options that are not inferred from table.csv: host") == 1
            assert message.endswith("    name them with --options n,host\n")
            assert "unknown" not in message
            assert run(*command, *files, *named, "--options", "n,host", "--json").exit_code == 0
        (table.parent / "formula.txt").write_text("1 + n + 8 * n * host_y\n", encoding="utf-8")
        assert refused("optimize", "formula.txt", *named).endswith("    name them with --options host\n")


class TestCommands:
    @pytest.mark.parametrize(
        "command",
        [
            ("learn", "--property", "solve_seconds", "--sampling", "random:20", *STEPWISE),
            ("sample", "--sampling", "random:5"),
            ("describe", "--json"),
        ],
    )
    def test_same_as_with_the_description(
        self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
    ) -> None:
        """Commands print the same without a description as with the one of the table, and state what they assume."""
        monkeypatch.chdir(tmp_path)
        shutil.copy(SMG2000 / "2d" / "measurements.csv", tmp_path)
        own = run(*command)
        assert own.exit_code == 0
        assert "note: measurements.csv: without a system description, its options are inferred" in own.stderr
        run("init", "--property", "solve_seconds", "-o", "system.xml")
        described = run(*command)
        assert "inferred" not in described.stderr
        if "--json" in command:
            first, second = json.loads(own.stdout), json.loads(described.stdout)
            assert first["measurements"] == second["measurements"]
        else:
            lines = [line for line in own.stdout.splitlines() if not line.startswith("time ")]
            assert lines == [line for line in described.stdout.splitlines() if not line.startswith("time ")]

    def test_every_command(self, run: Run, table: Path) -> None:
        """A model is learned, predicts, is optimised and compared, all without a description."""
        named = ("--measurements", table.name)
        assert run("learn", *named).exit_code == 0
        predicted = run("predict", "learned.log", table.name, *named, "--json")
        assert json.loads(predicted.stdout)["configurations"] == 8
        best = json.loads(run("optimize", "learned.log", *named, "--json").stdout)["configuration"]
        assert (best["mode_fast"], best["mode_slow"], best["threads"]) == (1, 0, 2)
        (table.parent / "expert.txt").write_text("10 * mode_slow + 20 / threads\n", encoding="utf-8")
        assert run("compare", "expert.txt", "learned.log", *named).exit_code == 0
        assert run("convert", table.name, "-o", "measurements.xml").exit_code == 0

    def test_ignored_columns(self, run: Run, table: Path) -> None:
        """Columns that count rows or are functions of options are not properties either."""
        rows = [line.split(",") for line in TABLE.splitlines()]
        text = "\n".join(",".join([str(at) if at else "id", *row]) for at, row in enumerate(rows))
        table.write_text(text, encoding="utf-8")
        found = json.loads(run("learn", "--measurements", table.name, *STEPWISE, "--json").stdout)
        assert found["learning_configurations"] == 8
        assert found["inferred"]["ignored"] == {"id": "it seems to count rows or repetitions"}
        message = run(
            "learn", "--measurements", table.name, "--options", "threads", "--ignore", "cache", *STEPWISE
        ).stderr
        assert "ignored: id (it seems to count rows or repetitions)" in message
        assert "ignored: cache" not in message

    def test_contexts(self, run: Run, table: Path) -> None:
        """Options are inferred from the rows of all values of a context, and one value can be selected."""
        header, *rows = TABLE.splitlines()
        lines = [f"version,{header}", *(f"v{1 + at % 2},{row}" for at, row in enumerate(rows))]
        table.write_text("\n".join(lines), encoding="utf-8")
        found = json.loads(run("describe", table.name, "--json").stdout)
        assert found["measurements"]["contexts"] == {"version": ["v1", "v2"]}
        message = run("learn", "--measurements", table.name).stderr
        assert "name it with --options version if it is an option, choose one with --where version=v1" in message
        message = run("learn", "--measurements", table.name, "--options", "threads").stderr
        assert "name it with --options threads,version if" in message
        result = run("learn", "--measurements", table.name, "--where", "version=v1", "--json")
        assert json.loads(result.stdout)["learning_configurations"] == 4


def test_study(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A study of a folder without a description infers the system and states what it assumes."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(SMG2000 / "1d" / "measurements.csv", tmp_path)
    (tmp_path / "study.toml").write_text('samplings = ["measured:30"]\nproperty = "solve_seconds"\n', encoding="utf-8")
    result = run("study", "study.toml")
    assert result.exit_code == 0, result.stderr
    assert "its options are inferred" in result.stderr
    assert run("study", "study.toml").exit_code == 0


class TestKeep:
    STATISTICS = "threads,cache,mean,median,max\n" + "".join(
        f"{n},{cache},{n * 1.7 + cache + 0.013 * at},{n * 1.6 + 0.017 * at},{n * 2.1 + 0.019 * at}\n"
        for at, (n, cache) in enumerate([(n, cache) for n in (1, 2, 4, 8) for cache in (0, 1)])
    )

    def test_roles_are_kept(self, run: Run, table: Path) -> None:
        """With the roles in splc.toml, commands in the folder give the same model from the same columns."""
        table.write_text(self.STATISTICS, encoding="utf-8")
        before = json.loads(run("learn", "table.csv", *STEPWISE, "--json").stdout)
        result = run("init", "table.csv", "--keep")
        assert result.exit_code == 0, result.output
        assert result.stdout == ""
        assert "roles of columns written to splc.toml" in result.stderr
        assert (table.parent / "splc.toml").read_text(encoding="utf-8") == (
            'system = "system.xml"\nmeasurements = "table.csv"\nproperty = "mean"\n'
            'options = ["cache", "threads"]\nignore = ["median", "max"]\n'
        )
        after = json.loads(run("learn", *STEPWISE, "--json").stdout)
        assert after["model"] == before["model"]
        # Without the description, the roles are the same, too.
        (table.parent / "splc.toml").write_text(
            (table.parent / "splc.toml").read_text(encoding="utf-8").split("\n", 1)[1], encoding="utf-8"
        )
        (table.parent / "system.xml").unlink()
        assert json.loads(run("learn", *STEPWISE, "--json").stdout)["model"] == before["model"]

    def test_other_settings_stay(self, run: Run, table: Path) -> None:
        """Keys that splc.toml has already are not overwritten."""
        file = table.parent / "splc.toml"
        file.write_text("[learning]\nterms = 3\n", encoding="utf-8")
        assert run("init", "table.csv", "--keep", "-o", "mine.xml").exit_code == 0
        kept = file.read_text(encoding="utf-8")
        assert kept.startswith('system = "mine.xml"\n')
        assert kept.endswith("\n\n[learning]\nterms = 3\n")
        (table.parent / "mine.xml").unlink()
        result = run("init", "table.csv", "--keep", "-o", "mine.xml")
        assert result.exit_code == 2
        assert "splc.toml: the file states system, measurements, property, options already" in result.stderr
        assert file.read_text(encoding="utf-8") == kept
        assert not (table.parent / "mine.xml").exists()

    def test_standard_input(self, run: Run, table: Path) -> None:
        """The roles of standard input cannot be kept."""
        result = run("init", "-", "--keep", stdin=TABLE)
        assert result.exit_code == 2
        assert "only the roles of a file can be kept" in result.stderr
