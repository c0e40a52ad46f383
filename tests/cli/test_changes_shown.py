"""Tables of changes, of effects and of call trees: their lines, and how many there are."""

from __future__ import annotations

import pytest

from comparison.changes import ModelChange, SetChange, TermChange
from splc.cli.printer import print_view
from splc.workflows.learn.effects import Change, view_of_influences
from splc.workflows.scale.tree import CallPath, CallTree, view_of_trees


@pytest.mark.parametrize(
    ("count", "rest"), [(5, None), (6, "1 more set of options"), (7, "2 more sets of options")], ids=str
)
def test_most_sets(capsys: pytest.CaptureFixture[str], count: int, rest: str | None) -> None:
    """Five changed sets are shown, and the number of the others."""
    sets = tuple(SetChange((f"x{at}",), 9.0 - at, (TermChange(f"x{at}", 1.0, 3.0, 20.0),)) for at in range(count))
    found = ModelChange("identity", 1.0, sets)
    print_view(view_of_influences("version", Change("v1", "v2", 9, None, None, False, 8.0, 26.0, found)))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2:7]] == [f"x{at}" for at in range(5)]
    assert lines[7:] == ([] if rest is None else [f"{rest} with smaller changes (--json)"])


def test_trees_are_separated(capsys: pytest.CaptureFixture[str]) -> None:
    """An empty line is between two metrics, and none before the first."""
    trees = [CallTree(metric, {"p": 4.0}, {"p": 2.0}, 0.0, ()) for metric in ("time", "visits")]
    print_view(view_of_trees(trees[:1], 5))
    one = capsys.readouterr().out
    print_view(view_of_trees(trees[1:], 5))
    other = capsys.readouterr().out
    print_view(view_of_trees(trees, 5))
    assert capsys.readouterr().out == f"{one}\n{other}"
    assert one.startswith("time at ")


def test_a_tree_is_below_an_empty_line(capsys: pytest.CaptureFixture[str]) -> None:
    """An empty line is above the tree and above the ranking; without calls inside others there is no tree."""
    shares = 50.0, 50.0
    paths = (
        CallPath("main", 0, 1.0, None, None, *shares, 2.0, 100.0),
        CallPath("main->f", 1, 1.0, None, None, *shares, 1.0, 50.0),
    )
    for count in (1, 2):
        print_view(view_of_trees([CallTree("time", {"p": 4.0}, {"p": 2.0}, 2.0, paths[:count])], 5))
        lines = capsys.readouterr().out.splitlines()
        headers = [at for at, line in enumerate(lines) if "call path" in line]
        assert len(headers) == count
        assert [lines[at - 1] for at in headers] == [""] * count
