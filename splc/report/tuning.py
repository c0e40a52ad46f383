"""The report of a tuning run: the best configuration with its verified value, what it changes, and all runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from splc.data.property_unit import quantity, span, titled
from splc.errors import InputError, Problem, plural
from splc.io.numbers import percentage, short_number
from splc.plotting.charts.curves import progress_chart, tried_chart
from splc.report.page import Block, Page, Section, TextTable

SCHEMA = "splc.tune/1"


def tuning_page(content: Mapping[str, Any], file: str) -> Page:
    """Return the page about the JSON of `splc tune`."""
    try:
        if content["best"] is None and not content["front"]:
            raise InputError(Problem("no run of this tuning run succeeded", file))
        title = f"Tuning: {'greatest' if content['maximize'] else 'least'} {content['nfp']}"
        found = _front(content["front"]) if content["front"] else _best(content)
        return Page(title, (*_answer(content), *content["notes"]), (found, _runs(content)))
    except (KeyError, TypeError, AttributeError, IndexError, ValueError):
        hint = "write it again: splc tune … --json > tuned.json"
        raise InputError(Problem("this is not what splc tune --json writes", file, hint=hint)) from None


def _answer(content: Mapping[str, Any]) -> Iterator[str]:
    unit, best, base, gain = (content[key] for key in ("unit", "best", "default", "gain"))
    runs = f"after {content['runs']:,.0f} runs"
    if front := content["front"]:
        yield f"{plural(len(front), 'configuration', 'configurations')} on the Pareto front, {runs}"
    else:
        yield f"Best {content['nfp']}: {_value(best, unit)}, {runs}"
    if base is not None and (best is None or base["configuration"] != best["configuration"]):
        more = "" if gain is None else f"; the best configuration gains {percentage(gain['percent'], 3)}"
        yield f"Default: {_value(base, unit)}{more}"
    if content["indifferent"]:
        yield f"Within 1 % whatever their value: {', '.join(content['indifferent'])}"
    if content["expected_gain"] is not None:
        yield f"A further run is expected to gain {percentage(content['expected_gain'], 2)}"


def _value(entry: Mapping[str, Any], unit: str | None) -> str:
    text = quantity(entry["value"], unit, 4)
    return text if entry["low"] is None else f"{text} ({span(entry['low'], entry['high'], unit, 4)})"


def _front(front: list[Mapping[str, Any]]) -> Section:
    """Return the section about the Pareto front."""
    names, first = list(front[0]["properties"]), front[0]["configuration"]
    options = [name for name in first if any(row["configuration"][name] != first[name] for row in front)]
    rows = []
    for row in front:
        values = (short_number(row["properties"][name]["value"], 4) for name in names)
        rows.append((*values, *(_option(row, name) for name in options)))
    caption = "The Pareto front: no other measured configuration is better in all properties"
    header = (*names, *options)
    blocks: list[Block] = [TextTable(header, tuple(rows), frozenset(range(len(header))), caption=caption)]
    if alike := [f"{name}={_option(front[0], name)}" for name in first if name not in options]:
        blocks.append(f"All of these have {', '.join(alike)}.")
    return Section("best", "Best configurations", tuple(blocks))


def _option(entry: Mapping[str, Any], name: str) -> str:
    return short_number(entry["configuration"][name], missing="-")


def _best(content: Mapping[str, Any]) -> Section:
    """Return the section about the best configuration, and what it changes."""
    blocks: list[Block] = []
    if content["changes"]:
        rows = tuple(
            (*(_plain(row[key]) for key in ("option", "from", "to")), short_number(row["change"], 3), row["because"])
            for row in content["changes"]
        )
        header = ("option", "default", "best", f"change of {content['nfp']} alone", "because of")
        caption = "What the best configuration changes"
        blocks.append(TextTable(header, rows, frozenset({3}), caption=caption, name="changes"))
        blocks.append("Each change is predicted alone, from the default; they add up only without interactions.")
    values = tuple((name, _option(content["best"], name)) for name in content["best"]["configuration"])
    blocks.append(TextTable(("option", "value"), values, frozenset({1}), caption="The best configuration", name="best"))
    return Section("best", "Best configuration", tuple(blocks))


def _plain(value: float | str | None) -> str:
    return "deselected" if value is None else value if isinstance(value, str) else f"{value:g}"


def _runs(content: Mapping[str, Any]) -> Section:
    """Return the best value over the runs, where they searched, and which failed."""
    steps, base = content["trajectory"], content["default"]
    whys = [step["why"] or "search" for step in steps]
    values, best = (
        np.array([np.nan if step[key] is None else step[key] for step in steps], dtype=float)
        for key in ("value", "best")
    )
    default = None if base is None else base["value"]
    blocks: list[Block] = [progress_chart(whys, values, best, default, titled(content["nfp"], content["unit"]))]
    names = [name for name in steps[0]["configuration"] if len({step["configuration"][name] for step in steps}) > 1]
    first = [change["option"] for change in content["changes"]]
    names.sort(key=lambda name: first.index(name) if name in first else len(first))
    if names:
        blocks.append(tried_chart(whys, {name: [step["configuration"][name] for step in steps] for name in names}))
    failed = []
    for step in steps:
        if step["failure"]:
            run = "" if step["run"] is None else f"{step['run']:g}"
            failed.append((run, step["failure"], " ".join(f"{name}={_option(step, name)}" for name in names)))
    if failed:
        header = ("run", "reason", "configuration")
        blocks.append(TextTable(header, tuple(failed), frozenset({0}), caption="Without a value", name="failed"))
    return Section("runs", "Runs", tuple(blocks))
