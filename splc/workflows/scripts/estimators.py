"""The commands of scripts that fit scikit-learn's estimators by SPL Conqueror's names."""

from __future__ import annotations

import numpy as np

from splc.formats.scripts.reader import FINAL_PREDICTIONS, truth
from splc.io.files import write_whole
from splc.learning.baselines.encoding import Encoding
from splc.learning.baselines.scikit_names import GRIDS, ScikitLearner, search, spelled
from splc.learning.features import features_of
from splc.learning.stepwise.settings import Settings
from splc.models.text.log_grammar import duration_text, net_number
from splc.workflows.scripts.context import Call
from splc.workflows.scripts.models import learned, rows_of
from splc.workflows.scripts.outputs import derived_path, write_predictions
from splc.workflows.scripts.state import State


def learn_python(call: Call) -> State:
    """`learn-python`: fit an estimator, and print its error."""
    values = dict(call.command.values)
    final = next((name for name in values if name.casefold() == FINAL_PREDICTIONS.casefold()), None)
    written = True if final is None else truth(values.pop(final))
    _fit(call, values)
    if written:
        name = spelled(call.command.words[0])
        path = derived_path(call.script, call.run.log.path, "predictions", name)
        write_predictions(call.run.models[-1].result.predictor, call.shared.known_measured, call.shared.known_nfp, path)
        call.run.files.append(path)
    return call.state


def search_python(call: Call) -> State:
    """`learn-python-opt`: choose the parameters of an estimator by the error on held-out folds."""
    name = spelled(call.command.words[0])
    grid = call.command.lists or GRIDS[name]
    rows, measured = rows_of(call).rows, call.shared.known_measured
    encoding = Encoding.of(features_of(measured.system, numeric_disabled=False), logs=False)
    columns = encoding.columns(measured.configurations[rows])
    folds = Settings().changed(call.own.settings).crossValidation_k
    found = search(name, grid, columns, np.asarray(measured.column(call.shared.known_nfp)[rows]), folds, 0)
    best, error = found[0]
    call.run.log.line(f"Optimal parameters: {' '.join(f'{key}:{value}' for key, value in best.items())}")
    call.run.log.line(f"Error on held-out folds: {net_number(error)} %")
    if "file" in call.command.values:
        path = call.path(call.command.values["file"])
        lines = [";".join((*grid, "error"))]
        lines += [";".join((*(values[key] for key in grid), net_number(each))) for values, each in found]
        write_whole(path, "".join(f"{line}\n" for line in lines))
        call.run.files.append(path)
    if truth(call.command.values.get("performWithOptimal", "true")):
        _fit(call, best)
    return call.state


def _fit(call: Call, values: dict[str, str]) -> None:
    model = learned(call, rows_of(call), ScikitLearner(spelled(call.command.words[0]), values))
    result, error = model.result, model.error
    call.run.log.line(f"Learning: NumberOfConfigurationsLearning:{result.learning_configurations}")
    call.run.log.line(f"Elapsed learning time(seconds): {duration_text(result.seconds)}")
    call.run.log.line(f"Prediction Error: {net_number(float('nan') if error is None else error)} %")
