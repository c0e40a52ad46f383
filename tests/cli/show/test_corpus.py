"""Tables, printed lines and JSON of recomputed logs, from errors with given numbers."""

from __future__ import annotations

from typing import Any

import pytest

from splc.cli.show import corpus
from splc.io.tables import Spread
from splc.splconqueror.corpus.corpus import Cell
from splc.splconqueror.corpus.learnings import Failure, Recomputed
from splc.splconqueror.corpus.relearn import Relearned
from tests.cli.show.conftest import Printed
from tests.support.objects import of
from tests.support.schemas import content_of

LEARNING = Recomputed(
    "a.log", 2, "s", ("pw", "pb 9 3"), 12, 7, 1.0, 2.0, 3.0, 4.0, 5, 6, 1, "pairwise", rules={"all values": 5}
)
CELLS = (
    Cell("s", "pairwise", 12, 3, 7.5, 1.0, 2.0, 0.5, 3.0, 4.0, 5),
    Cell("s", "random", 9, 1, 7.0, 1.0, 6.0, None, 3.0, 4.0, 0),
    Cell("s", "random", None, 1, 7.0, 1.0, 6.0, None, 3.0, 4.0, 0),
    Cell("t", "random", 9, 1, 7.0, 1.0, None, None, 3.0, 4.0, 0),
)
PAIR: Any = of(first="pairwise", second="random", p_value=0.01, a12=0.75, magnitude="large")
TEST: Any = of(
    medians={"pairwise": 2.0, "random": 3.0},
    pairs=(PAIR,),
    sizes={"pairwise": 1, "random": 2},
    statistic=4.0,
    p_value=0.02,
    correction="Holm",
)


def result(**values: Any) -> Any:
    """Return recomputed logs."""
    learnings = values.get("learnings", (LEARNING,))
    known = {
        "request": of(root="logs", systems="systems", relearn=any(each.relearned for each in learnings)),
        "logs": 3,
        "learnings": learnings,
        "differing": sum(each.differing for each in learnings),
        "switches": ("b.log",),
        "failures": (Failure("c.log", "why"),),
        "stopped": False,
        "cells": CELLS,
        "tests": (of(system="s", size=12, test=TEST),),
        "notes": ("note: a",),
        "rules": {"all values": 5},
        "not_relearned": 0,
    }
    return of(**{**known, **values})


def test_tables() -> None:
    """Each table has its columns in order."""
    errors, tests, pairs, logs, failures = corpus.tables_of(result(), ("errors", "tests", "pairs", "logs", "failures"))
    assert errors.columns == (
        *("system", "strategy", "size", "learnings", "rounds", "stated", "recomputed"),
        *("best stated", "best recomputed", "differ"),
    )
    assert errors.rows[0] == ("s", "pairwise", 12, 3, 7.5, 1.0, Spread(2.0, 0.5, relative=False), 3.0, 4.0, 5)
    assert errors.rows[1] == ("s", "random", 9, 1, 7.0, 1.0, 6.0, 3.0, 4.0, 0)
    assert tests.rows == (("s", 12, 2, 4.0, 0.02, "1 of 1", "pairwise", 2.0),)
    assert pairs.columns == ("system", "size", "first", "second", "Dunn p", "A12", "effect")
    assert pairs.rows == (("s", 12, "pairwise", "random", 0.01, 0.75, "large"),)
    assert pairs.caption is not None
    assert "p is corrected (Holm)" in pairs.caption
    assert corpus.pairs_table(result(tests=())).rows == ()
    assert logs.columns == (
        *("file", "learning", "system", "strategy", "sampling", "size", "rounds", "stated", "recomputed"),
        *("best stated", "best recomputed", "best round", "checked", "differ", "rule"),
    )
    assert logs.rows == (("a.log", 2, "s", "pairwise", "pw; pb 9 3", 12, 7, 1.0, 2.0, 3.0, 4.0, 5, 6, 1, "all values"),)
    assert failures.columns == ("file", "reason")
    assert failures.rows == (("c.log", "why"),)


SUMMARY = [
    "3 logs, 1 learning: 5 of 6 stated errors recomputed, 1 differ",
    "1 log without a learning: their scripts continue in other logs",
]


