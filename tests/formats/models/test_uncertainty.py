"""Files of models with uncertainty and with either link."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import InputError
from splc.formats.detect import model_writers
from splc.formats.models.json import learned_json_text, model_json_text
from splc.formats.models.log_writer import model_log_text
from splc.formats.models.read import ReadOptions, parse_stored_models
from splc.formats.models.stored_model import StoredModel, learned_file
from splc.io.files import Source
from splc.learning import full_predictor
from splc.learning.folds import JudgedRows
from splc.learning.judging import influence_model, round_errors
from splc.learning.result import LearnedTerm, LearningResult, Round
from splc.models.influence import InfluenceModel
from splc.models.text.reader import expand_model
from splc.system.variability import VariabilityModel
from splc.types import Link
from tests.support.learning_results import Band, small_system, uncertain_result

SYSTEM = small_system()
LINKS: tuple[Link, ...] = ("identity", "log")


@cache
def everything() -> Configurations:
    """Return all valid configurations."""
    return Space(SYSTEM).enumerate()


SUFFIXES = (".json", ".log", ".txt")


def stored(text: str, system: VariabilityModel | None = SYSTEM) -> StoredModel:
    """Return the model of a file."""
    return parse_stored_models(Source("m", text.encode()), system, ReadOptions())[0]


def written(result: LearningResult, suffix: str) -> str:
    """Return the text of a file of a result."""
    text: str = model_writers()[suffix].write(learned_file(result, "m.csv"))
    return text


@pytest.mark.parametrize("link", LINKS)
def test_json_holds_the_uncertainty(link: Link) -> None:
    """The JSON of a model has its cross-validated error, the uncertainty of its influences, and the path."""
    content = json.loads(learned_json_text(uncertain_result(link)))
    assert content["model"]["link"] == link
    assert content["cross_validated"] == {"median": 2.5, "mean": 3.5, "p95": 12.25}
    last = {"term": "gvn * x", "influence": -0.01, "standard_error": 0.05, "low": -0.09, "sign_probability": 0.58}
    assert {key: content["estimates"][-1][key] for key in last} == pytest.approx(last)
    assert [point["terms"] for point in content["path"]] == [1, 2, 4]
    last = {"terms": 4, "error": 3.25, "added": "gvn * x", "distance": None}
    assert {key: content["path"][-1][key] for key in last} == last
    assert stored(learned_json_text(uncertain_result(link))).model == uncertain_result(link).model


def test_json_without_uncertainty() -> None:
    """Values that a learner does not estimate are null or empty."""
    plain = replace(uncertain_result(), cross_validated=None, estimates=(), path=(), intervals=None)
    content = json.loads(learned_json_text(plain))
    assert (content["cross_validated"], content["estimates"], content["path"]) == (None, [], [])
    assert content["intervals"] is None
    assert stored(learned_json_text(plain)).intervals is None


def test_intervals_are_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals with `as_json` are read back by their kind; unknown kinds are left out, damaged ones refused."""
    text = learned_json_text(uncertain_result())
    assert stored(text).intervals is None
    monkeypatch.setitem(full_predictor.CLASSES, "band", (Band.__module__, "Band"))
    found = stored(text).intervals
    assert found is not None
    np.testing.assert_allclose(
        found.interval(everything()), Band(uncertain_result().model, 0.125).interval(everything())
    )
    assert stored(text, system=None).intervals is None
    with pytest.raises(InputError, match="prediction intervals are damaged"):
        stored(text.replace('"width"', '"breadth"'))


@pytest.mark.parametrize("link", LINKS)
def test_files_have_the_link(link: Link) -> None:
    """Every format that is read holds the link, and the Python module has it; the predictions are the same."""
    result, at = uncertain_result(link), everything()
    for suffix in SUFFIXES:
        model = stored(written(result, suffix)).model
        assert model.link == link
        assert model.influences == pytest.approx(result.model.influences)
        np.testing.assert_allclose(model.predict(at), result.model.predict(at), rtol=1e-12)
    names: dict[str, Any] = {}
    exec(written(result, ".py"), names)  # noqa: S102
    rows = zip(at.column("gvn"), at.column("x"), strict=True)
    found = [names["predict"](dict(zip(("gvn", "x"), row, strict=True))) for row in rows]
    np.testing.assert_allclose(found, result.model.predict(at), rtol=1e-12)


