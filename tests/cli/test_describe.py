"""`splc describe`."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from splc.cli.show.tree import shown_values
from splc.errors import SpaceError
from tests.cli.conftest import MEASUREMENTS, SYSTEM, Run, description
from tests.support.real_data import real

LEFT = "<configurationOption><name>left</name><optional>True</optional>{}</configurationOption>\n"


def described(run: Run, *arguments: str) -> dict[str, Any]:
    """Return the JSON object."""
    result = run("describe", *arguments, "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


def findings(run: Run, folder: Path, text: str) -> list[tuple[str, list[str], int | None]]:
    """Return kind, options and line of what is suspicious about a system, leaving the text's own alone."""
    (folder / "system.xml").write_text(text, encoding="utf-8")
    return [
        (finding["kind"], finding["options"], finding["line"])
        for finding in described(run)["suspicious"]
        if finding["kind"] != "text"
    ]


class TestJson:
    def test_keys(self, run: Run, folder: Path) -> None:
        """The keys that scripts rely on are there; root is not listed."""
        found = described(run)
        assert found["schema"] == "splc.describe/1"
        assert found["name"] == "small"
        assert found["binary_options"] == ["cache", "left", "right"]
        assert found["numeric_options"] == ["x"]
        assert found["constraints"] == 1
        assert found["valid_configurations"] == 9
        assert found["alternative_groups"] == [["left", "right"]]
        assert found["options"][0]["selected_in"] == 3
        assert found["options"][3]["values"] == [1, 2, 4]
        assert found["constraint_texts"] == [{"kind": "boolean", "text": "!cache | left", "line": 12}]
        assert found["suspicious"] == []

    @pytest.mark.parametrize(
        ("system", "binary", "numeric", "constraints", "valid"),
        [
            ("LLVM/FeatureModel.xml", 11, 0, 0, 1024),
            ("x264/FeatureModel.xml", 16, 0, 0, 1152),
            ("Dune/FeatureModel.xml", 31, 0, 0, 2304),
            ("exastencils/FeatureModel.xml", 5, 6, 6, 86058),
            ("splc_examples/VariabilityModel.xml", 4, 2, 2, 24),
        ],
    )
    def test_real_systems(self, run: Run, system: str, binary: int, numeric: int, constraints: int, valid: int) -> None:
        """The published systems have their published numbers of options and valid configurations."""
        found = described(run, str(real(system)))
        counted = (len(found["binary_options"]), len(found["numeric_options"]), found["constraints"])
        assert counted == (binary, numeric, constraints)
        assert found["valid_configurations"] == valid

    def test_large_numbers_are_exact(self, run: Run, folder: Path) -> None:
        """2^100 valid configurations are an exact integer, and no problem for the table either."""
        options = "".join(
            f"<configurationOption><name>o{i}</name><optional>True</optional></configurationOption>" for i in range(99)
        )
        (folder / "system.xml").write_text(description(options), encoding="utf-8")
        assert described(run)["valid_configurations"] == 2**100
        assert f"valid configurations: {2**100:,}\n" in run("describe").stdout


class TestSuspicious:
    def test_dead_and_always_selected(self, run: Run, folder: Path) -> None:
        """Options that no valid configuration has, or all have without saying so, are found with their lines."""
        constraints = "<constraint>!left</constraint><constraint>cache</constraint>"
        assert findings(run, folder, description(LEFT.format(""), constraints)) == [
            ("always selected", ["cache"], 1),
            ("dead option", ["left"], 2),
        ]

    def test_declared_mandatory_is_not_suspicious(self, run: Run, folder: Path) -> None:
        """An option that is declared mandatory is always selected and not worth a word."""
        assert findings(run, folder, description(LEFT.format("").replace("True", "False"))) == []

    def test_constraints_that_never_bind(self, run: Run, folder: Path) -> None:
        """Constraints that the others make superfluous are found."""
        constraints = "<constraint>!left | cache</constraint>\n<constraint>cache | left | !cache</constraint>"
        found = findings(run, folder, description(LEFT.format("<parent>cache</parent>"), constraints))
        assert found == [
            ("constraint never binds", ["left", "cache"], 5),
            ("constraint never binds", ["cache", "left"], 6),
        ]

    def test_unused_values(self, run: Run, folder: Path) -> None:
        """Values of numeric options that no valid configuration has are listed."""
        numeric = "<configurationOption><name>x</name><values>1;2;3</values></configurationOption>"
        text = description(numeric=numeric).replace(
            "</vm>", "<nonBooleanConstraints><constraint>x &lt;= 1</constraint></nonBooleanConstraints></vm>"
        )
        assert findings(run, folder, text) == [("unused values", ["x"], 3)]
        assert "x never has any of the values 2, 3" in run("describe").stdout

    def test_optional_numeric_options(self, run: Run, folder: Path) -> None:
        """An optional numeric option that is always or never deselected is found."""
        numeric = "".join(
            f"<configurationOption><name>{name}</name><values>1;2</values><deselectedFlag>-1</deselectedFlag>"
            "</configurationOption>\n"
            for name in "xy"
        )
        constraints = "<constraint>!x</constraint><constraint>Enabledy</constraint>"
        assert findings(run, folder, description(constraints=constraints, numeric=numeric)) == [
            ("dead option", ["x"], 3),
            ("always selected", ["y"], 4),
        ]

    def test_what_the_text_alone_shows(self, run: Run, folder: Path) -> None:
        """Problems that only the text of the description shows are listed, too."""
        constraints = "<constraint>cache | !cache</constraint>"
        (folder / "system.xml").write_text(description(constraints=constraints), encoding="utf-8")
        assert any(finding["kind"] == "text" for finding in described(run)["suspicious"])


