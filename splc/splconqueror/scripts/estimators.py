"""The commands of scripts that fit scikit-learn's estimators by SPL Conqueror's names."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from splc.formats.scripts.reader import FINAL_PREDICTIONS, truth
from splc.io.settings import setting_name
from splc.learning.baselines.encoding import Encoding
from splc.learning.baselines.scikit_names import GRIDS, ScikitLearner, search, spelled
from splc.learning.features import features_of
from splc.learning.linear_surrogate import linear_surrogate
from splc.learning.stepwise.settings import Settings
from splc.models.text.log_grammar import duration_text, model_text, net_number
from splc.splconqueror.scripts.context import CommandCall
from splc.splconqueror.scripts.models import PERFORM, learned, rows_of, write_trials
from splc.splconqueror.scripts.outputs import derived_path, write_predictions
from splc.splconqueror.scripts.state import State

ANALYSIS = "pythonInfluenceAnalysis"


def learn_python(call: CommandCall) -> State:
    """`learn-python`: fit an estimator, and print its error."""
    values = dict(call.command.values)
    final = next((name for name in values if name.casefold() == FINAL_PREDICTIONS.casefold()), None)
    writes_predictions = True if final is None else truth(values.pop(final))
    _fit(call, values)
    if writes_predictions:
        name = spelled(call.command.words[0])
        path = derived_path(call.script, call.run.log.path, "predictions", name)
        write_predictions(call.run.models[-1].result.predictor, call.shared.known_measured, call.shared.known_nfp, path)
        call.run.files.append(path)
    return call.state


def search_python(call: CommandCall) -> State:
    """`learn-python-opt`: choose the parameters of an estimator by the error on held-out folds."""
    name = spelled(call.command.words[0])
    grid = call.command.lists or GRIDS[name]
    rows, measured = rows_of(call).rows, call.shared.known_measured
    encoding = Encoding.of(features_of(measured.system, numeric_disabled=False), logs=False)
    columns = encoding.columns(measured.configurations[rows])
    folds = Settings().changed(call.own.settings).crossValidation_k
    trials_found = search(name, grid, columns, np.asarray(measured.column(call.shared.known_nfp)[rows]), folds, 0)
    trials = [({key: values[key] for key in grid}, error) for values, error in trials_found]
    best = trials[0][0]
    write_trials(call, trials, best)
    if truth(call.command.values.get(PERFORM, "true")):
        _fit(call, best)
    return call.state


def _fit(call: CommandCall, values: Mapping[str, str]) -> None:
    """Fit an estimator; with `pythonInfluenceAnalysis` print the linear model of its predictions."""
    model = learned(call, rows_of(call), ScikitLearner(spelled(call.command.words[0]), values))
    result, error = model.result, model.error
    call.run.log.line(f"Learning: NumberOfConfigurationsLearning:{result.learning_configurations}")
    call.run.log.line(f"Elapsed learning time(seconds): {duration_text(result.seconds)}")
    call.run.log.line(f"Prediction Error: {net_number(float('nan') if error is None else error)} %")
    analysis = [value for name, value in call.own.settings.items() if setting_name(name) == setting_name(ANALYSIS)]
    if analysis and truth(analysis[-1]):
        surrogate = linear_surrogate(result.predictor, call.shared.known_measured.configurations, model.nfp)
        pairs = [(term.influence, term.log_text(surrogate.model.order, surrogate.base)) for term in surrogate.terms]
        call.run.log.line(f"Influence analysis: {model_text(pairs)}")
