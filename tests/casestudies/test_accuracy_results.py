"""The committed results of the accuracy of learners, and the page that shows them."""

from __future__ import annotations

import json

from casestudies.accuracy.__main__ import PRESETS
from casestudies.accuracy.explanations import ROWS
from casestudies.accuracy.learners import BASELINES, STEPWISE, known
from casestudies.accuracy.page import HERE, blocks_of_page
from casestudies.evaluation.command import PAGE
from casestudies.evaluation.evaluation import rows_of
from casestudies.report.page import blocks_of


def test_committed_results() -> None:
    """The committed results have all learners, and the page shows what their tables have."""
    page = (HERE / "README.md").read_text(encoding="utf-8")
    expected = {name: text.rstrip() + "\n" for name, text in blocks_of_page().items()}
    assert blocks_of(page) == expected
    for name in PRESETS:
        manifest = json.loads((HERE / name / "manifest.json").read_text(encoding="utf-8"))
        assert manifest["state"] == "finished"
        rows = rows_of(HERE / name / "table.csv")
        if name == "explanations":
            assert {row["system"] for row in rows} == set(ROWS)
        else:
            left_out = {"noise": BASELINES, "difficult": (*BASELINES, STEPWISE)}.get(name, ())
            assert {row["learner"] for row in rows} == set(known()) - set(left_out)
    assert PAGE not in PRESETS
