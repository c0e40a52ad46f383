"""`splc.learn` on data frames without a system infers as the command does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import splc
from splc.errors import MeasurementError
from splc.workflows import learn


def table() -> pd.DataFrame:
    """Return a table with a time stamp, statistics, a column of text, a hash, a version and repetitions."""
    rng = np.random.default_rng(3)
    count = 90
    found = pd.DataFrame(
        {
            "started": pd.date_range("2024-01-01", periods=count, freq="min"),
            "threads": rng.choice([1, 2, 4, 8], count),
            "tls": rng.choice([False, True], count),
            "codec": rng.choice(["lz4", "zstd"], count),
        }
    )
    found["time_mean"] = (5 + 100 / found.threads + 20 * found.tls + 8 * (found.codec == "zstd")) * rng.normal(
        1, 0.02, count
    )
    found["time_stddev"] = found.time_mean * rng.uniform(0.01, 0.02, count)
    found["version"] = "1.2.3"
    found["sha"] = [f"{number:015x}" for number in rng.integers(1 << 55, 1 << 60, count)]
    return found


@pytest.mark.parametrize("nfp", [None, "time_mean"])
def test_as_the_command(nfp: str | None, tmp_path: Path) -> None:
    """Options, repetitions, the property, contexts and what is left out are those of the command; so is the model."""
    file = str(tmp_path / "table.csv")
    table().to_csv(file, index=False)
    ours = splc.learn(table(), nfp, options="codec")
    request = learn.Request(measurements=file, nfp=nfp, options=("codec",), write=False)
    theirs = learn.run(request).result
    assert ours.nfp == theirs.nfp == "time_mean"
    assert ours.learning_configurations == theirs.learning_configurations == 16
    assert ours.system is not None
    assert theirs.system is not None
    assert ours.system.options == theirs.system.options
    assert ours.model.influences == pytest.approx(theirs.model.influences)
    assert ours.rows is not None
    assert ours.rows.measured.properties == ("time_mean",)
    assert ours.rows.measured.contexts == {"version": "1.2.3"}


def test_contexts() -> None:
    """A column of text that is named as a context is one; a value of it selects rows."""
    with pytest.raises(MeasurementError, match="the context 'codec' has 2 values"):
        splc.learn(table(), contexts="codec")
    learned = splc.learn(table(), where={"codec": "zstd"})
    assert learned.system is not None
    assert learned.system.names == ("tls", "threads")
    assert learned.learning_configurations == 8
