"""The tables and the picture: how many terms of a formula designs find, which ones, and with what errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from casestudies.evaluation.evaluation import Row
from casestudies.evaluation.panels import panels_picture
from casestudies.pictures import plain_number
from casestudies.report.studies import DESIGNS
from splc.io.tables import Cell, Table
from splc.plotting.charts.chart import LOOKS
from splc.plotting.style import literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEARNERS = {"stepwise": "SPL Conqueror's", "projection": "default"}


def _distinct(rows: Sequence[Row], key: str) -> list[str]:
    return list(dict.fromkeys(row[key] for row in rows))


def _noises(rows: Sequence[Row]) -> list[float]:
    return sorted({float(row["noise"]) for row in rows})


def percent(noise: float) -> str:
    """Return a noise as text."""
    return f"{100 * noise:g} %"


def _by_design(rows: Sequence[Row], caption: str, text: Callable[[Sequence[Row]], Cell]) -> Table:
    """Return what a text says of the runs: a row per formula, machine, noise and learner, a column per design."""
    lines: list[tuple[Cell, ...]] = []
    groups: dict[tuple[str, str, float, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["system"], row["machine"], float(row["noise"]), row["learner"]), []).append(row)
    for (system, machine, noise, learner), mine in sorted(groups.items()):
        found = [[row for row in mine if row["design"] == design] for design in DESIGNS]
        cells = (text(each) if each else None for each in found)
        lines.append((f"{system} ({mine[0]['terms']} terms)", machine, percent(noise), LEARNERS[learner], *cells))
    return Table(("formula", "parameters", "noise", "learner", *DESIGNS.values()), tuple(lines), caption)


def _mean(rows: Sequence[Row], key: str) -> float:
    return float(np.mean([row[key] for row in rows]))


def design_table(rows: Sequence[Row]) -> Table:
    """Return the mean numbers of terms of the formula that are found, and of others that models have."""
    caption = "Terms of the formula in the learned model + terms that the formula does not have, means over the seeds"
    return _by_design(rows, caption, lambda own: f"{_mean(own, 'found'):.1f} + {_mean(own, 'other'):.1f}")


def error_table(rows: Sequence[Row]) -> Table:
    """Return the mean errors of the models whose terms are compared."""
    caption = "Error of the printed model against the formula in %, mean over the seeds"
    return _by_design(rows, caption, lambda own: round(_mean(own, "error"), 4))


def found_shares(rows: Sequence[Row], learner: str, noise: float) -> dict[str, float]:
    """Return term of the formula → the share of the models of a learner at a noise that have it."""
    mine = [row for row in rows if row["learner"] == learner and float(row["noise"]) == noise]
    texts = [json.loads(row["texts"]) for row in mine]
    return {term: sum(term in each for each in texts) / len(texts) for term in json.loads(mine[0]["shares"])}


def term_tables(rows: Sequence[Row]) -> list[Table]:
    """Return a table per formula: each of its terms, its share of the time, and how many models have it.

    The parameters are the same for all numbers of nodes, so that the formula is the sum of these terms.
    """
    tables = []
    rows = [row for row in rows if row["machine"] == "seven nodes"]
    for system in _distinct(rows, "system"):
        own = [row for row in rows if row["system"] == system]
        shares = json.loads(own[0]["shares"])
        pairs = [(learner, noise) for learner in LEARNERS for noise in _noises(own)]
        found = [found_shares(own, *pair) for pair in pairs]
        lines: list[tuple[Cell, ...]] = [
            (term, 100 * share, *(100 * each[term] for each in found))
            for term, share in sorted(shares.items(), key=lambda item: -item[1])
        ]
        titles = (f"{LEARNERS[learner]}, {percent(noise)}" for learner, noise in pairs)
        caption = f"{system}: share of the mean time in %, and models with the term in %, by learner and noise"
        tables.append(Table(("term", "share", *titles), tuple(lines), caption))
    return tables


def recovery_picture(rows: Sequence[Row]) -> bytes:
    """Return a picture with a panel per formula and learner: how often a term is found by its share of the time."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    rows = [row for row in rows if row["machine"] == "seven nodes"]
    panels = {
        f"{system}, {LEARNERS[learner]}": (system, learner)
        for system in _distinct(rows, "system")
        for learner in LEARNERS
    }

    def draw(axes: Axes, name: str) -> None:
        system, learner = panels[name]
        own = [row for row in rows if row["system"] == system]
        shares = json.loads(own[0]["shares"])
        for look, noise in zip(LOOKS, _noises(own), strict=False):
            found = found_shares(own, learner, noise)
            axes.plot(
                [100 * max(shares[term], 1e-6) for term in shares],
                [100 * found[term] for term in shares],
                color=look.color,
                linestyle="",
                marker=look.marker,
                markersize=5,
                label=f"noise {percent(noise)}",
            )
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
        axes.xaxis.set_major_formatter(FuncFormatter(plain_number))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_ylim(-5, 105)
        axes.set_ylabel("models with the term (%)", fontsize=8)
        axes.set_title(literal(name), fontsize=8)

    return panels_picture(list(panels), draw, xlabel="share of the mean time (%)", legend=True)
