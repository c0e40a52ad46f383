"""Performance-influence models as model text: a sum of terms that people write (see `splc.expression`)."""

from __future__ import annotations

from collections.abc import Mapping

from splc.errors import ExpressionError, OutputError
from splc.expression import expand_text
from splc.formats.files import Source
from splc.influence import InfluenceModel
from splc.variability import ROOT, VariabilityModel


def parse_model_text(
    source: Source,
    variability_model: VariabilityModel | None = None,
    parameters: Mapping[str, float] | None = None,
) -> InfluenceModel:
    """Return the model that a text is.

    Args:
        source: the text.
        variability_model: the system, whose options the names must be (or parameters, or the text's own definitions);
            None takes every name as an option.
        parameters: machine parameters that the text uses: name → value.

    Raises:
        ExpressionError: with file, line and column.
    """
    names = None if variability_model is None else variability_model.spellings
    try:
        expansion = expand_text(source.text(), names, parameters)
    except ExpressionError as error:
        raise error.at(source.name) from None
    if variability_model is None:
        return InfluenceModel.from_terms(expansion).reduced((), (ROOT,))
    binary = [option.name for option in variability_model.binary_options] + list(variability_model.switches)
    model = InfluenceModel.from_terms(expansion, (*variability_model.names, *variability_model.switches))
    return model.reduced(binary, variability_model.mandatory | {ROOT})


def model_text_file(model: InfluenceModel) -> str:
    """Return a model as model text.

    Raises:
        OutputError: for a model with a link, which model text cannot say.
    """
    if model.link != "identity":
        raise OutputError(
            f"a model with the link {model.link!r} cannot be written as model text", hint="write it as .json"
        )
    return model.text + "\n"
