"""Inference of systems from tables whose columns of options are named."""

from __future__ import annotations

from splc.formats.columns import ColumnChoice
from tests.support.inferred_tables import grid, inferred, kinds, rows


class TestNamedOptions:
    def test_others_are_inferred(self) -> None:
        """The named columns are options, wherever they are; the others are judged by the rules."""
        text = rows("a,b,c,time,size", [[*row, at % 3] for at, row in enumerate(grid((0, 1), (2, 3), (4, 5)))])
        found = inferred(text, options=("size", "a"))
        assert kinds(found.system) == {"a": None, "b": (2, 3), "c": (4, 5), "size": (0, 1, 2)}
        assert found.properties == ("time",)
        found = inferred(text, choice=ColumnChoice(options=("a",), ignore=("c",)))
        assert kinds(found.system) == {"a": None, "b": (2, 3), "size": (0, 1, 2)}

    def test_text_is_added(self) -> None:
        """Naming a column of text adds it to the inferred options; counters and functions are still ignored."""
        cells = [[*row[:3], 2 * row[1], "n", 1, row[3]] for row in grid(("x", "y", "z"), (1, 2, 3, 4), (0, 1))]
        found = inferred(rows("mode,n,fast,twice,note,rep,time", cells), options=("mode",))
        assert found.system.names == ("mode", "mode_x", "mode_y", "mode_z", "fast", "n")
        assert (found.properties, found.contexts, set(found.ignored)) == (("time",), ("note",), {"twice", "rep"})

    def test_text(self) -> None:
        """A column of text becomes an alternative group, whose members print its texts."""
        system = inferred(
            rows("preset,px,time", grid(("very fast", "slow", "-O2"), (2, 3))), options=("preset", "px")
        ).system
        assert system.alternative_groups == (("preset_O2", "preset_slow", "preset_very_fast"),)
        assert [option.presentation.output_string for option in system.binary_options] == [
            None,
            "-O2",
            "slow",
            "very fast",
        ]
        assert {option.parent for option in system.binary_options} == {None, "preset"}
        assert "preset" in system.mandatory

    def test_words_for_missing_values(self) -> None:
        """Words that mean a missing value of a property are texts of an option."""
        system = inferred(rows("cache,time", grid(("none", "unknown"))), options=("cache",)).system
        assert system.alternative_groups == (("cache_none", "cache_unknown"),)

    def test_names_of_children(self) -> None:
        """Children whose names would be the same, or the name of another column, have different ones."""
        system = inferred(rows("o,o_x,time", grid(("x", "-x", "+x"), (0, 1))), options=("o", "o_x")).system
        assert system.names == ("o", "o_x_2", "o_x_3", "o_x_4", "o_x")

    def test_named_property(self) -> None:
        """A column that would be an option is the property if it is named."""
        text = "px,n,time\n2,3,1.5\n3,4,1.6\n"
        assert "n" in inferred(text).system.names
        found = inferred(text, nfp="n")
        assert (found.system.names, found.properties[0]) == (("px",), "n")
