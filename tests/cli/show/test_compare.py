"""Tables and JSON of comparisons, from comparisons with given numbers."""

from __future__ import annotations

from typing import Any

import pytest

from comparison.correlation import Correlation
from comparison.measures import DEFAULT_KEYS
from comparison.option_sets import OptionSets, SetShare
from comparison.result import (
    ClassScore,
    ClassShare,
    Comparison,
    HybridComparison,
    IntervalComparison,
    Judged,
    SemanticComparison,
    SyntacticComparison,
    TermScore,
    Unseen,
)
from sampling.space.ranges import TermRange
from splc.cli.show import compare
from splc.cli.show.compare_tables import csv_table, directed_title, semantic_rows, tables_of
from splc.io.json import plain_values
from splc.models.terms import CONSTANT, option_term
from tests.cli.show.conftest import Printed
from tests.support.objects import of

X = option_term("x")
UNSEEN = Unseen("(x + y)", ("x", "y"), ("first",))
ONE = TermScore(CONSTANT, "1", 2.0, "same", 5.0, 5.0)
TWO = TermScore(X, "x", 1.0, "opposite sign", 2.0, -2.0)
TERMS = SyntacticComparison((ClassScore((), (ONE,)), ClassScore(("x",), (TWO,))), unseen=(UNSEEN,))
SHARE = ClassShare(("x",), 0.25, 0.5, 0.5, 0.75, 0.9)
HYBRID = HybridComparison((SHARE,))
SETS = OptionSets("mean", (SetShare((), 0.25, 0.4), SetShare(("x",), 0.75, 0.6)))
BANDS = IntervalComparison(0.95, 0.5, 0.25, 3.0, (1.0, 2.0))
FILE = {"path": "s.xml", "sha256": "abc"}


def semantic(error: float, **values: Any) -> SemanticComparison:
    """Return a comparison of predictions."""
    known: dict[str, Any] = {"left_out": 1, "left_out_reversed": 2, "negative": (3, 4), "weights": "w"}
    found = {"error_rate": error, "error_rate_reversed": 2 * error, "cosine": 0.5}
    return SemanticComparison(9, found, {"1": 7.0, "2": None}, **known | values)


def model(name: str) -> Any:
    """Return a compared model."""
    bound, own = of(text="5 + 2 * x", terms=(1, 2)), of(link="identity", order=("x",))
    return of(name=name, file=f"{name}.txt", sha256="abc", kind="text", nfp="time", bound=bound, model=own)


FULL = Comparison("a", "b", TERMS, semantic(10.0), HYBRID, BANDS, SETS)
OTHER_SETS = OptionSets("variance", (SetShare(("x",), 0.0, 1.0),))
LINKS = Comparison("a", "c", TERMS, semantic(30.0), option_sets=OTHER_SETS, same_link=False)
ALIKE = Comparison("a", "b", SyntacticComparison((ClassScore((), (ONE,)),)))
BARE = Comparison("a", "b", SyntacticComparison(()))


def result(*pairs: Comparison, judged: tuple[Judged, ...] = (), configurations: Any = range(9), **values: Any) -> Any:
    """Return the result of `splc compare`."""
    names = ["a", *(pair.second for pair in pairs)]
    about = {"level": 0.9, "nfp": "time", "weights": "measured", "judged": judged}
    comparisons = of(models=[model(name) for name in names], comparisons=pairs, **about)
    request: dict[str, Any] = {
        name: f"given {name}" for name in ("seed", "at", "constant", "reference", "parameter", "scale", "round")
    }
    request |= {"policies": {"invalid": "drop", "duplicates": "mean", "aggregate": "min"}, "learning": None}
    return of(
        comparisons=comparisons,
        basis=of(configurations=configurations, text="all measured"),
        measures=("error_rate", "error_rate_reversed", "cosine"),
        ranges=(),
        correlations=(),
        files={"system": FILE},
        request=of(**request | {"ranges": False, "correlations": False} | values),
    )


