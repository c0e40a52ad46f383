"""`splc sample`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from splc import read_variability_model
from splc.formats.measurements.configurations_csv import read_configurations
from tests.cli.conftest import SYSTEM, Run, description

Refused = Callable[..., str]
ALL = "cache,left,right,x\n" + "".join(
    f"{cache},{left},{1 - left},{x}\n" for cache, left in ((0, 0), (0, 1), (1, 1)) for x in (1, 2, 4)
)


class TestTables:
    def test_to_standard_output(self, run: Run, folder: Path) -> None:
        """The configurations are a CSV table on stdout; notes are on stderr."""
        result = run("sample", "--sampling", "ff")
        assert result.exit_code == 0
        assert result.stdout == ALL
        assert result.stderr == "note: no binary sampling is given: all valid binary parts are taken (all)\n"

    def test_to_a_file(self, run: Run, folder: Path) -> None:
        """With `-o` they are in the file, which the readers understand, and stdout is empty."""
        result = run("sample", "--sampling", "all+ff", "-o", "s.csv")
        assert result.exit_code == 0
        assert result.stdout == ""
        assert result.stderr == "note: 9 configurations written to s.csv\n"
        assert (folder / "s.csv").read_text(encoding="utf-8") == ALL
        assert len(read_configurations("s.csv", read_variability_model("system.xml"))) == 9
        assert run("sample", "--sampling", "all+ff", "-o", "-").stdout == ALL

    def test_parts(self, run: Run, folder: Path) -> None:
        """`--binary` and `--numeric` say the same as a joined spec."""
        joined = run("sample", "--sampling", "pairwise+random:2")
        apart = run("sample", "--binary", "pairwise", "--numeric", "random:2")
        assert joined.stdout == apart.stdout
        assert len(joined.stdout.splitlines()) > 2

    def test_seeds(self, run: Run, folder: Path) -> None:
        """The same seed gives the same bytes, also when the spec itself says it, and 0 is the default."""
        drawn = {seed: run("sample", "--sampling", "random:4", "--seed", str(seed)).stdout for seed in range(5)}
        assert len(set(drawn.values())) > 1
        assert drawn[0] == run("sample", "--sampling", "random:4").stdout
        assert drawn[3] == run("sample", "--sampling", "random:4,seed=3", "--seed", "1").stdout

    def test_what_constraints_removed(self, run: Run, folder: Path) -> None:
        """The number of configurations that the constraints exclude is printed to stderr."""
        text = SYSTEM.replace(
            "</vm>", "<nonBooleanConstraints><constraint>x * cache != 4</constraint></nonBooleanConstraints></vm>"
        )
        (folder / "system.xml").write_text(text, encoding="utf-8")
        result = run("sample", "--sampling", "all+ff")
        assert len(result.stdout.splitlines()) == 9
        assert "exclude 1 of the 9" in result.stderr

    def test_measured(self, run: Run, refused: Refused, folder: Path) -> None:
        """`measured` is what was measured; invalid rows are a matter of policy, no measurements an error."""
        assert len(run("sample", "--sampling", "measured").stdout.splitlines()) == 10
        with (folder / "measurements.csv").open("a", encoding="utf-8") as file:
            file.write("1,0,1,1,1,1\n")
        assert "measurements.csv:12: " in refused("sample", "--sampling", "measured")
        result = run("sample", "--sampling", "measured", "--invalid", "drop")
        assert len(result.stdout.splitlines()) == 10
        assert "1 of 11 rows dropped" in result.stderr
        (folder / "measurements.csv").unlink()
        assert "no measurements" in refused("sample", "--sampling", "measured")


class TestCommandLines:
    def test_as_printconfigs(self, run: Run, folder: Path) -> None:
        """With `--command` every configuration is a line: prefix, names and values, output strings, postfix."""
        arguments = ("sample", "--sampling", "all+ff", "--command", "--prefix", "run", "--postfix", "> out")
        lines = run(*arguments).stdout.splitlines()
        assert len(lines) == 9
        assert lines[0] == 'run "root%;%right%;%x;1%;%" 1 > out'
        assert run(*arguments, "-o", "lines.txt").stdout == ""
        assert (folder / "lines.txt").read_text(encoding="utf-8").splitlines() == lines

    def test_prefix_without_command(self, refused: Refused, folder: Path) -> None:
        """A prefix makes no sense for a table."""
        assert "--command" in refused("sample", "--sampling", "ff", "--prefix", "a")


class TestJson:
    def test_with_rows(self, run: Run, folder: Path) -> None:
        """Without a file the object holds the configurations, a deselected option as null."""
        numeric = (
            "<configurationOption><name>y</name><values>7</values><deselectedFlag>-1</deselectedFlag>"
            "</configurationOption>"
        )
        (folder / "system.xml").write_text(description(numeric=numeric), encoding="utf-8")
        found = json.loads(run("sample", "--sampling", "all+ff", "--json", "--seed", "7").stdout)
        rows = found.pop("rows")
        assert found == {
            "schema": "splc.sample/1",
            "sampling": "all+ff",
            "seed": 7,
            "configurations": 4,
            "removed": 0,
            "notes": [],
            "output": None,
        }
        assert {(row["cache"], row["y"]) for row in rows} == {(0, 7), (0, None), (1, 7), (1, None)}

    def test_with_a_file(self, run: Run, folder: Path) -> None:
        """With a file the object is a summary."""
        found = json.loads(run("sample", "--sampling", "ff", "--json", "-o", "s.csv").stdout)
        assert found["configurations"] == 9
        assert found["output"] == "s.csv"
        assert len(found["notes"]) == 1
        assert "rows" not in found
        assert (folder / "s.csv").exists()

    def test_command_lines(self, run: Run, folder: Path) -> None:
        """Command lines can be had as JSON, too."""
        found = json.loads(run("sample", "--sampling", "all+ff", "--json", "--command").stdout)
        assert len(found["commands"]) == 9


class TestErrors:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ([], "no sampling is given\n    known are"),
            (["--sampling", "pb"], "pb"),
            (["--sampling", "pb:10,3"], "pb:10,3"),
            (["--sampling", "pairwse"], "unknown sampling 'pairwse'; did you mean 'pairwise'?\n    known are"),
            (["--sampling", "random:10"], "only 9 are valid"),
            (["--sampling", "ff+cci"], "both parts are numeric"),
            (["--sampling", "ff", "--binary", "all"], "given twice"),
            (["--binary", "ff"], "unknown binary sampling 'ff'"),
            (["--sampling", "ff", "--system", "nowhere.xml"], "nowhere.xml: there is no such file"),
            (["--sampling", "ff", "-o", "nowhere/s.csv"], "nowhere/s.csv: cannot be written"),
            (["--sampling", "ff", "-o", "nowhere/s.csv", "--json"], "nowhere/s.csv: cannot be written"),
            (["--sampling", "ff", "-o", "."], "this is a folder"),
            (["--sampling", "random:1000000000"], "1,000,000,000 configurations are too many (the limit is 1,000,000)"),
            (["--sampling", "random:1,from=nowhere.csv"], "nowhere.csv: there is no such file"),
            (["--sampling", "ff[y]"], "ff[y]: 'y' is not a numeric option of"),
        ],
    )
    def test_wrong_arguments(self, refused: Refused, folder: Path, arguments: list[str], message: str) -> None:
        """A wrong sampling is refused with the known ones, an output that cannot be written with its name."""
        before = sorted(folder.iterdir())
        assert message in refused("sample", *arguments)
        assert sorted(folder.iterdir()) == before

    def test_a_population_is_not_overwritten(self, run: Run, refused: Refused, folder: Path) -> None:
        """The file that a sample is drawn from stays as it is."""
        run("sample", "--sampling", "all+ff", "-o", "all.csv")
        before = (folder / "all.csv").read_text(encoding="utf-8")
        sampling = "random:2,compat,from=all.csv"
        assert "all.csv" in refused("sample", "--sampling", sampling, "-o", "all.csv")
        assert (folder / "all.csv").read_text(encoding="utf-8") == before
        assert run("sample", "--sampling", sampling).stdout.count("\n") == 3

    def test_no_valid_configuration(self, refused: Refused, folder: Path) -> None:
        """A system without any valid configuration is refused, and nothing is written."""
        constraints = "<constraint>cache</constraint><constraint>!cache</constraint>"
        (folder / "system.xml").write_text(description(constraints=constraints), encoding="utf-8")
        for sampling in ("all", "random:1", "pairwise"):
            assert "no valid configuration" in refused("sample", "--sampling", sampling, "-o", "s.csv")
        assert not (folder / "s.csv").exists()

    def test_two_results_on_standard_output(self, refused: Refused) -> None:
        """The table and the JSON object are not mixed."""
        assert "has the JSON object already" in refused("sample", "--sampling", "ff", "-o", "-", "--json")

    def test_an_existing_file_is_kept(self, refused: Refused, folder: Path) -> None:
        """A failed sampling does not change an existing output."""
        (folder / "s.csv").write_text("precious", encoding="utf-8")
        refused("sample", "--sampling", "random:10", "-o", "s.csv")
        assert (folder / "s.csv").read_text(encoding="utf-8") == "precious"

    def test_a_constraint_that_cannot_be_counted(self, refused: Refused, folder: Path) -> None:
        """A constraint over too many combinations of values is an error with file and line of the description."""
        numeric = "".join(
            f"<configurationOption><name>x{i}</name><minValue>1</minValue><maxValue>200</maxValue>"
            "<stepFunction>n + 1</stepFunction></configurationOption>"
            for i in range(6)
        )
        product = "\n<nonBooleanConstraints><constraint>x0*x1*x2*x3*x4*x5 = 5000</constraint></nonBooleanConstraints>"
        text = description(numeric=numeric).replace("</vm>", f"{product}</vm>")
        (folder / "system.xml").write_text(text, encoding="utf-8")
        (folder / "model.txt").write_text("x0 + x1", encoding="utf-8")
        (folder / "measurements.csv").unlink(missing_ok=True)
        for command in (("sample", "--sampling", "random:3"), ("optimize", "model.txt")):
            assert "\nsystem.xml:5: the constraint 'x0*x1*x2*x3*x4*x5 = 5000' has too many" in "\n" + refused(*command)
