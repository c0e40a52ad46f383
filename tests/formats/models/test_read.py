"""Models in files: as JSON and as text, with uncertainty and either link, and the choice of a reader by content."""

from __future__ import annotations

import hashlib
import json
import runpy
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.experiment import DEFAULT_METRIC, Key
from splc.data.measurements import Measurements
from splc.errors import InputError
from splc.formats import detect
from splc.formats.column_choice import ColumnChoice
from splc.formats.models.json import learned_json_text, model_json_text, parse_stored_json, parts_as_json
from splc.formats.models.log_writer import learned_log_text, model_log_text
from splc.formats.models.read import (
    ReadOptions,
    parse_stored_models,
    read_model,
    read_stored_models,
    write_stored_model,
)
from splc.formats.models.stored_model import (
    StoredModel,
    choice_of,
    columns_object,
    learned_file,
    scaling_file,
    stated_columns,
)
from splc.formats.models.text import model_text_file, parse_model_text, python_module, with_link
from splc.io.files import Source, read_source, write_whole
from splc.learning.folds import JudgedRows
from splc.learning.judging import influence_model, round_errors
from splc.learning.result import CLASSES, LearnedTerm, LearningResult, Round
from splc.learning.stepwise.candidates import BASE, Candidate
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, option_term
from splc.models.text.reader import expand_model
from splc.scaling import ScalingModel, fit
from splc.system.variability import VariabilityModel
from splc.types import Link
from tests.support.golden_messages import Lines, check_calls, shown
from tests.support.learning_results import (
    Band,
    influence_models,
    result_of,
    results,
    small_system,
    systems,
    uncertain_result,
)


def example() -> LearningResult:
    """Return a small learning result."""
    return result_of(small_system(), [BASE.learned(12.5), Candidate(option_term("x", 2)).learned(0.1)])


def written(tmp_path: Path, content: str, name: str = "model") -> Path:
    """Return a file with this content."""
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return path


@given(influence_models())
def test_json_reads_back_equal(model: InfluenceModel) -> None:
    """Every model, with any exponents and either link, reads back from JSON as itself."""
    assert parse_stored_json(Source("m.json", model_json_text(model).encode())).model == model


@given(st.data())
def test_learned_json_reads_back_equal(data: st.DataObject) -> None:
    """The JSON of any learning result reads back as exactly its model, with the system and without."""
    system = data.draw(systems())
    result = data.draw(results(system))
    source = Source("m.json", learned_json_text(result).encode())
    assert parse_stored_json(source).model == result.model
    assert parse_stored_json(source, system).model == result.model


@given(influence_models())
def test_model_text_reads_back_equal(model: InfluenceModel) -> None:
    """A model reads back from model text with its link, its terms of influence 0 aside."""
    wanted = {term: influence for term, influence in model.influences.items() if influence}
    # The exponential of a number is a number.
    assume(model.link == "identity" or wanted.keys() - {CONSTANT})
    read = with_link(parse_model_text(Source("m.txt", model_text_file(model).encode())))
    assert read.link == model.link
    assert {term: influence for term, influence in read.influences.items() if influence} == wanted


def test_json_names_what_produced_the_model() -> None:
    """The JSON carries schema, version, settings, seed, sampling, errors and rounds; what is undefined is null."""
    content = json.loads(learned_json_text(example()))
    assert content["schema"] == "splc.model/1"
    assert content["model"]["text"] == "12.5 + 0.1 * x^2"
    assert content["model"]["terms"][1]["factors"] == [{"option": "x", "power": 2, "log10": 0}]
    assert content["settings"]["abortError"] == 1.0
    assert content["provenance"]["sampling"] == "pb:9,3"
    assert (content["seed"], content["error"], content["error_all"]) == (3, None, 2.5)
    assert {"version", "nfp", "rounds", "termination", "preset", "learning_configurations"} <= content.keys()


def test_content_decides_how_a_model_is_read(tmp_path: Path) -> None:
    """The content distinguishes JSON, log and model text, with any file name, compressed or not."""
    result, system = example(), small_system()
    texts = [learned_json_text(result), learned_log_text(result), "# by hand\na = 2\nT = 12.5 + x * x * 0.1\n"]
    for text in texts:
        assert read_model(written(tmp_path, text), system) == result.model
        write_whole(tmp_path / "model.gz", text)
        assert read_model(tmp_path / "model.gz", system) == result.model


