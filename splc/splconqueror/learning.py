"""The samples and settings of scripts, and the commands that learn models, predict with them, and judge stated ones."""

from __future__ import annotations

import itertools
import math
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sampling import Space, draw_sample
from splc.data.accuracy import mean_relative_error
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import (
    EmptySampleError,
    ExpressionError,
    InputError,
    LearningError,
    Problems,
    RequestError,
    SplcError,
    unknown_name_hint,
)
from splc.formats.measurements.csv import write_configurations
from splc.formats.models.log_writer import VALIDATION, analysis_lines, learning_lines
from splc.formats.models.read import parse_term_list
from splc.formats.scripts import FINAL_PREDICTIONS, RANDOMIZED, Sampling, spec_of, truth, whole_number
from splc.io.files import read_source, write_whole
from splc.io.settings import setting_name
from splc.learning.baselines import GRIDS, Encoding, ScikitLearner, search, spelled
from splc.learning.features import features_of
from splc.learning.given_forms import linear_surrogate
from splc.learning.learner import Learner, match, predictions, round_errors
from splc.learning.registry import learner_of, search_settings
from splc.learning.result import Predictor
from splc.learning.stepwise.settings import SPLCONQUEROR, SPLCONQUEROR_2019, WITHOUT_EFFECT, Settings
from splc.models.influence import InfluenceModel
from splc.models.text.log_grammar import duration_text, expand_product, is_number, model_text, net_number, split_model
from splc.splconqueror.state import CommandCall, Learned, State, located
from splc.system.variability import ROOT, VariabilityModel
from splc.types import Array
from splc.workflows.learn.request import learn_rows

# The note about a design that differs from that of the program.
OTHER_DESIGN = "kexchange: this D-optimal design has other rows than that of SPL Conqueror's program"


@dataclass(frozen=True, eq=False)
class MatchedRows:
    """The measured configurations to learn from."""

    rows: Array  # the positions of the learning set
    validation: Array | None = None  # positions of the configurations that judge candidates; None: the learning set
    notes: tuple[str, ...] = ()  # the sampled configurations that were replaced or left out


def sampled(samplings: Sequence[Sampling], space: Space, script: str) -> tuple[Configurations | None, tuple[str, ...]]:
    """Return the configurations that samplings select together, distinct, and notes; None without samplings.

    Several binary ones are joined, so are several numeric ones; the sample is the product of both. It may be empty.
    """
    kinds = ("hybrid", "binary", "numeric")
    hybrid, binary, numeric = ([[entry] for entry in samplings if entry.kind == kind] for kind in kinds)
    combinations = hybrid
    if binary or numeric:
        combinations += [[*first, *second] for first, second in itertools.product(binary or [[]], numeric or [[]])]
    system = space.system
    parts = [Configurations(system, np.zeros((0, len(system.options)), dtype=np.uint8))]
    notes: list[str] = []
    for combination in combinations:
        notes += (OTHER_DESIGN for sampling in combination if sampling.spec.startswith("dopt:"))
        files = [located(script, sampling.file) for sampling in combination if sampling.file is not None]
        try:
            sample = draw_sample(system, spec_of(combination, system, *files), 0, None, space)
        except EmptySampleError as error:
            notes += (problem.message for problem in error.problems)
            continue
        parts.append(sample.configurations)
        notes += sample.notes
    return Configurations.concatenate(parts).unique() if combinations else None, tuple(dict.fromkeys(notes))


def learning_rows(
    samplings: Sequence[Sampling], everything: bool, measured: Measurements, nfp: str, space: Space, script: str
) -> MatchedRows:
    """Return the measured configurations to learn from and to judge candidates by.

    A sampled configuration that was not measured is replaced by the nearest one, or left out. Without a learning set
    the validation set is learned from.
    """
    usable = np.flatnonzero(~np.isnan(measured.column(nfp)))
    if everything:
        return MatchedRows(usable)
    known = measured[usable]
    sets: list[Array] = []
    notes: list[str] = []
    all_empty = True
    for validation in (False, True):
        of_set = [sampling for sampling in samplings if sampling.validation == validation]
        configurations, sampling_notes = sampled(of_set, space, script)
        notes += sampling_notes
        rows = np.zeros(0, dtype=np.intp)
        if configurations is not None:
            all_empty = all_empty and not len(configurations)
            rows, remarks = match(known, configurations, "nearest")
            notes += remarks
        sets.append(usable[rows])
    learning, judging = sets
    if not len(learning) and not len(judging):
        hint = "choose another sampling, or select-all-measurements true"
        reason = "; ".join(dict.fromkeys(notes)) if all_empty else "none of the sampled configurations was measured"
        raise LearningError(f"there is nothing to learn from: {reason}", hint=hint)
    if not len(learning):
        return MatchedRows(judging, None, tuple(notes))
    return MatchedRows(learning, judging if len(judging) else None, tuple(notes))