class TestText:
    def test_everything_is_shown(self, run: Run, folder: Path) -> None:
        """The output shows options, groups, constraints, the count and measurements; piped, it is plain text."""
        result = run("describe")
        assert result.exit_code == 0
        assert result.stderr == ""
        assert result.stdout == (
            "small: 3 binary options, 1 numeric option, 1 constraint\n"
            "valid configurations: 9\n"
            "\nBinary options\n"
            "option  kind         selected in\n"
            "cache   optional          33.3 %\n"
            "left    alternative       66.7 %\n"
            "right   alternative       33.3 %\n"
            "\nNumeric options\n"
            "option  values   number\n"
            "x       1, 2, 4       3\n"
            "\nAlternative groups (exactly one is selected if the parent is)\n"
            "  left, right\n"
            "\nConstraints\n"
            "line  kind     constraint\n"
            "  12  boolean  !cache | left\n"
            "\nMeasurements: measurements.csv, 9 of 9 valid configurations, 10 rows\n"
            "property  from  to  configurations  repetitions  scatter\n"
            "time         1  14               9  1 to 2        70.7 %\n"
            "energy      10  40               9  1 to 2           0 %\n"
            "scatter: median of the relative standard deviations of the repetitions of a configuration\n"
        )

    def test_brackets_are_no_markup(self, run: Run, folder: Path) -> None:
        """A name with brackets is shown as it is."""
        (folder / "system.xml").write_text(SYSTEM.replace("cache", "a[bold]b"), encoding="utf-8")
        assert "a[bold]b" in run("describe").stdout

    def test_too_entangled_to_count(self, run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A space that cannot be counted is described all the same, and it is said why."""

        def refuse(_: object) -> None:
            raise SpaceError("too entangled")

        monkeypatch.setattr("sampling.space.space.Space.require_valid", refuse)
        result = run("describe")
        assert result.exit_code == 0
        assert "valid configurations: not counted" in result.stdout
        assert "too entangled" in result.stderr
        assert described(run)["valid_configurations"] is None

    def test_long_lists_of_values(self) -> None:
        """Of many values the first ones and the last are shown."""
        from splc.system.options import NumericOption

        option = NumericOption("x", tuple(float(i) for i in range(20)))
        assert shown_values(option) == "0, 1, 2, 3, 4, …, 19"
        assert shown_values(NumericOption("x", option.values[:8])) == "0, 1, 2, 3, 4, …, 7"
        assert shown_values(NumericOption("x", option.values[:7])) == "0, 1, 2, 3, 4, 5, 6"


class TestInputs:
    def test_a_file_or_a_folder(self, run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The system is given as a file, a folder, an option or on standard input, or lies in the current folder."""
        everything = run("describe").stdout
        here, _, measured = everything.partition("\nMeasurements: ")
        monkeypatch.chdir(folder.parent)
        with monkeypatch.context() as patch:
            patch.chdir(folder)
            assert run("describe", "system.xml").stdout == here
        assert run("describe", str(folder)).stdout == f"{here}\nMeasurements: {folder}/{measured}"
        assert run("describe", f"{folder.name}/system.xml").stdout == here
        assert run("describe", "--system", f"{folder.name}/system.xml").stdout == here
        assert run("describe", "-", stdin=SYSTEM).stdout == here

    def test_a_table_in_a_folder_with_a_description(self, run: Run, folder: Path) -> None:
        """A note says that the options are those of the description, unless no table is described or they are not."""
        note = "note: the options are those of system.xml; --system table.csv infers them from the table\n"
        (folder / "table.csv").write_text(MEASUREMENTS)
        assert note in run("describe", "table.csv").stderr
        assert note in run("describe", "--measurements", "table.csv").stderr
        assert note not in run("describe").stderr
        assert note not in run("describe", "system.xml", "--measurements", "table.csv").stderr
        for measurements in ((), ("--measurements", "table.csv")):
            inferred = run("describe", "--system", "table.csv", *measurements)
            assert "its options are inferred" in inferred.stderr
            assert note not in inferred.stderr
        (folder / "system.xml").unlink()
        assert "the options are those of" not in run("describe", "table.csv").stderr

    def test_a_wrong_project_file_does_not_concern_a_named_system(self, run: Run, folder: Path) -> None:
        """If the system is named, splc.toml is not read."""
        (folder / "splc.toml").write_text("nonsense", encoding="utf-8")
        assert run("describe", "system.xml").exit_code == 0
        assert run("describe").exit_code == 2

    def test_twice(self, refused: Callable[..., str], folder: Path) -> None:
        """An argument and --system at once is a usage error."""
        assert "given twice" in refused("describe", "system.xml", "--system", "system.xml")


BOMB = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 10))
STEP = (
    "<configurationOption><name>x</name><minValue>{}</minValue><maxValue>4</maxValue>"
    "<stepFunction>{}</stepFunction></configurationOption>"
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (SYSTEM[:300], "system.xml:5"),
        (f'<!DOCTYPE vm [<!ENTITY e0 "ha">{BOMB}]>\n' + SYSTEM.replace("small", "&e9;"), "system.xml:1"),
        ('<!DOCTYPE vm [\n<!ENTITY e SYSTEM "file:///etc/passwd">]>\n' + SYSTEM, "system.xml:2"),
        (description(numeric=STEP.format(1, "x - 1")), "system.xml:3"),
        (description(numeric=STEP.format(9, "x + 1")), "system.xml:3"),
        (description(constraints="\n<constraint>cache | nothing</constraint>"), "system.xml:5"),
        (description(constraints="<constraint>cache</constraint>\n<constraint>!cache</constraint>"), "system.xml:"),
        (SYSTEM.replace("vm", "results"), "no system description"),
        (SYSTEM.replace("<name>right", "<name>left"), "system.xml:6"),
        ("", "no system description"),
    ],
    ids=[
        "truncated",
        "entity bomb",
        "external entity",
        "negative step",
        "min above max",
        "unknown option",
        "no valid configuration",
        "measurements",
        "duplicate name",
        "empty",
    ],
)
def test_bad_systems(refused: Callable[..., str], empty: Path, text: str, line: str) -> None:
    """A wrong system description is refused with its line; nothing is written."""
    folder = empty
    (folder / "system.xml").write_text(text, encoding="utf-8")
    before = sorted(folder.iterdir())
    assert line in refused("describe")
    refused("describe", "system.xml", "--json")
    assert sorted(folder.iterdir()) == before


