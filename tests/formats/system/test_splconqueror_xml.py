"""SPL Conqueror's XML of variability models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import InputError, OutputError
from splc.formats.system.read import read_variability_model
from splc.formats.system.splconqueror_xml import write_variability_model
from splc.system.clauses import clauses
from splc.system.options import BinaryOption, NumericOption, Presentation
from splc.system.variability import VariabilityModel
from tests.formats.conftest import SYSTEM
from tests.support.format_strategies import mutated, systems
from tests.support.golden_messages import check_calls
from tests.support.refusal import check_read_or_refused


def read(folder: Path, text: str) -> VariabilityModel:
    """Read a model from its text."""
    path = folder / "system.xml"
    path.write_text(text, encoding="utf-8")
    return read_variability_model(path)


def binary(*options: str) -> str:
    """Return a model of binary options: `name` or `name:<element>…`."""
    body = "\n".join(
        f"<configurationOption><name>{name}</name>{rest}</configurationOption>"
        for name, _, rest in (option.partition(":") for option in options)
    )
    return f'<vm name="m">\n<binaryOptions>\n{body}\n</binaryOptions>\n</vm>'


def numeric(elements: str, name: str = "x") -> str:
    """Return a model of one numeric option."""
    return (
        f'<vm name="m">\n<numericOptions>\n<configurationOption>\n<name>{name}</name>\n{elements}\n'
        "</configurationOption>\n</numericOptions>\n</vm>"
    )


def values(model: VariabilityModel) -> tuple[float, ...]:
    """Return the values of a model's only numeric option."""
    return model.numeric_options[0].values


class TestReading:
    def test_every_construct(self, system: VariabilityModel) -> None:
        """Options of both kinds, their relations, their presentation and constraints of all three kinds are read."""
        lookahead, fast, left, right = system.binary_options
        assert lookahead == BinaryOption("rc-lookahead", None, True, presentation=Presentation("look", "--", ""))
        assert fast == BinaryOption("fast", "rc-lookahead", True, implied=(("left", "right"),))
        assert left == BinaryOption("left", None, False, excluded=(("right",),))
        assert right.line == 20
        assert system.alternative_groups == (("left", "right"),)
        x, tile = system.numeric_options
        assert (x.values, x.step, x.maximum, x.optional) == ((1.0, 5.0, 9.0), "n + 4", 10.0, False)
        assert (tile.values, tile.deselected_flag, tile.step) == ((8.0, 16.0, 32.0), -1.0, None)
        boolean, non_boolean, mixed = system.constraints
        assert boolean.names == ("fast", "rc-lookahead")
        assert non_boolean.names == ("x", "tile-size")
        assert mixed in system.arithmetic_constraints
        assert (mixed.requires, mixed.negated) == ("all", True)
        assert system.notes == ()

    def test_an_alternative_group_at_top_level_is_one(self, tmp_path: Path) -> None:
        """Of README's xorOption1 and xorOption2, directly below the root, exactly one is selected."""
        group = "<excludedOptions><options>{}</options></excludedOptions><optional>False</optional>"
        model = read(tmp_path, binary("one:" + group.format("two"), "two:" + group.format("one")))
        rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        holds = np.all([clause.holds(rows) for clause in clauses(model)], axis=0)
        assert holds.tolist() == [False, True, True, False]

    def test_names_keep_their_characters_and_are_found_in_both_spellings(self, tmp_path: Path) -> None:
        """References may use the name of an option or SPL Conqueror's stripped form."""
        model = read(
            tmp_path,
            binary(
                "a-b",
                "c:<parent>ab</parent>",
                "d:<parent><option>a-b</option></parent><impliedOptions><o>ab</o><o>c|d-</o></impliedOptions>",
                "d-",
            ),
        )
        assert [option.parent for option in model.binary_options] == [None, "a-b", "a-b", None]
        assert model.binary_options[2].implied == (("a-b",), ("c", "d-"))
        other = read(tmp_path, binary("a-b", "c:<excludedOptions><o>ab</o></excludedOptions>"))
        assert other.binary_options[1].excluded == (("a-b",),)

    def test_the_name_of_the_readme(self, tmp_path: Path) -> None:
        """README's numericConstraints are non-boolean constraints."""
        renamed = SYSTEM.replace("nonBooleanConstraints", "numericConstraints")
        assert read(tmp_path, renamed) == read(tmp_path, SYSTEM)

    def test_constraints_over_the_switches_of_optional_numeric_options(self, tmp_path: Path) -> None:
        """SPL Conqueror's hidden options Enabledx and Disabledx, and the root, can be named in constraints."""
        text = SYSTEM.replace("!fast | rclookahead", "Enabledtilesize | !left | Disabledtile-size | !root")
        names = read(tmp_path, text).boolean_constraints[0].names
        assert names == ("Enabledtile-size", "left", "Disabledtile-size", "root")

    def test_notes(self, tmp_path: Path) -> None:
        """Elements without effect give notes with their lines: unknown elements, relations of numeric options."""
        text = numeric("<values>1;1;2</values>\n<excludedOptions><options>y</options></excludedOptions>\n<postFix/>")
        notes = read(tmp_path, text.replace("</vm>", "<remarks>hello</remarks></vm>")).notes
        assert len(notes) == 4
        assert any("line 7: the unknown element <postFix>" in note for note in notes)

    def test_legacy_elements_are_skipped(self, tmp_path: Path) -> None:
        """The obsolete elements children and defaultValue are ignored."""
        text = "a:<children><option>b</option></children><defaultValue>Selected</defaultValue>"
        model = read(tmp_path, binary(text, "b"))
        assert (model.names, model.notes) == (("a", "b"), ())