def test_text(printed: Printed) -> None:
    """Tables are separated by empty lines, and a summary follows."""
    found = result()
    corpus.show(found, corpus.tables_of(found, ("tests", "failures")), "text")
    assert printed() == [
        "Strategies compared by the recomputed errors of the last round",
        "system  size  strategies  Kruskal-Wallis H     p  pairs p < 0.05  least median  median",
        "s         12           2                 4  0.02  1 of 1          pairwise           2",
        "",
        "Not recomputed",
        "file   reason",
        "c.log  why",
        "",
        *SUMMARY,
    ]
    one = LEARNING.__class__(**{**vars(LEARNING), "checked": 1, "differing": 0})
    found = result(logs=1, learnings=(one, one), switches=(), failures=())
    corpus.show(found, corpus.tables_of(found, ("failures",)), "text")
    assert printed() == ["1 log, 2 learnings: 2 of 2 stated errors recomputed, 0 differ"]


def test_learned_again(printed: Printed) -> None:
    """Learnings that were learned again have a table, a line of the summary, and an object."""
    known: dict[str, Any] = {"rounds": 3, "equal": 3, "sample": "random:5", "reason": ""}
    again = (Relearned(**known), Relearned(3, 1, "s", "round 2: why"), Relearned(3, reason="unknown"))
    learnings = tuple(LEARNING.__class__(**{**vars(LEARNING), "relearned": each}) for each in again)
    found = result(learnings=learnings, not_relearned=1, rules={"all values": 5, "evaluation set": 2})
    [table] = corpus.tables_of(found, ("relearned",))
    assert table.columns == ("file", "learning", "rounds", "equal", "sample", "result")
    assert table.rows[1] == ("a.log", 2, 3, 1, "s", "round 2: why")
    corpus.show(found, (), "text")
    lines = printed()
    assert "right by the rule: all values 5, evaluation set 2" in lines
    assert "1 of 3 learnings relearned with equal rounds, 1 differ, the samples of 1 cannot be drawn again" in lines
    assert corpus.as_json(found)["relearned"][0] == {"file": "a.log", "learning": 2, **known}


def test_many_rows(printed: Printed) -> None:
    """20 failures are listed in the text, and all rows of other tables."""
    for count, more in ((20, []), (22, ["… and 2 more (--table failures --csv)"])):
        found = result(failures=tuple(Failure(f"f{at}", "r") for at in range(count)), learnings=(LEARNING,) * 25)
        corpus.show(found, corpus.tables_of(found, ("failures",)), "text")
        lines = printed()
        assert lines[21] == "f19   r"
        assert lines[22:-3] == more
        corpus.show(found, corpus.tables_of(found, ("logs",)), "text")
        assert len(printed()) == 1 + 25 + 3


@pytest.mark.parametrize("form", ["csv", "markdown", "latex"])
def test_forms(form: str, printed: Printed) -> None:
    """The other forms have the tables only, with escapes instead of control characters."""
    found = result(failures=(Failure("c\x1b.log", "why"),))
    corpus.show(found, corpus.tables_of(found, ("failures", "failures")), form)
    lines = printed()
    row = {"csv": "c\\u001b.log,why", "markdown": "| c", "latex": "c"}[form]
    assert sum(line.startswith(row) for line in lines) >= 2
    assert {"csv": "file,reason", "markdown": "**Not recomputed**", "latex": r"\toprule"}[form] in lines
    assert lines[-1]


def test_json() -> None:
    """The object has counts, failures, and the means per system, strategy and size."""
    assert content_of(corpus.as_json(result()), "splc.corpus/1") == {
        "folder": "logs",
        "systems": "systems",
        "logs": 3,
        "learnings": 1,
        "stated_errors": 6,
        "differing": 1,
        "without_learning": ["b.log"],
        "rules": {"all values": 5},
        "failures": [{"file": "c.log", "reason": "why"}],
        "interrupted": False,
        "cells": [vars(each) for each in CELLS],
        "tests": [
            {
                "system": "s",
                "size": 12,
                "groups": [
                    {"group": "pairwise", "values": 1, "median": 2.0},
                    {"group": "random", "values": 2, "median": 3.0},
                ],
                "kruskal_wallis": 4.0,
                "p_value": 0.02,
                "correction": "Holm",
                "pairs": [vars(PAIR)],
            }
        ],
        "relearned": None,
        "notes": ["note: a"],
    }


def test_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """A panel per system has a line per strategy; cells without a size or an error are left out."""
    monkeypatch.setattr("splc.plotting.corpus.corpus_plot", lambda *given: given)
    given: Any = corpus.picture(result(), "svg")
    assert given == ({"s": {"pairwise": [(12, 2.0, 0.5)], "random": [(9, 6.0, 0.0)]}}, "svg")
