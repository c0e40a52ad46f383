"""The pictures of the presets `truth`, `difficult` and `noise`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from casestudies.accuracy.difficult_tables import MIN_ERROR, most_terms
from casestudies.accuracy.real_tables import learners_of, mean_of, values_of
from casestudies.accuracy.truth_tables import BINS, KINDS, total
from casestudies.evaluation.evaluation import Row
from casestudies.pictures import BLACK, DARK, FAINT, grouped_bars, plain_number
from casestudies.png import small_png
from splc.plotting.charts.chart import LOOKS, REST
from splc.plotting.style import drawing, new_figure, saved

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RECOVERY, CALIBRATION, PURE = "pictures/recovery.png", "pictures/calibration.png", "pictures/noise.png"
PRINTED = "pictures/printed.png"
# The marks of kinds of systems.
MARKERS = "os^DvPXp<>*"


def truth_pictures(rows: Sequence[Row]) -> dict[str, bytes]:
    """Return file name → picture."""
    found = {RECOVERY: recovery(rows)}
    if any(row.get("influences") for row in rows):
        found[CALIBRATION] = calibration(rows)
    return found


def noise_pictures(rows: Sequence[Row]) -> dict[str, bytes]:
    """Return the picture of the shares of data sets for which a learner prints terms."""
    shares: dict[str, dict[str, float]] = {}
    for learner in learners_of(rows):
        shares[learner] = {}
        for low, high in ((20, 30), (30, 60), (60, 121)):
            terms = values_of([row for row in rows if low <= row["rows"] < high], "terms", learner=learner)
            if terms:
                shares[learner][f"{low} to {high - 1} rows"] = 100 * sum(each > 0 for each in terms) / len(terms)
    title = "Data sets of pure noise whose models have terms, %"
    return {PURE: small_png(grouped_bars({title: shares}, "", "png"))}


def difficult_pictures(rows: Sequence[Row]) -> dict[str, bytes]:
    """Return the picture of printed models: errors beside those of the full model, numbers of terms beside the true."""
    found = [row for row in rows if row.get("printed") is not None]
    with drawing():
        figure = new_figure(9, 4.4)
        left, right = figure.subplots(1, 2)
        for place, kind in enumerate(dict.fromkeys(row["style"] for row in found)):
            mine = [row for row in found if row["style"] == kind]
            color = LOOKS[place % len(LOOKS)].color
            look: dict[str, Any] = {"color": color, "marker": MARKERS[place % len(MARKERS)], "linestyle": ""}
            errors = [[max(row[key], MIN_ERROR) for row in mine] for key in ("full", "printed")]
            left.plot(*errors, label=kind, **look)
            # Systems with the same numbers lie side by side.
            shifts = [0.04 * (place - 4.5)] * len(mine)
            right.plot(np.add(values_of(mine, "true size"), shifts), values_of(mine, "terms"), **look)
        ends = [MIN_ERROR, max([1.0, *values_of(found, "full"), *values_of(found, "printed")])]
        left.plot(ends, ends, color=BLACK, linewidth=0.8, linestyle="--")
        true = [1, max([2, *values_of(found, "true size")])]
        right.plot(true, true, color=BLACK, linewidth=0.8, linestyle="--")
        right.plot(true, [most_terms(each) for each in true], color=BLACK, linewidth=0.8, linestyle=":")
        _titles(left, "error of the printed model (%)", "error of the full model (%)", logarithmic=True)
        _titles(right, "terms of the printed model", "true terms")
        figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=5, fontsize=8)
        return {PRINTED: small_png(saved(figure, "png"))}


def _titles(axes: Axes, title: str, below: str, *, logarithmic: bool = False) -> None:
    """Give axes of points a title, a label and lines."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_title(title, fontsize=9)
    axes.set_xlabel(below, fontsize=8)
    axes.grid(color=FAINT)
    if logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(LogLocator(subs=(1, 3)))
            axis.set_major_formatter(FuncFormatter(plain_number))
            axis.set_minor_formatter(NullFormatter())