class TestMeasurements:
    def test_json(self, run: Run, folder: Path) -> None:
        """The JSON object has the measurements, and null without any."""
        found = described(run)["measurements"]
        time = {"name": "time", "minimum": 1, "maximum": 14, "configurations": 9, "values": 10, "repetitions": [1, 2]}
        assert (found["source"], found["configurations"], found["rows"], found["contexts"]) == (
            "measurements.csv",
            9,
            10,
            {},
        )
        assert time.items() <= found["properties"][0].items()
        assert found["properties"][0]["scatter"] == pytest.approx(100 * 2**0.5 / 2)
        assert found["properties"][1]["drift"] is None
        (folder / "measurements.csv").unlink()
        assert described(run)["measurements"] is None

    def test_contexts(self, run: Run, folder: Path) -> None:
        """Contexts are listed with their values; rows that differ in them are no repetitions. Dates are left out."""
        header, *rows = MEASUREMENTS.splitlines()
        lines = [f"version,date,{header}"]
        lines += [f"v{version},{version}/{at} d,{row}" for version in (2, 10) for at, row in enumerate(rows)]
        (folder / "measurements.csv").write_text("\n".join(lines), encoding="utf-8")
        found = described(run)["measurements"]
        assert found["contexts"]["version"] == ["v2", "v10"]
        assert (found["configurations"], found["rows"]) == (9, 20)
        assert found["properties"][0]["repetitions"] == [1, 1]
        assert "  context version: 2 values ('v2', 'v10')\n" in run("describe").stdout
        many = [f"{version},{version}d{at},{row}" for version in ("v2", "v10") for at, row in enumerate(rows * 3)]
        (folder / "measurements.csv").write_text("\n".join([f"version,date,{header}", *many]), encoding="utf-8")
        assert list(described(run)["measurements"]["contexts"]) == ["version"]

    def test_selected_rows(self, run: Run, folder: Path) -> None:
        """Rows of one value of a context are summarised alone."""
        header, *rows = MEASUREMENTS.splitlines()
        lines = [f"version,{header}", *(f"v{at % 2},{row}" for at, row in enumerate(rows))]
        (folder / "measurements.csv").write_text("\n".join(lines), encoding="utf-8")
        assert described(run, "--where", "version=v0")["measurements"]["rows"] == 5

    def test_measurements_that_do_not_fit(self, run: Run, folder: Path) -> None:
        """The description is printed all the same; it is an error only if the measurements are named."""
        (folder / "measurements.csv").write_text(MEASUREMENTS.replace("1,1,0,4", "1,1,1,4"), encoding="utf-8")
        found = run("describe")
        assert found.exit_code == 0
        assert "warning: the measurements do not fit and are left out\n    measurements.csv:11: " in found.stderr
        named = run("describe", "--measurements", "measurements.csv")
        assert named.exit_code == 2
        assert named.stdout == found.stdout
        assert described(run, "--invalid", "drop")["measurements"]["configurations"] == 8

    def test_drift(self, run: Run, folder: Path) -> None:
        """A drift over time is printed if it is significant, and not otherwise."""
        configurations = [row.rsplit(",", 2)[0] for row in MEASUREMENTS.splitlines()[1:] if "3" not in row]
        lines = [
            f"{configuration},{(7 + at) * (1 + 0.01 * run_number)},{(7 + at) * (1 + 0.01 * (run_number * 7 % 5))}"
            for run_number in range(5)
            for at, configuration in enumerate(configurations)
        ]
        text = "\n".join([MEASUREMENTS.splitlines()[0], *lines])
        (folder / "measurements.csv").write_text(text, encoding="utf-8")
        shown = run("describe").stdout
        assert "drift of time: later repetitions are greater in 100 % of pairs, the last one by +4 % in" in shown
        assert "drift of energy" not in shown

    @pytest.mark.parametrize("system", ["x264", "LLVM", "Dune"])
    def test_real_systems(self, run: Run, system: str) -> None:
        """All valid configurations of the measured systems are counted."""
        found = described(
            run, str(real(system, "FeatureModel.xml")), "--measurements", str(real(system, "measurements.xml"))
        )
        assert found["measurements"]["configurations"] == found["valid_configurations"]


