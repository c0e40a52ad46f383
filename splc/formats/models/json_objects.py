"""The JSON objects of models, in files and in outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from splc.io.json_object import ITSELF, JsonObject, at, each, merged
from splc.learning.model_scores import FormScore, PathPoint
from splc.learning.result import CrossValidated
from splc.models.influence import InfluenceModel
from splc.scaling.prediction import Prediction
from splc.types import Link

if TYPE_CHECKING:
    from splc.learning.result import LearningResult
    from splc.models.terms import Exponent
    from splc.scaling.result import ScalingModel


def _exponent(value: Exponent) -> int | str:
    return value if isinstance(value, int) else str(value)


class FactorObject(JsonObject):
    """A factor of a term; exponents that are not whole numbers are fractions, as text."""

    option: str
    power: int | str = at(lambda factor: _exponent(factor.power))
    log10: int | str = at(lambda factor: _exponent(factor.log))


class TermObject(JsonObject):
    """A term with its influence."""

    term: str
    influence: float
    factors: list[FactorObject]


def terms_of(model: InfluenceModel) -> list[dict[str, Any]]:
    """Return the terms of a model with their influences and factors."""
    return [
        {"term": term.text(model.order), "influence": influence, "factors": term.factors}
        for term, influence in model.terms
    ]


class ModelObject(JsonObject):
    """A performance-influence model; with the link "log" its sum is the logarithm of the prediction."""

    text: str
    link: Link
    order: list[str]
    subexpressions: list[str] = each("factors", "name")
    terms: Sequence[TermObject] = at(terms_of)


class LeadObject(JsonObject):
    """The exponents of a parameter in the lead term, as text."""

    power: str = at(0)
    log: str = at(1)


def _log2(model: ScalingModel) -> str:
    """Return the text of a model with logarithms to the base 2."""
    from splc.formats.models.notation import log2_text

    return log2_text(model.model)


class ScalingObject(JsonObject):
    """A scaling model without its terms; errors are in percent."""

    parameters: list[str] = at("names")
    log2: str = at(_log2)
    lead: dict[str, LeadObject] = at(
        lambda model: {key: tuple(map(str, exponents)) for key, exponents in model.lead.items()}
    )
    ranges: dict[str, tuple[float, float]] = at(lambda model: dict(zip(model.names, model.ranges, strict=True)))
    points: int
    measurements: int
    smape: float | None
    adjusted_r2: float | None
    rss: float | None
    noise: float | None
    certainty: float | None
    change: float | None
    changing: str | None
    below: ModelPartsObject | None
    method: str
    settings: dict[str, Any]
    notes: list[str]


class ModelPartsObject(JsonObject):
    """A scaling model: its terms, and everything else."""

    model: ModelObject
    scaling: ScalingObject = at(lambda model: model)


class PredictionObject(JsonObject):
    """The prediction of a scaling model at a point; null is a distance that is infinite."""

    prediction: Prediction = merged(ITSELF)
    distance: float | None


class InfluenceEstimateObject(JsonObject):
    """The uncertainty of an influence; the interval is one of 90 %."""

    term: str
    influence: float
    standard_error: float | None
    low: float | None
    high: float | None
    sign_probability: float | None
    folds: int | None


def estimates_of(result: LearningResult) -> list[dict[str, Any]]:
    """Return the estimates of a result, with terms as text."""
    order = result.model.order if result.readable else ()
    return [{**vars(estimate), "term": estimate.term.text(order)} for estimate in result.estimates]


class UncertaintyObject(JsonObject):
    """The cross-validated error, the uncertainty of influences, the forms, and the path from few terms to many."""

    cross_validated: CrossValidated | None
    estimates: list[InfluenceEstimateObject] = at(estimates_of)
    support_folds: int | None = at("folds")
    forms: list[FormScore]
    path: list[PathPoint]