def recovery(rows: Sequence[Row]) -> bytes:
    """Return error, true terms and false terms against the noise: additive systems above, multiplicative ones below."""
    panels: list[tuple[str, Callable[[list[Row]], float | None], bool]] = [
        ("median error (%)", lambda mine: _median(values_of(mine, "error")), True),
        ("true terms found (%)", _found, False),
        ("false terms per model", lambda mine: mean_of(values_of(mine, "false terms")), False),
    ]
    learners = learners_of(rows)
    with drawing():
        figure = new_figure(11, 6.4)
        axes = figure.subplots(2, len(panels))
        for kind, line in zip(KINDS, axes, strict=True):
            for (title, value, logarithmic), each in zip(panels, line, strict=True):
                for place, learner in enumerate(learners):
                    mine = [row for row in rows if (row["learner"], row["kind"]) == (learner, kind)]
                    _line(each, mine, value, LOOKS[place] if place < len(LOOKS) else REST, learner)
                _finish(each, f"{kind}: {title}", logarithmic)
        handles, labels = axes[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=9, fontsize=8)
        return small_png(saved(figure, "png"))


def _line(axes: Axes, rows: Sequence[Row], value: Callable[[list[Row]], float | None], look: Any, name: str) -> None:
    """Draw a value of a learner against the noise."""
    levels = sorted({row["noise"] for row in rows})
    points = [(100 * level, value([row for row in rows if row["noise"] == level])) for level in levels]
    drawn = [(x, y) for x, y in points if y is not None]
    if drawn:
        x, y = zip(*drawn, strict=True)
        axes.plot(
            x, y, color=look.color, linestyle=look.dashes, marker=look.marker, markersize=4, linewidth=1.3, label=name,
            zorder=look.height,
        )  # fmt: skip


def _finish(axes: Axes, title: str, logarithmic: bool) -> None:
    """Give axes a title, lines and the scale of their values."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_title(title, fontsize=9)
    axes.set_xlabel("noise (%)", fontsize=8)
    axes.grid(color=FAINT, axis="y")
    if logarithmic:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(FuncFormatter(plain_number))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(bottom=0)


def calibration(rows: Sequence[Row]) -> bytes:
    """Return how often signs are right against the stated probability, and the coverage of prediction intervals."""
    with drawing():
        figure = new_figure(9, 3.6)
        left, right = figure.subplots(1, 2)
        mine = [row for row in rows if row.get("influences") is not None]
        for least, _ in BINS:
            number = total(mine, f"P {least:g}")
            if number:
                stated, share = (total(mine, f"P {least:g} {part}") / number for part in ("sum", "right"))
                low, high = _wilson(share, number)
                bars = [[100 * (share - low)], [100 * (high - share)]]
                left.errorbar([100 * stated], [100 * share], bars, color=DARK, marker="o", capsize=3)
        left.plot([50, 100], [50, 100], color=BLACK, linewidth=0.8, linestyle="--")
        left.set_xlabel("stated probability of the sign (%)", fontsize=8)
        left.set_title("right signs of true terms (%)", fontsize=9)
        covered = [row for row in rows if row.get("covered") is not None]
        right.plot([row["rows"] for row in covered], [row["covered"] for row in covered], ".", color=DARK, markersize=4)
        right.axhline(90, color=BLACK, linewidth=0.8, linestyle="--")
        right.set_ylim(0, 103)
        right.set_xlabel("rows", fontsize=8)
        right.set_title("new measurements inside of their 90 % intervals (%)", fontsize=9)
        for axes in (left, right):
            axes.grid(color=FAINT)
        return small_png(saved(figure, "png"))


def _wilson(share: float, number: float) -> tuple[float, float]:
    """Return the bounds of a share of some trials, Wilson's with two standard errors."""
    z = 2.0**2 / number
    half = math.sqrt(z * share * (1 - share) + z**2 / 4)
    # Rounding puts a bound of 0 or 1 on the wrong side of the share.
    return min((share + z / 2 - half) / (1 + z), share), max((share + z / 2 + half) / (1 + z), share)


def _median(values: Sequence[float]) -> float | None:
    return float(np.median(values)) if values else None


def _found(rows: Sequence[Row]) -> float | None:
    number = total(rows, "true terms")
    return 100 * total(rows, "true terms found") / number if number else None