class TestTree:
    def test_small(self, run: Run, folder: Path) -> None:
        """The tree has a line per option, and one per alternative group."""
        shown = run("describe", "--tree").stdout
        assert "\nsmall\n  one of 2: left, right\n  cache (optional)\n  x: 1, 2, 4\n" in shown
        assert "Alternative groups" not in shown
        assert "!cache | left" in shown

    def test_depth(self, run: Run, folder: Path) -> None:
        """Options below the depth are counted."""
        names = ["cache", "a", "b", "c", "d"]
        options = "".join(
            LEFT.replace("left", own).format(f"<parent>{above}</parent>") for above, own in pairwise(names)
        )
        (folder / "system.xml").write_text(description(options), encoding="utf-8")
        lines = run("describe", "--tree", "--depth", "2").stdout.splitlines()
        assert lines[3:7] == ["small", "  cache (optional)", "    a (optional)", "      … 3 options below"]

    def test_long_lists(self, run: Run, folder: Path) -> None:
        """Many options side by side are one line, groups of many members too."""
        options = "".join(LEFT.replace("left", f"o{at}").format("") for at in range(999))
        (folder / "system.xml").write_text(description(options), encoding="utf-8")
        lines = run("describe", "--tree").stdout.splitlines()
        assert lines[4] == "  1,000 optional options: cache, o0, o1, o2, o3, o4, …"