def test_errors_of_rounds_of_a_product() -> None:
    """The models of earlier rounds have the link of the model."""
    result = uncertain_result("log")
    rounds = tuple(Round(n, result.terms[n], 1.0, 1.0, 1.0, result.terms[: n + 1], 0.0) for n in (1, 2, 3))
    whole = replace(result, rounds=rounds)
    early = InfluenceModel.of_system(((term.term, term.influence) for term in result.terms[:2]), SYSTEM, "log")
    measured = Measurements(everything(), {"run time": early.predict(everything())})
    errors = round_errors(replace(whole, rows=JudgedRows.of(measured, "run time", np.arange(len(everything())))))
    assert errors[0] == pytest.approx(0)
    assert errors[1] is not None
    assert errors[1] > 10
    assert errors[2] == whole.error_all


def derived_model(link: Link) -> InfluenceModel:
    """Return a model with factors that are subexpressions: a level of x, and the logarithm of a sum."""
    text = "0.5 + 0.25 * gvn * max(0, min(1, x - 1, (4 - x) / 2)) + 2 * log10(x + 1)^2 + x"
    found = expand_model(text, SYSTEM.term_names)
    model = InfluenceModel.of_system(found.expansion.items(), SYSTEM, link, found.derived)
    assert len(model.factors) == 2
    return model


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_subexpressions_in_files(link: Link, suffix: str) -> None:
    """Every format that is read holds factors that are subexpressions."""
    model = derived_model(link)
    terms = [LearnedTerm(term, influence) for term, influence in model.terms]
    rounds = tuple(Round(at, terms[at], 1.0, 1.0, 1.0, tuple(terms[:end]), 0.0) for at, end in ((1, 2), (2, None)))
    result = replace(uncertain_result(link), predictor=model, terms=tuple(terms), rounds=rounds)
    text = written(result, suffix)
    # Rounds of a log name subexpressions, also in the term that was added.
    rows = [line for line in text.splitlines() if line[:2] in ("1;", "2;")]
    assert (len(rows) >= 2) == (suffix == ".log")
    assert not any("(1 + x)" in row or "max" in row for row in rows)
    for system in (SYSTEM, None):
        found = stored(text, system).model
        assert found.link == link
        np.testing.assert_allclose(found.predict(everything()), model.predict(everything()), rtol=1e-12)
    early = influence_model(terms[:2], SYSTEM, link, model.derived).predict(everything())
    measured = Measurements(everything(), {"run time": early})
    result = replace(result, rows=JudgedRows.of(measured, "run time", np.arange(len(everything()))))
    assert round_errors(result)[0] == pytest.approx(0)


def test_definitions() -> None:
    """Terms in logs keep SPL Conqueror's grammar, lines name the subexpressions; their numbers may be in any order."""
    model = derived_model("identity")
    text = model_log_text(model)
    lines = text.splitlines()
    own, before = "max(min(-1 + x, 2 - 0.5 * x, 1), 0)", "max(0, min(-1 + x, 1, 2 - 0.5 * x))"
    assert [line for line in lines if "definition" in line] == [
        "command: splc definition: f1 = (1 + x)",
        f"command: splc definition: f2 = {own}",
    ]
    assert "command: splc note: SPL Conqueror's programs cannot compute f1 f2" in lines
    assert "0;0.5 * root + 1 * x + 2 * log10( f1 ) * log10( f1 ) + 0.25 * gvn * f2;" in lines[-2]
    with pytest.raises(InputError, match="in the definition of f2: "):
        stored(text.replace("max(", "max(,"))
    # Files of other versions have the number of `max` before the option.
    for other in (model_json_text(model), text):
        assert own in other
        assert stored(other.replace(own, before)).model == model