def rows_of(call: CommandCall) -> MatchedRows:
    """Return the learning set of a script, with a line in the log."""
    started, state = time.monotonic(), call.state
    space, measured = state.known_space, state.known_measured
    rows = learning_rows(state.samplings, state.everything, measured, state.known_nfp, space, call.script)
    call.run.log.line(f"Total sampling time: {duration_text(time.monotonic() - started)}")
    call.remark(rows.notes)
    return rows


PERFORM, ANALYSIS, ABORT_ERROR = "performWithOptimal", "pythonInfluenceAnalysis", "abortError"
PREDICTED = "predicted"
_IDLE = {setting_name(name) for name in WITHOUT_EFFECT}


def require_preset(name: str) -> None:
    """Refuse settings that are not those of a version of SPL Conqueror."""
    presets = (SPLCONQUEROR, SPLCONQUEROR_2019)
    if name not in presets:
        raise RequestError(f"scripts have no preset {name!r}", "preset", hint=unknown_name_hint(name, presets))


def _stated(settings: Mapping[str, str], name: str) -> str | None:
    """Return the last value of a setting, whose name may be spelled in several ways; None without one."""
    values = [value for key, value in settings.items() if setting_name(key) == setting_name(name)]
    return values[-1] if values else None


def _effective(settings: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in settings.items() if setting_name(name) not in _IDLE}


def stepwise(preset: str, settings: Mapping[str, str]) -> Learner:
    """Return SPL Conqueror's algorithm; settings without an effect are left out."""
    return learner_of(None, preset, _effective(settings))


def stated_deviation(measured: Measurements, settings: Mapping[str, str]) -> float | None:
    """Return the deviation that a measurement file states, if it becomes abortError; it does not where that is set."""
    value = _stated(settings, ABORT_ERROR)
    return measured.report.deviation if value is None or float(value) == Settings().abortError else None


def _learned(call: CommandCall, rows: MatchedRows, learner: Learner) -> Learned:
    state, run = call.state, call.run
    measured, nfp = state.known_measured, state.known_nfp
    sampling = tuple(entry.line for entry in state.samplings)
    if state.everything:
        sampling = ("select-all-measurements true",)
    facts: dict[str, Any] = {"sampling": "; ".join(sampling), "measured_configurations": len(measured.measured(nfp))}
    if rows.validation is not None:
        facts[VALIDATION] = len(rows.validation)
    judging: dict[str, Any] = {"evaluation": state.evaluation, "validation": rows.validation, "provenance": facts}
    watching: dict[str, Any] = {
        "on_step": lambda step, line: run.watch.advance(0, None, line),
        "should_stop": run.watch.stop,
    }
    result, _ = learn_rows(measured, nfp, learner, rows.rows, **judging, **watching)
    validation = len(rows.rows if rows.validation is None else rows.validation)
    place = (call.script, call.command.line, call.command.name)
    model = Learned(*place, nfp, sampling, result, tuple(round_errors(result)), validation, run.log.path)
    run.models.append(model)
    for text in result.notes:
        call.note(text)
    return model


def learn(call: CommandCall) -> State:
    """`learn-splconqueror`: learn from the sampled, or from all measurements."""
    return _learn(call, rows_of(call), call.state.settings)


def _learn(call: CommandCall, rows: MatchedRows, settings: Mapping[str, str]) -> State:
    model = _learned(call, rows, stepwise(call.run.preset, settings))
    for line in learning_lines(model.result, model.error, model.validation):
        call.run.log.line(line)
    if call.state.everything:
        call.run.log.line("Finished")
    return replace(call.state, model=model)


