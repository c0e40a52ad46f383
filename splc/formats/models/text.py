"""Performance-influence models as model text, a sum of terms (see `splc.models.text.reader`)."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from splc.data.table import names_of
from splc.errors import ExpressionError
from splc.formats.models.notation import log2_text
from splc.formats.models.stored_model import ModelFile
from splc.io.files import Source
from splc.io.latex import one_line
from splc.io.numbers import number_text
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters
from splc.models.subexpressions import CallOf, Derived, needed
from splc.models.terms import Factor, Term
from splc.models.text.reader import expand_model
from splc.models.text.signs import Signs
from splc.system.variability import ROOT, VariabilityModel


def parse_model(
    text: str,
    system: VariabilityModel | None = None,
    *,
    parameters: Mapping[str, float] | Parameters | None = None,
    symbols: str | Collection[str] = (),
) -> InfluenceModel:
    """Return the performance-influence model of a text, such as `5 + 2 * px * log2(nx)`.

    Args:
        text: the model text.
        system: the system, whose options the names must be, or parameters, or the text's own definitions; None takes
            every name as an option, all of which are positive.
        parameters: machine parameters that the text uses, name → value, or the result of `read_parameters`.
        symbols: the parameters that `splc.calibration.calibrate` estimates.

    Raises:
        ExpressionError: if the text contains unknown names or is not a model.
    """
    return parse_model_text(Source("model", text.encode()), system, parameters, names_of(symbols))


def parse_model_text(
    source: Source,
    system: VariabilityModel | None = None,
    parameters: Mapping[str, float] | Parameters | None = None,
    symbols: Collection[str] = (),
) -> InfluenceModel:
    """Return the model of a text. See `parse_stored_text`."""
    return parse_stored_text(source, system, parameters, symbols)[0]


def parse_stored_text(
    source: Source,
    system: VariabilityModel | None = None,
    parameters: Mapping[str, float] | Parameters | None = None,
    symbols: Collection[str] = (),
) -> tuple[InfluenceModel, frozenset[str]]:
    """Return the model of a text, and the names of the parameters that it uses.

    `system`: the system, whose options or observed variables the names must be (or parameters, or the text's
    own definitions); None takes every name as an option, all of which are positive. `parameters`: machine parameters
    that the text uses: name → value, or the content of a parameters file.
    """
    known_parameters = Parameters.of(parameters)
    names = None if system is None else system.term_names
    constants = {ROOT} if system is None else {*system.mandatory, ROOT}
    binary: list[str] = []
    order: tuple[str, ...] = ()
    signs = Signs()
    if system is not None:
        binary = [*(option.name for option in system.binary_options), *system.switches]
        order = (*system.term_order, *known_parameters.quantities)
        # The range of an observed variable is unknown.
        lowest = dict.fromkeys(system.observed, -math.inf)
        lowest |= {option.name: min(option.values) for option in system.numeric_options}
        signs = Signs(lowest, 0.0)
    try:
        expanded = expand_model(
            source.text(), names, known_parameters, symbols=symbols, constants=constants, binary=binary, signs=signs
        )
    except ExpressionError as error:
        raise error.at(source.name) from None
    return InfluenceModel.from_terms(expanded.expansion, order, "identity", expanded.derived), expanded.used


def with_link(model: InfluenceModel) -> InfluenceModel:
    """Return a model that is the exponential of a sum, without parameters, as this sum with the link 'log'."""
    derived: dict[str, Derived] = {str(derived_name.name): derived_name for derived_name in model.derived}
    match model.terms:
        case ((Term((Factor(name, 1, 0),)), 1.0),) if not model.parameters:
            match derived.get(str(name)):
                case CallOf(_, "exp", (terms,)) as found:
                    return InfluenceModel.from_terms(terms, model.order, "log", needed(found.names, derived))
    return model


def model_text_file(model: InfluenceModel) -> str:
    """Return a model as model text: a sum of terms, or for the link 'log' its exponential, `exp(0.5 + 2 * x)`."""
    return (f"exp({model.text})" if model.link == "log" else model.text) + "\n"


def models_text(content: ModelFile) -> str:
    """Return models as model text, logarithms to the base 2, each below a comment with what it rests on.

    `read_model` reads the text of a single model; of several models, remove all but one first.
    """
    lines = [f"# {one_line(content.about)}"]
    for stored in content.models:
        if len(content.models) > 1:
            lines.append("")
        lines.append(f"# {stored.comment}")
        if stored.lower is not None:
            below, changing, change = stored.lower
            bound = f"{one_line(changing)} = {number_text(change)}"
            lines.append(f"# beyond {bound}; up to there it is {log2_text(below)}")
        lines.append(log2_text(stored.model))
    return "\n".join(lines) + "\n"
