"""The runs of a tuning run: the best value over them, where it searched, and which failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from splc.data.property_unit import titled
from splc.io.numbers import short_number
from splc.plotting.charts.curves import progress_chart, tried_chart
from splc.report.page import Block, Section, TextTable


def tuning_runs_section(content: Mapping[str, Any]) -> Section:
    """Return the section about the runs in the JSON of `splc tune`."""
    steps: Sequence[Mapping[str, Any]] = content["trajectory"]
    whys = [step["why"] or "search" for step in steps]
    values, best = (
        np.array([np.nan if step[key] is None else step[key] for step in steps], dtype=float)
        for key in ("value", "best")
    )
    base = content["default"]
    blocks: list[Block] = [
        progress_chart(
            whys, values, best, None if base is None else base["value"], titled(content["nfp"], content["unit"])
        )
    ]
    names = [name for name in steps[0]["configuration"] if len({step["configuration"][name] for step in steps}) > 1]
    first = [change["option"] for change in content["changes"]]
    names.sort(key=lambda name: first.index(name) if name in first else len(first))
    if names:
        blocks.append(tried_chart(whys, {name: [step["configuration"][name] for step in steps] for name in names}))
    failed = tuple(
        (
            "" if step["run"] is None else f"{step['run']:g}",
            step["failure"],
            " ".join(f"{name}={_text(step, name)}" for name in names),
        )
        for step in steps
        if step["failure"]
    )
    if failed:
        table = TextTable(
            ("run", "reason", "configuration"), failed, frozenset({0}), caption="Without a value", name="failed"
        )
        blocks.append(table)
    return Section("runs", "Runs", tuple(blocks))


def _text(step: Mapping[str, Any], name: str) -> str:
    return short_number(step["configuration"][name], missing="-")
