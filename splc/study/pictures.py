"""The pictures of a study: the analytical and the best learned model against the measurements, and their terms."""

from __future__ import annotations

import numpy as np

from comparison.compare import compare_all, compared_model
from splc.data.property_unit import titled
from splc.plotting.charts.drawing import chart_file
from splc.plotting.charts.influences import term_chart
from splc.plotting.charts.predictions import sorted_chart
from splc.study.inputs import Loaded
from splc.study.learning_curves import curves_chart
from splc.study.results import ANALYTICAL, Results
from splc.study.specification import Study
from splc.study.tables import errors_of

FORMAT = "svg"
PREDICTIONS, UNSCALED, TERMS, ERRORS = (
    f"pictures/{name}.{FORMAT}" for name in ("predictions", "unscaled", "terms", "errors")
)


def pictures_of(study: Study, loaded: Loaded, results: Results) -> dict[str, bytes]:
    """Return file name → picture, as figures 5.1 to 5.7 of the thesis, and the errors by size of the learning set.

    Without a model with terms there are no pictures of models; without two sizes there is none of errors.
    """
    files: dict[str, bytes] = {}
    title = f"{loaded.inputs.system.name}: {loaded.inputs.nfp}"
    if (chart := curves_chart(errors_of(study, results), title)) is not None:
        files[ERRORS] = chart_file(chart, FORMAT)
    best = results.best
    model = None if best is None else best.record.learned(loaded.inputs.system)
    if best is None or model is None:
        return files
    configurations = loaded.inputs.measurements.configurations
    name = f"learned, {best.task.label}"
    learned = model.predict(configurations)
    measured, nfp = (
        loaded.inputs.measured,
        titled(loaded.inputs.nfp, loaded.inputs.measurements.unit(loaded.inputs.nfp)),
    )
    if loaded.analytical is None:
        return {**files, PREDICTIONS: chart_file(sorted_chart((name,), learned[np.newaxis], measured, nfp), FORMAT)}
    factors = [(UNSCALED, 1.0), (PREDICTIONS, study.scale)] if study.scale != 1 else [(PREDICTIONS, 1.0)]
    for file, factor in factors:
        expected = loaded.analytical.scaled(factor).predict(configurations)
        title = ANALYTICAL if factor == 1 else f"{ANALYTICAL} × {factor:g}"
        chart = sorted_chart((title, name), np.stack([expected, learned]), measured, nfp)
        files[file] = chart_file(chart, FORMAT)
    models = ((ANALYTICAL, loaded.analytical.scaled(study.scale)), (name, model))
    compared = compare_all([compared_model(*pair, study.at) for pair in models], constant=study.constant)
    if any(comparison.same_link and comparison.syntactic.terms for comparison in compared.comparisons):
        files[TERMS] = chart_file(term_chart(compared.comparisons), FORMAT)
    return files


def picture_names(study: Study, analytical: bool) -> tuple[str, ...]:
    """Return the names of the pictures that a study may have."""
    if not analytical:
        return (ERRORS, PREDICTIONS)
    return (ERRORS, PREDICTIONS, TERMS, *([UNSCALED] if study.scale != 1 else []))