def search_stepwise(call: CommandCall) -> State:
    """`learn-splconqueror-opt`: choose the settings with the least error on held-out folds, and learn with them."""
    rows, state, command = rows_of(call), call.state, call.command
    is_random = any(word.casefold() == RANDOMIZED for word in command.words)
    trials = search_settings(
        state.known_measured,
        state.known_nfp,
        command.lists,
        rows.rows,
        preset=call.run.preset,
        settings=_effective(state.settings),
        folds=Settings().changed(state.settings).crossValidation_k,
        samples=whole_number("samples", command.values.get("samples", "10"), 1) if is_random else None,
        seed=whole_number("seed", command.values.get("seed", "0"), 0),
        should_stop=call.run.watch.stop,
    )
    values, _ = min(trials, key=lambda trial: math.inf if trial[1] is None else trial[1])
    best = {name: str(value) for name, value in values.items()}
    _write_trials(call, trials, best)
    return _learn(call, rows, {**state.settings, **best}) if _performs(call) else state


def _performs(call: CommandCall) -> bool:
    return truth(call.command.values.get(PERFORM, "true"))


def _write_trials(
    call: CommandCall, trials: Sequence[tuple[Mapping[str, Any], float | None]], best: Mapping[str, str]
) -> None:
    """Write the best settings of a search to the log, and all that were tried to the file that the command names."""
    least = min(error for _, error in trials if error is not None)
    call.run.log.line(f"Optimal parameters: {' '.join(f'{name}:{value}' for name, value in best.items())}")
    call.run.log.line(f"Error on held-out folds: {net_number(least)} %")
    if "file" in call.command.values:
        path = call.path(call.command.values["file"])
        rows = [[*best, "error"]]
        rows += [[*map(str, values.values()), "" if error is None else net_number(error)] for values, error in trials]
        write_whole(path, "".join(f"{';'.join(row)}\n" for row in rows))
        call.run.files.append(path)


def analyze(call: CommandCall) -> State:
    """`analyze-learning`: print the rounds with their errors."""
    model = call.state.known_model
    for line in analysis_lines(model.result, model.errors):
        call.run.log.line(line)
    return call.state


def fit_terms(call: CommandCall) -> State:
    """`truemodel`: fit the influences of given terms to all measurements."""
    state = call.state
    learner = parse_term_list(read_source(call.path()), state.known_space.system)
    usable = np.flatnonzero(~np.isnan(state.known_measured.column(state.known_nfp)))
    model = _learned(call, MatchedRows(usable), learner)
    for line in analysis_lines(model.result, model.errors):
        if line.startswith("0;"):
            call.run.log.line(line)
    _write_named(call, model.result.predictor)
    return replace(state, model=model)


def learn_python(call: CommandCall) -> State:
    """`learn-python`: fit an estimator, and print its error."""
    values = dict(call.command.values)
    final = next((name for name in values if name.casefold() == FINAL_PREDICTIONS.casefold()), None)
    writes_predictions = True if final is None else truth(values.pop(final))
    model = _fit(call, values)
    if writes_predictions:
        _write_predictions(call, model.result.predictor, model.nfp, spelled(call.word))
    return call.state


def search_python(call: CommandCall) -> State:
    """`learn-python-opt`: choose the parameters of an estimator by the error on held-out folds."""
    state, name = call.state, spelled(call.word)
    grid = call.command.lists or GRIDS[name]
    rows, measured = rows_of(call).rows, state.known_measured
    encoding = Encoding(features_of(measured.system, numeric_disabled=False))
    columns = encoding.columns(measured.configurations[rows])
    folds = Settings().changed(state.settings).crossValidation_k
    found = search(name, grid, columns, np.asarray(measured.column(state.known_nfp)[rows]), folds, 0)
    trials = [({key: values[key] for key in grid}, error) for values, error in found]
    _write_trials(call, trials, trials[0][0])
    if _performs(call):
        _fit(call, trials[0][0])
    return state