class TestProblems:
    def test_notes_on_parts_without_effect(self, tmp_path: Path) -> None:
        """Parts of the other kind of option, and what the root implies or excludes, have no effect, and a note each."""
        references = "<excludedOptions><options>b</options></excludedOptions>"
        system = read(tmp_path, binary("a:<minValue>1</minValue>", "b", f"root:{references}"))
        assert system.names == ("a", "b")
        assert list(system.notes) == [
            "line 3: a: <minValue> has no effect in a binary option",
            "line 5: what the root implies or excludes has no effect",
        ]
        system = read(tmp_path, numeric(f"<values>1;2</values>{references}"))
        assert values(system) == (1, 2)
        assert list(system.notes) == ["line 3: x: <excludedOptions> has no effect in a numeric option"]


class TestWriting:
    @given(systems())
    def test_reads_back_equal(self, tmp_path_factory: pytest.TempPathFactory, model: VariabilityModel) -> None:
        """A model that was written reads back equal."""
        path = tmp_path_factory.getbasetemp() / "written.xml"
        write_variability_model(model, path)
        again = read_variability_model(path)
        assert again == model
        assert again.notes == ()

    def test_everything_reads_back_equal(self, tmp_path: Path, system: VariabilityModel) -> None:
        """A system with every kind of element reads back equal, also compressed, and keeps its step functions."""
        path = tmp_path / "written.xml.gz"
        write_variability_model(system, path)
        assert read_variability_model(path) == system
        assert read_variability_model(path).numeric_options[0].step == "n + 4"

    def test_steps_that_do_not_give_the_values(self, tmp_path: Path) -> None:
        """If a step function does not give an option's values, the values are listed."""
        option = NumericOption("x", (1.0, 2.0, 7.0), step="n + 1")
        write_variability_model(VariabilityModel("m", (option,)), tmp_path / "m.xml")
        assert "<values>1;2;7</values>" in (tmp_path / "m.xml").read_text()

    def test_names_that_xml_cannot_represent(self, tmp_path: Path) -> None:
        """A name with a control character is an error, and no file is written."""
        model = VariabilityModel("m", (BinaryOption("a\x01b"),))
        with pytest.raises(OutputError):
            write_variability_model(model, tmp_path / "m.xml")
        assert not list(tmp_path.iterdir())


class TestDamagedFiles:
    def test_truncated_anywhere(self, tmp_path: Path) -> None:
        """A file that is truncated at any position is an error with its name."""
        data = SYSTEM.rstrip().encode()
        path = tmp_path / "m.xml"
        for length in range(0, len(data), 7):
            path.write_bytes(data[:length])
            with pytest.raises(InputError, match=r"m\.xml"):
                read_variability_model(path)

    @given(mutated(SYSTEM))
    def test_changed_anywhere(self, tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
        """Mutated files are read, or refused with an error of the error tree."""
        path = tmp_path_factory.getbasetemp() / "changed.xml"
        path.write_bytes(data)
        check_read_or_refused(lambda: read_variability_model(path).options)

    @given(st.binary(max_size=60))
    def test_any_bytes(self, tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
        """Bytes that are not XML are refused with an error of the error tree."""
        path = tmp_path_factory.getbasetemp() / "bytes.xml"
        path.write_bytes(data)
        with pytest.raises(InputError):
            read_variability_model(path)


def test_calls(tmp_path: Path) -> None:
    """Elements of descriptions mean what the golden file has."""

    def domain(elements: str) -> tuple[float, ...]:
        return values(read(tmp_path, numeric(elements)))

    def optional(text: str) -> list[bool]:
        return [each.optional for each in read(tmp_path, binary(f"a:<optional>{text}</optional>", "b")).binary_options]

    def mixed(attributes: str) -> tuple[str, bool]:
        section = f"<mixedConstraints><constraint {attributes}>a = 1</constraint></mixedConstraints>"
        constraint = read(tmp_path, binary("a").replace("</vm>", f"{section}</vm>")).arithmetic_constraints[0]
        return constraint.requires, constraint.negated

    check_calls("elements-of-systems", domain, optional, mixed)