def test_models_of_several_files(tmp_path: Path) -> None:
    """Each model has its file, its hash and a name of its own; the problems of all files are told at once."""
    line = "1;{} * x;1;1;1;1;0.1;2;1 * x;1;0.5;\n"
    texts = {"a.txt": "2 * x\n", "b.log": "".join("Learning progress:\n" + line.format(each) for each in (3, 4))}
    first, second = (str(written(tmp_path, text, name)) for name, text in texts.items())
    found = read_stored_models([first, second, first], learning=0)
    assert [each.name for each in found] == [first, f"{second} (1)", f"{second} (2)", f"{first} [2]"]
    assert [each.file for each in found] == [first, second, second, first]
    assert [each.model.text for each in found] == ["2 * x", "3 * x", "4 * x", "2 * x"]
    hashes = [hashlib.sha256(text.encode()).hexdigest() for text in texts.values()]
    assert [each.sha256 for each in found] == [hashes[0], hashes[1], hashes[1], hashes[0]]
    bad = str(written(tmp_path, "2 * (x", "bad.txt"))
    with pytest.raises(InputError) as caught:
        read_stored_models([bad, first, str(tmp_path / "none.txt")])
    assert [problem.file for problem in caught.value.problems] == [bad, str(tmp_path / "none.txt")]


@pytest.mark.parametrize("name", [each.name for each in detect.formats_of("model") if each.reader and each.writer])
def test_models_are_written_in_their_format(tmp_path: Path, name: str) -> None:
    """A model that is written in a format is detected whatever the name of its file is, and reads back equal."""
    model, source = example().model, tmp_path / "anything"
    write_stored_model(StoredModel(model), source, name, "base")
    text = {"txt": "12.5 + 0.1 * x^2\n", "json": "{", "log": "Round, "}[name]
    assert source.read_text(encoding="utf-8").startswith(text)
    assert detect.kind_of(read_source(source)) == "model"
    assert detect.format_of("model", read_source(source)) == detect.format_named("model", name)
    assert read_model(source, small_system()) == model


def test_calls() -> None:
    """Columns are read as they were written; those of several models are chosen together."""

    def stated(content: Any) -> Lines:
        return Lines(shown(stated_columns(content)))

    def chosen(*choices: ColumnChoice) -> Lines:
        found = choice_of(choices)
        return Lines(f"{shown(replace(found, optional=frozenset()))}, without {shown(found.optional)}")

    check_calls("columns-of-models", ColumnChoice, columns_object, stated, chosen)


P = np.array([1.0, 2, 4, 8, 16])
LOWER, UPPER = (fit(P, factor * P, names="p") for factor in (1, 3))
SEGMENTS = replace(UPPER, below=LOWER, change=8.5, changing="p")


def test_json_of_segments() -> None:
    """A scaling model of two segments has that of the lower one, with its terms."""
    parts = parts_as_json(SEGMENTS)
    assert (parts["model"]["text"], parts["scaling"]["change"], parts["scaling"]["changing"]) == ("3 * p", 8.5, "p")
    below = parts["scaling"]["below"]
    assert below == parts_as_json(LOWER)
    assert (below["model"]["text"], below["scaling"]["below"], below["scaling"]["points"]) == ("1 * p", None, 5)


def functions(folder: Path, models: dict[Key, ScalingModel]) -> Sequence[Any]:
    """Return the functions in the Python module of models."""
    (folder / "models.py").write_text(python_module(scaling_file(models, "x\ny")), encoding="utf-8")
    found = runpy.run_path(str(folder / "models.py"))
    assert found["__doc__"].startswith(f"{len(models)} scaling model")
    assert list(found["MODELS"]) == list(models)
    return list(found["MODELS"].values())


def test_python(tmp_path: Path) -> None:
    """A Python module has a function for each model, which changes after the end of the lower segment."""
    first, second = functions(tmp_path, {("main", DEFAULT_METRIC): LOWER, ("main->a_b", "time"): SEGMENTS})
    assert (first(2), second(8.5), second(9)) == pytest.approx((2, 8.5, 27))
    assert str(first.__doc__).startswith("main: SMAPE 0 %, adjusted R² 1 at 5 points, p = 1 … 16")
    # Functions have distinct names that Python allows, and hide nothing that the module uses.
    paths = ("main->a_b", "a-b", "a b", "class", "2nd", "math", "round", "MODELS", "ä")
    names = ["main_a_b", "a_b", "a_b_2", "model_class", "model_2nd", "math_2", "round_2", "MODELS_2", "model"]
    found = functions(tmp_path, {(path, DEFAULT_METRIC): LOWER for path in paths})
    assert [function.__name__ for function in found] == names


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


def file_of(result: LearningResult, suffix: str) -> str:
    """Return the text of a file of a result."""
    text: str = detect.model_writers()[suffix].write(learned_file(result, "m.csv"))
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
    monkeypatch.setitem(CLASSES, "band", f"{Band.__module__}:Band")
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
        model = stored(file_of(result, suffix)).model
        assert model.link == link
        assert model.influences == pytest.approx(result.model.influences)
        np.testing.assert_allclose(model.predict(at), result.model.predict(at), rtol=1e-12)
    names: dict[str, Any] = {}
    exec(file_of(result, ".py"), names)  # noqa: S102
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
    text = file_of(result, suffix)
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
