"""The files that scripts write: configurations, measurements, predictions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from sampling import command_strings
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.formats.measurements.configurations_csv import write_configurations
from splc.formats.measurements.csv import write_measurements_splconqueror_csv
from splc.formats.registry import suffix_of
from splc.io.files import write_whole
from splc.learning.judging import predictions
from splc.learning.result import Predictor
from splc.types import Array

PREDICTED = "predicted"


def write_printed(configurations: Configurations, path: str, texts: Sequence[str], order: Sequence[str]) -> None:
    """Write what `printconfigs` writes: a table in SPL Conqueror's form for `.csv`, else a line per configuration.

    Args:
        configurations: the configurations.
        path: the file.
        texts: the beginning and the end of every line, as far as they are given.
        order: the options that come first in lines.
    """
    if suffix_of(path) == ".csv":
        write_measurements_splconqueror_csv(Measurements(configurations.unique(), {}), path)
        return
    prefix, postfix, *_ = *texts, *("prefix", "postfix")[len(texts) :]
    lines = command_strings(configurations, prefix, postfix, order)
    write_whole(path, "".join(f"{line}\n" for line in lines))


def write_predictions(predictor: Predictor, measured: Measurements, nfp: str, path: str) -> None:
    """Write all measured configurations with the measured and the predicted value."""
    columns: Mapping[str, Array] = {
        nfp: measured.column(nfp),
        PREDICTED: np.asarray(predictions(predictor, measured.configurations)),
    }
    write_configurations(measured.configurations, path, columns)


def derived_path(script: str, log: str | None, *parts: str) -> str:
    """Return the name of a file that a script does not name: that of the log, or else of the script, and parts."""
    stem = Path(log or script)
    words = [re.sub(r"[^\w.=-]+", "-", part).strip("-") for part in parts]
    return str(stem.with_name("_".join((stem.stem, *(word for word in words if word))) + ".csv"))
