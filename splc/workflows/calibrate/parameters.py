"""Free parameters: the model in which they are free, and what measurements do not say about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

import numpy as np

from splc.calibration import SCALE, Calibration, Estimate
from splc.data.accuracy import signed_errors
from splc.data.discrepancy import worst_place
from splc.data.measurements import Measurements
from splc.data.summary import summary_of
from splc.errors import Problem, SpecError, SplcError, listed, nearest, plural
from splc.formats.detect import model_format
from splc.formats.models.read import ReadOptions, StoredModel, parse_stored_models
from splc.io.files import Source, read_source
from splc.io.numbers import percentage, signed_percentage
from splc.models.parameters import Parameters
from splc.models.text.statements import split_text
from splc.system.variability import VariabilityModel
from splc.workflows.note import Note, Rank

# Formulas with a smaller error are right.
NEGLIGIBLE_PERCENT = 1.0


def free_model(file: str, system: VariabilityModel, known: Parameters, names: Sequence[str]) -> StoredModel:
    """Read a model whose parameters are those of these names; those without a benchmarked value start at 1."""
    _raise(_not_parameters(names, system, known))
    source = read_source(file)
    hint = "free are names that the model uses without defining them: delete its line to estimate it"
    _raise(
        Problem(f"{name!r} is a definition of the model; it cannot be free", file, line, hint=hint)
        for name, line in _definitions(source).items()
        if name in names and name not in known.quantities
    )
    parameters = known.changed({name: 1.0 for name in names if name not in known.quantities})
    # With all parameters as names first, which shows the ones that the model uses.
    [stored] = parse_stored_models(source, system, ReadOptions(parameters, symbols=parameters.quantities))
    _raise(_unused(file, stored, names))
    [stored] = parse_stored_models(source, system, ReadOptions(parameters, symbols=names))
    return stored


def guessed(stored: StoredModel, known: Parameters) -> tuple[str, ...]:
    """Return the free parameters without a benchmarked value; that of the factor on the whole model is 1."""
    return tuple(one.name for one in stored.model.parameters if one.name not in known.quantities)


def _not_parameters(names: Sequence[str], system: VariabilityModel, parameters: Parameters) -> Iterator[Problem]:
    for name in names:
        if name in system.term_names:
            hint = "free are the parameters of the model"
            yield Problem(f"{name!r} is an option or observed, not a parameter", hint=hint)
    for name in names:
        if name in parameters.expressions:
            message, line = f"{name!r} is an expression of the options, not a number", parameters.lines.get(name)
            yield Problem(message, parameters.source or None, line, hint="free are numbers and tables")


def _definitions(source: Source) -> dict[str, int]:
    """Return the names that a model text defines, with their lines; none for other files."""
    # Reading the model reports its problems.
    with suppress(SplcError):
        if model_format(source) == "txt":
            return {definition.name: definition.line for definition in split_text(source.text()).definitions}
    return {}


def _unused(file: str, stored: StoredModel, names: Sequence[str]) -> Iterator[Problem]:
    """Yield a problem for each name of a parameter that the model does not use."""
    used = {parameter.name for parameter in stored.model.parameters}
    for name in names:
        if name in used or name == SCALE:
            continue
        candidates = sorted(used - {*names})
        if stored.kind != "text":
            hint = f"only model text has parameters; of this model only '{SCALE}' can be estimated"
        elif candidates:
            hint = nearest(name, candidates) or f"others that it uses: {listed(candidates)}"
        else:
            hint = f"free can be: {listed([*sorted(used), SCALE])} ('{SCALE}' is a factor on the whole model)"
        yield Problem(f"the model does not use the parameter {name!r}", file, hint=hint)


def _raise(problems: Iterable[Problem]) -> None:
    if errors := list(problems):
        raise SpecError(errors)


def left_out(fit: Calibration, nfp: str) -> Iterator[Note]:
    """Yield notes about configurations without a usable value."""
    if fit.missing:
        yield Note(f"{plural(fit.missing, 'configuration has', 'configurations have')} no value of {nfp}")
    if fit.zeros:
        zeros = plural(fit.zeros, f"value of {nfp} is", f"values of {nfp} are")
        logarithm = "not positive and left out: only positive values have logarithms"
        yield Note(f"{zeros} {logarithm if fit.weights == 'log' else '0 and left out of the relative error'}")


def uncertain(fit: Calibration) -> Iterator[Note]:
    """Yield warnings about estimates that the measurements do not determine."""
    for name in fit.without_effect:
        origin = "the benchmarked one" if fit[name].benchmarked is not None else "only a start"
        text = f"{name} is not determined: it changes none of the predictions; its value is {origin}"
        yield Note(text, warning=True)
    for group in fit.confounded:
        text = f"interchangeable in your measurements: {listed(group.names)}"
        yield Note(f"{text}; their values are some of many that fit as well", warning=True)
        for combination in group.combinations:
            value = f"{combination.value:.6g} ({combination.low:.6g} to {combination.high:.6g})"
            yield Note(f"known is {combination.text} = {value}", about=Rank.LIMIT)
    for estimate in fit.estimates:
        if estimate.at_bound is not None:
            text = f"{estimate.name} is at its {side_of_bound(estimate)} bound, {estimate.value:g}: its interval ends "
            yield Note(f"{text}there, and holds only if the true value is within the bounds", warning=True)
    if not fit.converged:
        yield Note("the search did not converge; state bounds with --bound", warning=True)


def side_of_bound(estimate: Estimate) -> str:
    """Return which bound an estimate is at."""
    return "lower" if estimate.at_bound == "low" else "upper"


def fault(fit: Calibration, measured: Measurements, nfp: str) -> Iterator[Note]:
    """Yield that the formula is at fault if its error, with every parameter free, is not noise."""
    values = measured.column(nfp)
    rows = measured.configurations[used := np.isfinite(values) & (values != 0)]
    place = worst_place(signed_errors(fit.model.predict(rows), values[used]), rows)
    scatter = next(each.scatter for each in summary_of([measured]).properties if each.name == nfp)
    least = NEGLIGIBLE_PERCENT if scatter is None else max(NEGLIGIBLE_PERCENT, 100 * scatter)
    if fit.error_after is None or fit.error_after < least or (scatter is None and place is None):
        return
    names = listed([one.name for one in fit.estimates])
    text = f"the formula is at fault, not a parameter: with {names} free its error is still "
    text += percentage(fit.error_after, 2)
    text += "" if scatter is None else f" (runs of one configuration differ by {percentage(100 * scatter, 2)})"
    text += "" if place is None else f", mainly where {place.text} ({signed_percentage(place.error, 2)})"
    yield Note(text, about=Rank.LIMIT)
