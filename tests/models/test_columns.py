"""Tables in memory as rows for models that name their columns."""

from __future__ import annotations

import numpy as np

from splc.formats.models.text import parse_model
from splc.models.influence import TableRows, rows_of
from tests.support.golden_messages import check_messages

TABLE = {"alpha": [1.0, 2.0, 4.0], "beta": [3, 0, 2], "note": ["a", "b", "c"], "gap": [1.0, np.nan, np.nan]}


def test_predictions_of_a_table() -> None:
    """A model predicts the rows of a table from the columns that it names; parts of a table give parts."""
    model = parse_model("2 * alpha * beta + alpha + 5")
    assert model.predict(TABLE).tolist() == [12.0, 7.0, 25.0]
    rows = rows_of(TABLE)
    assert isinstance(rows, TableRows)
    assert (len(rows), len(rows[1:]), len(rows[:0])) == (3, 2, 0)
    assert model.predict(rows[1:]).tolist() == [7.0, 25.0]
    assert rows_of(rows) is rows


def test_columns_that_cannot_be_used() -> None:
    """A column that is missing, of text, or without a value in some row is an error with what to do."""
    check_messages("used-columns", lambda text: parse_model(text).predict(TABLE))