def rows(name: str, found: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a single table."""
    (table,) = tables_of(name, found)
    return list(table.rows)


def test_measures() -> None:
    """Scores and measures have a row each, the pairs of models first, then each model against the measurements."""
    judged = (Judged("a", semantic(1.0), 0.75), Judged("b", semantic(2.0)))
    (table,) = tables_of("measures", result(FULL, judged=judged))
    assert table.caption == "Measures on 9 configurations (all measured)"
    assert table.columns == ("compared with", "measure", "a", "b")
    assert table.rows == (
        ("a", "syntactic score", None, 3.0),
        ("a", "lower bound", None, -4.0),
        ("a", "upper bound", None, 4.0),
        ("a", "normalised score", None, 7 / 8),
        ("a", "influences of opposite sign", None, 1),
        ("a", "hybrid, by terms", None, 0.375),
        ("a", "hybrid, by contributions", None, 0.45),
        ("a", "overlap of sets of options", None, 0.85),
        ("a", "Error rate, % of a", None, 10.0),
        ("a", "Error rate, % of b", None, 20.0),
        ("a", "Cosine similarity", None, 0.5),
        ("a", "mean |a - b|", None, 7.0),
        ("a", "mean |a - b|^2", None, None),
        ("measured", "Error rate, % of measured", 1.0, 2.0),
        ("measured", "Error rate, % of predicted", 2.0, 4.0),
        ("measured", "Cosine similarity", 0.5, 0.5),
        ("measured", "mean |a - b|", 7.0, 7.0),
        ("measured", "mean |a - b|^2", None, None),
        ("measured", "within prediction intervals at 0.9", 0.75, None),
    )


def test_measures_of_several_models() -> None:
    """Missing values of a pair are empty cells; rows that all pairs lack are left out."""
    (table,) = tables_of("measures", result(LINKS, FULL, configurations=range(1)))
    assert table.caption == "Measures on 1 configuration (all measured)"
    assert table.rows[0] == ("a", "syntactic score", None, None, 3.0)
    assert [row[1] for row in table.rows[4:8]] == [
        "influences of opposite sign",
        "hybrid, by terms",
        "hybrid, by contributions",
        "overlap of sets of options",
    ]
    assert [row[3] for row in table.rows[:7]] == [None] * 7
    assert table.rows[7][3:] == (None, 0.85)
    assert [row[1] for row in table.rows[8:10]] == ["Error rate, % of a", "Error rate, % of the other model"]
    assert table.rows[8][2:] == (None, 30.0, 10.0)
    (table,) = tables_of("measures", result(ALIKE, configurations=None))
    assert table.caption == "Measures"
    assert [row[1] for row in table.rows] == ["syntactic score", "lower bound", "upper bound", "normalised score"]
    (table,) = tables_of("measures", result(LINKS))
    assert table.rows[0][1] == "overlap of sets of options"


def test_directed_measures() -> None:
    """With the second model as the reference its error comes first; other directed measures name the reference."""
    keys = ("error_rate", "error_rate_reversed", "cosine")
    found = list(semantic_rows("a", ("a", "b"), [None, semantic(10.0, reference="second")], keys))
    assert [row[1:] for row in found[:3]] == [
        ("Error rate, % of b", None, 20.0),
        ("Error rate, % of a", None, 10.0),
        ("Cosine similarity", None, 0.5),
    ]
    assert list(semantic_rows("a", ("a", "b"), [None], keys)) == []
    assert directed_title("max_relative_error", "m").endswith(", % of m")


def test_terms_and_classes() -> None:
    """Every term has its influences and score; classes have their shares in percent."""
    (table,) = tables_of("terms", result(FULL))
    assert table.columns == ("class", "term", "a", "b", "found", "score")
    assert table.caption == "Terms of a and b: score 3 in [-4, 4], normalised 0.875, 1 influence of opposite sign"
    assert table.rows == (
        ("(constant)", "1", 5.0, 5.0, "same", 2.0),
        ("x", "x", 2.0, -2.0, "opposite sign", 1.0),
    )
    (table,) = tables_of("classes", result(FULL))
    assert table.columns == ("class", "terms", "score", "normalised", "% of a", "% of b", "similarity")
    assert table.caption == "Equivalence classes of a and b"
    assert table.rows == (
        ("(constant)", 1, 2.0, 1.0, None, None, None),
        ("x", 1, 1.0, 0.75, 25.0, 50.0, 0.9),
    )
    (table,) = tables_of("terms", result(BARE))
    assert table.caption == "Terms of a and b: score 0 in [-0, 0]"
    two = SyntacticComparison((ClassScore(("x", "y"), (TWO, TWO)),))
    without = Comparison("a", "b", two)
    assert rows("classes", result(without)) == [("x, y", 2, 2.0, 0.75, None, None, None)]
    (table,) = tables_of("terms", result(without))
    assert table.caption == "Terms of a and b: score 2 in [-4, 4], normalised 0.75, 2 influences of opposite sign"
    assert table.rows[0][0] == "x, y"


@pytest.mark.parametrize("name", ["terms", "classes", "sets"])
def test_sets(name: str) -> None:
    """Sets of options are sorted by the larger share; a product and a sum have them instead of terms."""
    (table,) = tables_of(name, result(LINKS))
    assert table.columns == ("set of options", "% of a", "% of c", "% of both")
    assert table.caption == "Sets of options of a and c: overlap undefined; shares of the variance of the predictions"
    assert table.rows == (("x", 0.0, 100.0, 0.0),)
    assert len(list(tables_of(name, result(LINKS, FULL)))) == 2
    (table,) = tables_of("sets", result(FULL))
    assert table.caption == "Sets of options of a and b: overlap 0.85; shares of the mean absolute contributions"
    assert table.rows == (("x", 75.0, 60.0, 60.0), ("(constant)", 25.0, 40.0, 25.0))
    (table,) = tables_of("sets", result(BARE))
    assert table.caption == "Sets of options of a and b: unknown without configurations"
    assert table.rows == ()
    several = OptionSets("mean", (SetShare(("x", "y"), 0.3, 0.1), SetShare(("z",), 0.2, 0.4), SetShare((), 0.0, 0.35)))
    assert [row[0] for row in rows("sets", result(Comparison("a", "b", TERMS, option_sets=several)))] == [
        "z",
        "(constant)",
        "x, y",
    ]


RANGES = (TermRange(X, 2.0, -1.0, 8.0, {"x": 1.0}, {}), TermRange(CONSTANT, 5.0, 5.0, 6.0, None, {}))


def test_ranges_intervals_and_correlations() -> None:
    """Ranges, bands and correlations have a row each."""
    found = result(FULL)
    found.ranges = (RANGES, ())
    one, two = tables_of("ranges", found)
    assert one.columns == ("term", "influence", "least", "greatest", "exact")
    assert one.caption == "Contributions of the terms of a over all valid configurations"
    assert one.rows == (("x", 2.0, -1.0, 8.0, "yes"), ("1", 5.0, 5.0, 6.0, "bound"))
    assert two.rows == ()
    table = csv_table("ranges", found)
    assert table.columns == ("model", *one.columns)
    assert table.rows == tuple(("a", *row) for row in one.rows)
    (bands,) = tables_of("intervals", result(FULL, LINKS))
    assert bands.columns[-3:] == ("Hausdorff distance", "width of a", "width of the model")
    assert bands.caption == "Confidence bands of the mean at the level 0.9, compared with a"
    assert bands.rows == (("b", 0.5, 0.25, 3.0, 1.0, 2.0),)
    found = result(FULL)
    found.request.reference = "second"
    found.correlations = (Correlation("cosine", 9, 0.1, 0.2, 0.3, 0.4, 0.5, "why"),)
    (table,) = tables_of("correlations", found)
    assert table.caption == "Correlation with the error rate, relative to the second model, over all pairs"
    assert table.columns == ("measure", "pairs", "Spearman", "low", "high", "Kendall", "Pearson", "remark")
    assert table.rows == (("cosine", 9, 0.2, 0.4, 0.5, 0.3, 0.1, "why"),)


@pytest.mark.parametrize(
    ("name", "columns", "count"),
    [
        ("terms", ("second model", "class", "term", "first", "second", "found", "score"), 4),
        (
            "classes",
            ("second model", "class", "terms", "score", "normalised", "% of first", "% of second", "similarity"),
            4,
        ),
        ("sets", ("second model", "set of options", "% of first", "% of second", "% of both"), 4),
    ],
)
def test_csv(name: str, columns: tuple[str, ...], count: int) -> None:
    """Tables of several models are one, with a column for the second model."""
    table = csv_table(name, result(FULL, Comparison("a", "d", TERMS, None, HYBRID, BANDS, SETS)))
    assert table.columns == columns
    assert [row[0] for row in table.rows] == ["b", "b", "d", "d"]
    assert len(table.rows) == count
    assert csv_table(name, result(FULL, LINKS)).columns[:2] == ("second model", "set of options")
    assert csv_table("measures", result(FULL)).columns == ("compared with", "measure", "a", "b")
    assert csv_table("intervals", result(FULL)).columns[0] == "model"


def test_forms(printed: Printed) -> None:
    """Tables are separated by an empty line, in each form of output; numbers have 4 digits in text."""
    found = result(FULL)
    compare.show(found, ("sets", "classes"), "")
    assert printed() == [
        "Sets of options of a and b: overlap 0.85; shares of the mean absolute contributions",
        "set of options  % of a  % of b  % of both",
        "x                   75      60         60",
        "(constant)          25      40         25",
        "",
        "Equivalence classes of a and b",
        "class       terms  score  normalised  % of a  % of b  similarity",
        "(constant)      1      2           1       -       -           -",
        "x               1      1        0.75      25      50         0.9",
    ]
    compare.show(found, ("sets", "sets"), "markdown")
    lines = printed()
    assert lines[0] == "**Sets of options of a and b: overlap 0.85; shares of the mean absolute contributions**"
    assert lines[2] == "| set of options | % of a | % of b | % of both |"
    assert lines[6:8] == ["", lines[0]]
    assert len(lines) == 13
    compare.show(found, ("sets",), "latex")
    lines = printed()
    assert lines[-1] == r"\end{table}"
    assert r"x & $75$ & $60$ & $60$ \\" in lines
    compare.show(found, ("sets",), "csv")
    columns = "second model,set of options,% of first,% of second,% of both"
    assert printed() == [columns, "b,x,75,60,60", "b,(constant),25,40,25"]


def test_measures_that_are_known(printed: Printed) -> None:
    """Every measure has its title, its kind, its direction, and a mark if it is always computed."""
    compare.show_measures()
    lines = printed()
    assert lines[0].split() == ["measure", "title", "kind", "better", "computed"]
    cosine = next(line for line in lines if line.startswith("cosine "))
    assert cosine.split() == ["cosine", "Cosine", "similarity", "fraction", "higher", "always"]
    assert not next(line for line in lines if line.startswith("smape ")).endswith("always")


SEMANTIC = {
    "configurations": 9,
    "cosine": 0.5,
    "mean_power": {"1": 7.0, "2": None},
    "left_out": 1,
    "left_out_reversed": 2,
    "negative_predictions": [3, 4],
    "weights": "w",
    "reference": "first",
}


def semantic_json(error: float) -> dict[str, Any]:
    """Return the object of a comparison of predictions."""
    return {**dict.fromkeys(DEFAULT_KEYS), **SEMANTIC, "error_rate": error, "error_rate_reversed": 2 * error}


PAIR = plain_values(
    {
        "first": "a",
        "second": "b",
        "syntactic": {
            "score": 3.0,
            "lower": -4.0,
            "upper": 4.0,
            "normalized": 7 / 8,
            "opposite": 1,
            "constant": True,
            "classes": [
                {
                    "options": (),
                    "score": 2.0,
                    "lower": -2.0,
                    "upper": 2.0,
                    "normalized": 1.0,
                    "terms": [{"term": "1", "score": 2.0, "found": "same", "a": 5.0, "b": 5.0}],
                },
                {
                    "options": ("x",),
                    "score": 1.0,
                    "lower": -2.0,
                    "upper": 2.0,
                    "normalized": 0.75,
                    "terms": [{"term": "x", "score": 1.0, "found": "opposite sign", "a": 2.0, "b": -2.0}],
                },
            ],
            "unseen": [{"text": "(x + y)", "options": ("x", "y"), "models": ("first",)}],
        },
        "semantic": semantic_json(10.0),
        "hybrid": {"syntactic": 0.375, "semantic": 0.45, "classes": [vars(SHARE)]},
        "option_sets": {
            "of": "mean",
            "overlap": 0.85,
            "sets": [
                {"options": (), "first": 0.25, "second": 0.4},
                {"options": ("x",), "first": 0.75, "second": 0.6},
            ],
        },
        "intervals": {"level": 0.95, "overlapping": 0.5, "jaccard": 0.25, "hausdorff": 3.0, "width": (1.0, 2.0)},
    }
)


def test_json() -> None:
    """Two models are one object, which has the settings, the models, and each model against the measurements."""
    found = result(FULL, judged=(Judged("a", semantic(1.0), 0.75),), ranges=True, correlations=True)
    found.ranges = (RANGES, ())
    found.correlations = (Correlation("cosine", 9),)
    content = compare.as_json(found)
    assert {name: content[name] for name in PAIR} == PAIR
    assert "comparisons" not in content
    one: dict[str, Any] = {"file": "a.txt", "sha256": "abc", "kind": "text", "nfp": "time", "link": "identity"}
    one |= {"name": "a", "text": "5 + 2 * x", "terms": 2}
    assert content["models"] == [one, {**one, "name": "b", "file": "b.txt"}]
    assert content["measured"] == [{"model": "a", **semantic_json(1.0), "covered": 0.75}]
    assert content["settings"] == {
        "at": "given at",
        "constant": "given constant",
        "weights": "measured",
        "reference": "given reference",
        "level": 0.9,
        "parameter": "given parameter",
        "scale": "given scale",
        "round": "given round",
        "learning": None,
        "invalid": "drop",
        "duplicates": "mean",
        "aggregate": "min",
    }
    rest = {name: content[name] for name in ("nfp", "on", "configurations", "seed", "files")}
    files = {"system": FILE}
    assert rest == {"nfp": "time", "on": "all measured", "configurations": 9, "seed": "given seed", "files": files}
    assert content["ranges"] == [
        {
            "model": "a",
            "terms": [
                {
                    "term": "x",
                    "influence": 2.0,
                    "low": -1.0,
                    "high": 8.0,
                    "low_at": {"x": 1.0},
                    "high_at": {},
                    "exact": True,
                },
                {
                    "term": "1",
                    "influence": 5.0,
                    "low": 5.0,
                    "high": 6.0,
                    "low_at": None,
                    "high_at": {},
                    "exact": False,
                },
            ],
        },
        {"model": "b", "terms": []},
    ]
    assert content["correlations"] == [vars(Correlation("cosine", 9))]


def test_json_of_several_models() -> None:
    """More than two models are a list of pairs; what is not computed is null or left out."""
    content = compare.as_json(result(FULL, LINKS, learning=2, configurations=None))
    assert content["comparisons"][0] == PAIR
    links = content["comparisons"][1]
    assert {name: links[name] for name in ("first", "second", "syntactic", "hybrid", "intervals")} == {
        "first": "a",
        "second": "c",
        "syntactic": None,
        "hybrid": None,
        "intervals": None,
    }
    assert content["settings"]["learning"] == "2"
    assert content["configurations"] == 0
    assert not {"first", "ranges", "correlations"} & set(content)
    content = compare.as_json(result(BARE, learning=0))
    assert content["settings"]["learning"] == "all"
    assert (content["semantic"], content["option_sets"]) == (None, None)
