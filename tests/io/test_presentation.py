"""The presentation of results: summaries, tables, HTML and short representations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from comparison import compare, compare_all, compared_model
from sampling import Space, best, draw_sample, pareto_front
from splc import Measurements, VariabilityModel, parse_model
from splc.calibration import calibrate
from splc.data.configurations import Configurations
from splc.errors import OutputError, SpecError
from splc.formats.models.text import latex_text
from splc.io.presentation import MAX_ROWS, Presented
from splc.learning import Part, learn, learn_sum
from splc.learning.result import LearningResult
from splc.models.influence import InfluenceModel
from splc.plotting.style import literal
from splc.scaling import Profile, fit
from splc.tuning import tune
from splc.workflows import notebook
from splc.workflows.explain.explain import contributions
from splc.workflows.pictures import chart_of
from tests.support.golden_messages import check_calls


@cache
def small() -> VariabilityModel:
    """Return a system of two options."""
    return VariabilityModel.of({"px": range(1, 31), "fast": bool}, name="small")


@cache
def grid() -> Configurations:
    """Return all its configurations."""
    return draw_sample(small(), "all+ff").configurations


@cache
def two_models() -> tuple[InfluenceModel, InfluenceModel]:
    """Return two models of it."""
    return parse_model("5 + 2 * px", small()), parse_model("4 + px + fast", small())


@dataclass(frozen=True, repr=False)
class Shown(Presented):
    """A result with given columns."""

    text: str
    columns: Mapping[str, Sequence[Any]]

    def summary(self) -> str:
        """Return the text."""
        return self.text

    def to_columns(self) -> Mapping[str, Sequence[Any]]:
        """Return the columns."""
        return self.columns


class Page(HTMLParser):
    """The tags and the texts of a page; fails for tags that are not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        """Note a tag; only the tags of a picture have attributes."""
        assert not attrs or "svg" in (*self.open, tag)
        self.open.append(tag)
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Require that the tag is the last one that is open."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Note a text."""
        self.texts.append(data)


def page(text: str, **columns: Sequence[Any]) -> tuple[list[str], str]:
    """Return the texts of the page of a result, with few rows in the middle, and its short representation."""
    result = Shown(text, columns)
    found = Page(result._repr_html_())
    assert "script" not in found.tags
    assert found.tags.count("td") <= MAX_ROWS * max(len(columns), 1)
    return (found.texts if len(found.texts) < 12 else [*found.texts[:4], "…", *found.texts[-2:]]), repr(result)


def test_calls() -> None:
    """Names from files are texts of a page, numbers have few digits, and long tables are cut."""
    check_calls("pages-of-results", page, np=np, MAX_ROWS=MAX_ROWS)


@cache
def measured() -> Measurements:
    """Return measurements of all configurations, with two repetitions."""
    px, fast = grid().value("px"), grid().value("fast")
    time = (5 + 2 * px + 3 * fast) * np.random.default_rng(0).normal(1, 0.01, len(px))
    return Measurements(grid(), {"time": np.stack([time, time * 1.01], axis=1)})


@cache
def learned() -> LearningResult:
    """Return what is learned from these measurements."""
    return learn(measured())


RESULTS: dict[str, Callable[[], Any]] = {
    "configurations": grid,
    "measurements": measured,
    "sample": lambda: draw_sample(small(), "random:3", seed=4),
    "learned": learned,
    "stepwise": lambda: learn(measured(), preset="splconqueror"),
    "baseline": lambda: learn(measured(), learner="ridge"),
    "overview": lambda: notebook.explain(two_models()[1], Space(small())),
    "best": lambda: best(two_models()[1], Space(small()), 3),
    "front": lambda: pareto_front(two_models(), Space(small())),
    "contributions": lambda: contributions(two_models()[1], Space(small()), grid()[:1]),
    "sum": lambda: learn_sum(measured(), [Part("time")]),
    "profile": lambda: Profile({("main", "time"): fit([1, 2, 4, 8], [1, 2, 4, 8])}, {("main", "bytes"): "no values"}),
    "scaling": lambda: fit([1, 2, 4, 8, 16], [3, 5, 9, 17, 33], names="px"),
    "calibration": lambda: calibrate(
        parse_model("5 + a * px + 3 * fast", small(), parameters={"a": 1.0}, symbols=["a"]),
        measured().configurations,
        measured()["time"],
        ["a"],
    ),
    "comparison": lambda: compare(*two_models(), grid()),
    "comparisons": lambda: compare_all(
        [compared_model(name, model) for name, model in zip("ab", two_models(), strict=True)],
        grid(),
        measured=measured()["time"],
        nfp="time",
    ),
    "tuned": lambda: tune(small(), lambda options: 1 + (options["px"] or 0), "time", 8),
}
"""Name → what makes a result of the kind."""


