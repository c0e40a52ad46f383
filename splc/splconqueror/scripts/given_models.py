"""The commands of scripts about terms and models that users state: `truemodel` and `evaluate-model`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from splc.data.accuracy import mean_relative_error
from splc.errors import ExpressionError, InputError, Problems, SplcError
from splc.formats.models.log_writer import analysis_lines
from splc.formats.models.term_list import parse_term_list
from splc.io.files import Source, read_source
from splc.learning.judging import predictions
from splc.learning.result import Predictor
from splc.models.influence import InfluenceModel
from splc.models.text.log_grammar import expand_product, is_number, net_number, split_model
from splc.splconqueror.scripts.context import CommandCall
from splc.splconqueror.scripts.models import learned
from splc.splconqueror.scripts.outputs import write_predictions
from splc.splconqueror.scripts.settings import judges
from splc.splconqueror.scripts.state import MatchedRows, State
from splc.system.variability import ROOT, VariabilityModel


def fit_terms(call: CommandCall) -> State:
    """`truemodel`: fit the influences of given terms to all measurements."""
    shared = call.shared
    learner = parse_term_list(read_source(call.path()), shared.known_space.system)
    usable = np.flatnonzero(~np.isnan(shared.known_measured.column(shared.known_nfp)))
    model = learned(call, MatchedRows(usable), learner)
    for line in analysis_lines(model.result, model.errors):
        if line.startswith("0;"):
            call.run.log.line(line)
    _write(call, model.result.predictor)
    return call.sharing(model=model)


def evaluate(call: CommandCall) -> State:
    """`evaluate-model`: state the errors of models, one per line, on the evaluation set or all measurements."""
    source, system = read_source(call.path()), call.shared.known_space.system
    problems = Problems(source.name)
    models = []
    for number, text in _lines(source):
        try:
            models.append((text, parse_given_model(text, system)))
        except SplcError as error:
            problems.include(error, number)
    if not models and not problems:
        problems.add("there is no model", hint="write one model per line, such as 2.5 * root + 3 * x")
    problems.raise_if_any(InputError)
    judged, nfp = judges(call.shared), call.shared.known_nfp
    for number, (text, model) in enumerate(models, 1):
        mean_error = mean_relative_error(predictions(model, judged.configurations), judged.column(nfp))
        call.run.log.line(text)
        call.run.log.line(f"Prediction Error: {net_number(float('nan') if mean_error is None else mean_error)} %")
        _write(call, model, f"_{number}")
    return call.state


def parse_given_model(text: str, system: VariabilityModel) -> InfluenceModel:
    """Return a model in the grammar of logs: `2.5 * root + -3 * x * y`.

    Raises:
        ExpressionError: if it is wrong, or names something else than an option.
    """
    names = system.term_table
    terms = []
    for influence, product in split_model(text):
        if not is_number(influence):
            hint = "write terms such as 2.5 * x, separated by ' + '"
            raise ExpressionError(f"a term must begin with its influence, not {influence!r}", hint=hint)
        expansion = expand_product(product or ROOT, names, system)
        terms += [(term, float(influence) * weight) for term, weight in expansion.items()]
    return InfluenceModel.of_system(terms, system)


def _lines(source: Source) -> list[tuple[int, str]]:
    """Return the lines of a file with their numbers, without comments and empty lines."""
    lines = ((number, raw.partition("#")[0].strip()) for number, raw in enumerate(source.text().splitlines(), 1))
    return [(number, line) for number, line in lines if line]


def _write(call: CommandCall, predictor: Predictor, suffix: str = "") -> None:
    """Write the predictions of a model, if the command names a file; the suffix precedes that of the file."""
    if len(call.command.words) > 1:
        path = Path(call.path(call.command.words[1]))
        path = path.with_name(path.stem + suffix + path.suffix)
        write_predictions(predictor, call.shared.known_measured, call.shared.known_nfp, str(path))
        call.run.files.append(str(path))
