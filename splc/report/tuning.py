"""The report of a tuning run: the best configuration with its verified value, what it changes, and all runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from splc.data.property_unit import quantity, span
from splc.errors import InputError, Problem, plural
from splc.io.numbers import percentage, short_number
from splc.report.page import Block, Page, Paragraph, Section, TextTable
from splc.report.sections.tuning_runs import tuning_runs_section

SCHEMA = "splc.tune/1"


def tuning_page(content: Mapping[str, Any], file: str) -> Page:
    """Return the page about the JSON of `splc tune`."""
    try:
        if content["best"] is None and not content["front"]:
            raise InputError(Problem("no run of this tuning run succeeded", file))
        direction = "greatest" if content["maximize"] else "least"
        title = f"Tuning: {direction} {content['nfp']}"
        sections = (_found(content), tuning_runs_section(content))
        return Page(title, (*_answer(content), *content["notes"]), sections)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError):
        hint = "write it again: splc tune … --json > tuned.json"
        raise InputError(Problem("this is not what splc tune --json writes", file, hint=hint)) from None


def _answer(content: Mapping[str, Any]) -> tuple[str, ...]:
    unit, best, base, gain = (content[key] for key in ("unit", "best", "default", "gain"))
    runs = f"after {content['runs']:,.0f} runs"
    if content["front"]:
        lines = [f"{plural(len(content['front']), 'configuration', 'configurations')} on the Pareto front, {runs}"]
    else:
        lines = [f"Best {content['nfp']}: {_value(best, unit)}, {runs}"]
    if base is not None and (best is None or base["configuration"] != best["configuration"]):
        more = "" if gain is None else f"; the best configuration gains {percentage(gain['percent'], 3)}"
        lines.append(f"Default: {_value(base, unit)}{more}")
    if content["indifferent"]:
        lines.append(f"Within 1 % whatever their value: {', '.join(content['indifferent'])}")
    if content["expected_gain"] is not None:
        lines.append(f"A further run is expected to gain {percentage(content['expected_gain'], 2)}")
    return tuple(lines)


def _value(entry: Mapping[str, Any], unit: str | None) -> str:
    text = quantity(entry["value"], unit, 4)
    if entry["low"] is None:
        return text
    return f"{text} ({span(entry['low'], entry['high'], unit, 4)})"


def _found(content: Mapping[str, Any]) -> Section:
    """Return the section about the best configuration, or the Pareto front."""
    blocks: list[Block] = []
    if content["front"]:
        names = list(content["front"][0]["properties"])
        first = content["front"][0]["configuration"]
        options = [name for name in first if any(row["configuration"][name] != first[name] for row in content["front"])]
        alike = [f"{name}={short_number(first[name], missing='-')}" for name in first if name not in options]
        rows = tuple(
            (
                *(short_number(row["properties"][name]["value"], 4) for name in names),
                *(short_number(row["configuration"][name], missing="-") for name in options),
            )
            for row in content["front"]
        )
        caption = "The Pareto front: no other measured configuration is better in all properties"
        numeric = frozenset(range(len(names) + len(options)))
        blocks.append(TextTable((*names, *options), rows, numeric, caption=caption))
        if alike:
            blocks.append(Paragraph(f"All of these have {', '.join(alike)}."))
        return Section("best", "Best configurations", tuple(blocks))
    if content["changes"]:
        rows = tuple(
            (*(_plain(row[key]) for key in ("option", "from", "to")), short_number(row["change"], 3), row["because"])
            for row in content["changes"]
        )
        header = ("option", "default", "best", f"change of {content['nfp']} alone", "because of")
        blocks.append(
            TextTable(header, rows, frozenset({3}), caption="What the best configuration changes", name="changes")
        )
        blocks.append(
            Paragraph("Each change is predicted alone, from the default; they add up only without interactions.")
        )
    values = tuple((name, short_number(value, missing="-")) for name, value in content["best"]["configuration"].items())
    blocks.append(TextTable(("option", "value"), values, frozenset({1}), caption="The best configuration", name="best"))
    return Section("best", "Best configuration", tuple(blocks))


def _plain(value: float | str | None) -> str:
    return "deselected" if value is None else value if isinstance(value, str) else f"{value:g}"