def _fit(call: CommandCall, values: Mapping[str, str]) -> Learned:
    """Fit an estimator; with `pythonInfluenceAnalysis` print the linear model of its predictions."""
    model = _learned(call, rows_of(call), ScikitLearner(spelled(call.word), values))
    result, log = model.result, call.run.log
    log.line(f"Learning: NumberOfConfigurationsLearning:{result.learning_configurations}")
    log.line(f"Elapsed learning time(seconds): {duration_text(result.seconds)}")
    log.line(f"Prediction Error: {_percent(model.error)}")
    if truth(_stated(call.state.settings, ANALYSIS) or "false"):
        surrogate = linear_surrogate(result.predictor, call.state.known_measured.configurations, model.nfp)
        pairs = [(term.influence, term.log_text(surrogate.model.order, surrogate.base)) for term in surrogate.terms]
        log.line(f"Influence analysis: {model_text(pairs)}")
    return model


def _percent(error: float | None) -> str:
    return f"{net_number(float('nan') if error is None else error)} %"


def predict(call: CommandCall) -> State:
    """`predict-all-configs-splconqueror FILE` and `predict-configs-splconqueror`: write predictions of all measured."""
    model = call.state.known_model
    if call.command.words:
        _write(call, model.result.predictor, model.nfp, call.path())
    else:
        _write_predictions(call, model.result.predictor, model.nfp, *model.sampling)
    return call.state


def _write_predictions(call: CommandCall, predictor: Predictor, nfp: str, *parts: str) -> None:
    """Write predictions to a file that a script does not name: that of the log, or else of the script, and parts."""
    stem = Path(call.run.log.path or call.script)
    words = [re.sub(r"[^\w.=-]+", "-", part).strip("-") for part in parts]
    name = "_".join((stem.stem, "predictions", *(word for word in words if word))) + ".csv"
    _write(call, predictor, nfp, str(stem.with_name(name)))


def _write_named(call: CommandCall, predictor: Predictor, suffix: str = "") -> None:
    """Write the predictions of a model, if the command names a file; the suffix precedes that of the file."""
    if len(call.command.words) > 1:
        path = Path(call.path(call.command.words[1]))
        _write(call, predictor, call.state.known_nfp, str(path.with_name(path.stem + suffix + path.suffix)))


def _write(call: CommandCall, predictor: Predictor, nfp: str, path: str) -> None:
    """Write all measured configurations with the measured and the predicted value."""
    measured = call.state.known_measured
    predicted = np.asarray(predictions(predictor, measured.configurations))
    columns: Mapping[str, Array] = {nfp: measured.column(nfp), PREDICTED: predicted}
    write_configurations(measured.configurations, path, columns)
    call.run.files.append(path)


def evaluate(call: CommandCall) -> State:
    """`evaluate-model`: state the errors of models, one per line, on the evaluation set or all measurements."""
    source, system = read_source(call.path()), call.state.known_space.system
    problems = Problems(source.name)
    models = []
    for number, raw in enumerate(source.text().splitlines(), 1):
        if text := raw.partition("#")[0].strip():
            try:
                models.append((text, _parse_model(text, system)))
            except SplcError as error:
                problems.include(error, number)
    if not models and not problems:
        problems.add("there is no model", hint="write one model per line, such as 2.5 * root + 3 * x")
    problems.raise_if_any(InputError)
    judged, nfp = call.state.judges, call.state.known_nfp
    for number, (text, model) in enumerate(models, 1):
        mean_error = mean_relative_error(predictions(model, judged.configurations), judged.column(nfp))
        call.run.log.line(text)
        call.run.log.line(f"Prediction Error: {_percent(mean_error)}")
        _write_named(call, model, f"_{number}")
    return call.state


def _parse_model(text: str, system: VariabilityModel) -> InfluenceModel:
    """Return a model in the grammar of logs: `2.5 * root + -3 * x * y`."""
    names = system.term_table
    terms = []
    for influence, product in split_model(text):
        if not is_number(influence):
            hint = "write terms such as 2.5 * x, separated by ' + '"
            raise ExpressionError(f"a term must begin with its influence, not {influence!r}", hint=hint)
        expansion = expand_product(product or ROOT, names, system)
        terms += [(term, float(influence) * weight) for term, weight in expansion.items()]
    return InfluenceModel.of_system(terms, system)
