"""Learning results made by hand or at random, for the tests of what is written from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from splc.data.configurations import Configurations
from splc.formats.models.json import model_as_json
from splc.learning.folds import CrossValidated
from splc.learning.learner import influence_model
from splc.learning.result import InfluenceEstimate, LearnedTerm, LearningResult, PathPoint, Round
from splc.learning.stepwise.candidates import BASE, Candidate
from splc.learning.stepwise.settings import Settings
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, Factor, Term, log_term, option_term, product_of
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array, Link

influences = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12)
NAMES = ("x", "rc-lookahead", "a.b", "ä8", "7zip", "log10x", "e5", "two words", "c+d", "log10", "n")


@st.composite
def systems(draw: st.DrawFn) -> VariabilityModel:
    """Draw a system whose names are hard to read, with mandatory options, alternatives and optional numeric ones."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6, unique=True))
    cut = draw(st.integers(0, len(names)))
    binary = tuple(BinaryOption(name, optional=draw(st.booleans())) for name in names[:cut])
    values = st.lists(st.floats(0.001, 1e9), min_size=1, max_size=3, unique=True)
    numeric = tuple(
        NumericOption(name, tuple(sorted(draw(values))), deselected_flag=draw(st.sampled_from([None, -1.0])))
        for name in names[cut:]
    )
    return VariabilityModel("system", (*binary, *numeric))


@st.composite
def candidates(draw: st.DrawFn, system: VariabilityModel) -> Candidate:
    """Draw a candidate of every kind that the learner makes."""
    binary = frozenset([*(option.name for option in system.binary_options), *system.switches])
    result = BASE
    used = [name for name in (*system.names, *system.switches) if name not in system.mandatory]
    for name in draw(st.lists(st.sampled_from(used), min_size=1, max_size=4)) if used else []:
        option = next((o for o in system.numeric_options if o.name == name), None)
        kinds = ["power"] if option is None else ["power", "square", "log", "reciprocal", "mirror", "accumulated"]
        kind = draw(st.sampled_from(kinds))
        if kind == "mirror" and option is not None:
            factor = Candidate(
                mirrors=((name, option.values[-1], f"Enabled{name}" if option.deselected_flag is not None else None),)
            )
        elif kind == "accumulated":
            factor = Candidate(log_of=((name, draw(st.integers(2, 3))),)) if not result.log_of else BASE
        elif kind == "log":
            factor = Candidate(log_term(name))
        else:
            factor = Candidate(option_term(name, {"square": 2, "reciprocal": -1}.get(kind, 1)))
        result = result.times(factor, binary)
    return result


@st.composite
def results(draw: st.DrawFn, system: VariabilityModel) -> LearningResult:
    """Draw a learning result of a system, with or without rounds."""
    found = draw(st.lists(candidates(system), max_size=5, unique=True))
    terms = [c.learned(draw(influences)) for c in (BASE, *(c for c in found if c != BASE))]
    rounds = tuple(
        Round(
            i,
            terms[i],
            draw(st.floats(0, 100)),
            draw(st.floats(0, 100)),
            draw(st.floats(0, 100)),
            tuple(replace(term, influence=term.influence * 1.25) for term in terms[: i + 1]),
            float(i),
        )
        for i in range(1, len(terms))
    )
    return result_of(system, terms, () if draw(st.booleans()) else rounds)


def result_of(
    system: VariabilityModel,
    terms: list[LearnedTerm],
    rounds: tuple[Round, ...] = (),
    termination: str = "abortError",
    **settings: object,
) -> LearningResult:
    """Return a learning result with these terms."""
    return LearningResult(
        predictor=influence_model(terms, system),
        learner="stepwise",
        rounds=rounds,
        terms=tuple(terms),
        termination=termination,
        nfp="run time",
        learning_configurations=9,
        learning_error=1.5,
        error=None,
        error_all=2.5,
        left_out=0,
        base=system.base_option,
        seconds=0.25,
        preset="default",
        settings=Settings().changed(settings).as_dict(),
        seed=3,
        provenance={"splc": "0.1.0", "sampling": "pb:9,3", "measured_configurations": 20},
    )


exponents = st.one_of(st.integers(-3, 3), st.fractions(-2, 2, max_denominator=4)).map(
    lambda e: int(e) if e == int(e) else Fraction(e)
)


@st.composite
def influence_models(draw: st.DrawFn, names: tuple[str, ...] = ("a", "b", "rc-lookahead")) -> InfluenceModel:
    """Draw a model with any exponents and either link."""
    factors = st.builds(Factor, st.sampled_from(names), exponents, exponents)
    terms = st.lists(factors, max_size=3).map(product_of)
    pairs: list[tuple[Term, float]] = draw(st.lists(st.tuples(terms, influences), max_size=5))
    return InfluenceModel.from_terms(pairs, names, draw(st.sampled_from(["identity", "log"])))


def small_system() -> VariabilityModel:
    """Return a system with a mandatory, an optional and two numeric options, one of them optional."""
    return VariabilityModel(
        "small",
        (
            BinaryOption("base", optional=False),
            BinaryOption("gvn"),
            BinaryOption("rc-lookahead"),
            NumericOption("x", (1.0, 2.0, 4.0, 64.0)),
            NumericOption("y", tuple(np.arange(1.0, 6.0).tolist()), deselected_flag=-1.0),
        ),
    )


@dataclass(frozen=True)
class Band:
    """Prediction intervals of a constant relative width, which files of models keep."""

    model: InfluenceModel
    width: float
    level: float = 0.9

    def interval(self, configurations: Configurations) -> tuple[Array, Array]:
        """Return the lower and upper ends."""
        predicted = self.model.predict(configurations)
        return predicted * (1 - self.width), predicted * (1 + self.width)

    def as_json(self) -> dict[str, object]:
        """Return it in JSON's types."""
        return {"kind": "band", "width": self.width, "model": model_as_json(self.model)}

    @classmethod
    def from_json(cls, content: Mapping[str, Any], system: VariabilityModel) -> Band:
        """Return what `uncertain_result` has, with the width of a JSON object."""
        assert system == small_system()
        return cls(uncertain_result().model, content["width"])


def uncertain_result(link: Link = "identity") -> LearningResult:
    """Return the result of a learner that estimates uncertainty: `2 + 3 * gvn + 0.25 * x - 0.01 * gvn * x`."""
    system = small_system()
    terms = [(CONSTANT, 2.0), (option_term("gvn"), 3.0), (option_term("x"), 0.25)]
    terms.append((option_term("gvn") * option_term("x"), -0.01))
    learned = [LearnedTerm(term, influence) for term, influence in terms]
    model = influence_model(learned, system, link)
    estimates = tuple(
        InfluenceEstimate(term, influence, 0.05, influence - 0.08, influence + 0.08, 0.58 if influence < 0 else 1.0)
        for term, influence in model.terms
    )
    return replace(
        result_of(system, learned),
        predictor=model,
        termination="size",
        cross_validated=CrossValidated(2.5, 3.5, 12.25),
        estimates=estimates,
        path=(PathPoint(1, 40.0, "1"), PathPoint(2, 20.0, "gvn"), PathPoint(4, 3.25, "gvn * x")),
        intervals=Band(model, 0.125),
    )