@pytest.mark.parametrize("kind", RESULTS)
def test_results_are_presented(kind: str) -> None:
    """Every result has a short representation, a summary, a table of columns of one length, and HTML with both."""
    result = RESULTS[kind]()
    first = result.summary().splitlines()[0]
    assert repr(result) == f"<{type(result).__name__}: {first}>"
    assert len(repr(result)) < 200
    assert f"{result}" in (repr(result), first)
    columns = result.to_columns()
    assert len({len(values) for values in columns.values()}) == 1
    pd.testing.assert_frame_equal(result.to_frame(), pd.DataFrame(dict(columns)))
    page = Page(result._repr_html_())
    assert page.texts[0] == result.summary()
    rows = min(len(result.to_frame()), MAX_ROWS)
    assert page.tags.count("tr") == rows + bool(rows)
    for name in columns if rows else ():
        assert name in page.texts


def test_models_and_systems_are_presented() -> None:
    """Notebooks show the terms of a model, and the options of a system, and how often they are selected."""
    system = VariabilityModel.of({"<b>": bool, "n": [1, 2, 4], "mode": ["a", "b"]}, ["!`<b>` | mode_a"], name="<i>")
    model = parse_model("2 * n - 3 * `<b>` + 1", system)
    for shown, wanted in (
        (model, ["`<b>`", "−3", "-3"]),
        (system, ["<b>", "binary", "alternative", "1, 2, 4"]),
        (Space(system), [f"{Space(system)!r}: 9", "66.67", "33.33"]),
    ):
        page = Page(shown._repr_html_())
        assert {"b", "i"}.isdisjoint(page.tags)
        assert set(wanted) <= set(page.texts)
        assert ("svg" in page.tags) is (shown is not system)
    assert model._repr_latex_() == rf"${latex_text(model)}$"


PLOTTED = ("tuned", "learned", "stepwise", "overview", "front", "contributions", "comparison")


@pytest.mark.parametrize("kind", PLOTTED)
def test_plot(kind: str, tmp_path: Path) -> None:
    """`plot` returns a picture that notebooks show, and writes it to a file."""
    picture = RESULTS[kind]().plot(tmp_path / "picture.svg")
    (shown,) = picture._repr_mimebundle_().values()
    assert isinstance(shown, bytes)
    assert shown.startswith(b"\x89PNG")
    assert (tmp_path / "picture.svg").read_bytes() == picture.draw("svg")
    assert b"<svg" in picture.draw("svg")


@pytest.mark.parametrize("kind", PLOTTED)
def test_plot_into_axes(kind: str) -> None:
    """Given axes are drawn into and returned, with a title; the number of axes is that of the panels."""
    result, title = RESULTS[kind](), "A title with $ and _"
    panels = chart_of(result).panels
    axes = Figure().subplots(1, len(panels), squeeze=False)[0]
    assert result.plot(ax=axes if len(panels) > 1 else axes[0], title=title) is not None
    assert [each.get_xlabel() for each in axes] == [literal(panel.x.label) for panel in panels]
    assert all(each.has_data() for each in axes)
    shown = axes[0].get_title() if len(panels) == 1 else axes[0].figure.get_suptitle()
    assert shown == literal(title)
    with pytest.raises(SpecError, match=rf"give axes for each, not {len(panels) + 1}"):
        result.plot(ax=Figure().subplots(1, len(panels) + 1))
    assert b"A title with $ and _" in result.plot(title=title).draw("svg")


def test_what_cannot_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best configurations of one model have no picture, and PNG needs matplotlib; notebooks show SVG then."""
    with pytest.raises(SpecError, match="Pareto front of two models"):
        RESULTS["best"]().plot()
    with pytest.raises(OutputError, match="not written in this format"):
        RESULTS["overview"]().plot("picture.doc")
    with pytest.raises(SpecError, match="measurements are not part of this result"):
        replace(learned(), rows=None).plot()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(OutputError, match=r"install the extra, pip install 'splc\[plot\]'"):
        RESULTS["overview"]().plot("picture.png")
    assert str(RESULTS["overview"]().plot()._repr_mimebundle_()["image/svg+xml"]).startswith("<svg")
