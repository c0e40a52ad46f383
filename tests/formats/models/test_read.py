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
from splc._version import __version__
from splc.data.configurations import Configurations
from splc.data.measurements import DEFAULT_METRIC, Key, Measurements
from splc.errors import InputError
from splc.formats import detect
from splc.formats.column_choice import ColumnChoice
from splc.formats.models.json import learned_json_text, model_json_text, parse_stored_json, parts_as_json
from splc.formats.models.log_writer import model_log_text
from splc.formats.models.read import parse_stored_models, read_model, read_stored_models, write_stored_model
from splc.formats.models.stored_model import (
    ReadOptions,
    StoredModel,
    choice_of,
    columns_object,
    learned_file,
    scaling_file,
    stated_columns,
)
from splc.formats.models.text import model_text_file, parse_model_text, python_module, with_link
from splc.io.files import Source, read_source, write_whole
from splc.io.json import plain_values
from splc.learning.folds import JudgedRows
from splc.learning.learner import influence_model, round_errors
from splc.learning.result import CLASSES, LearnedTerm, LearningResult, Round
from splc.learning.stepwise.candidates import BASE, Candidate
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, option_term
from splc.models.text.reader import expand_model
from splc.scaling import ScalingModel, fit
from splc.system.variability import VariabilityModel
from splc.types import Link
from tests.support.golden import compacted, stable
from tests.support.golden_messages import Lines, check_calls, check_lines, shown
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
    write_whole(tmp_path / "model.gz", source.read_bytes())
    for each in (source, tmp_path / "model.gz"):
        assert read_model(each, small_system()) == model


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


def test_json() -> None:
    """The JSON of models has what produced them, their uncertainty, and both segments; what is undefined is null."""
    plain = replace(uncertain_result(), cross_validated=None, estimates=(), path=(), intervals=None)
    texts = {
        "a result with rounds": learned_json_text(example()),
        "the uncertainty of a sum": learned_json_text(uncertain_result()),
        "the uncertainty of a product": learned_json_text(uncertain_result("log")),
        "what a learner does not estimate is null or empty": learned_json_text(plain),
        "a scaling model of two segments": json.dumps(plain_values(parts_as_json(SEGMENTS)), indent=1),
    }
    lines = [
        line for title, text in texts.items() for line in (f"# {title}", *stable(compacted(text)).splitlines(), "")
    ]
    check_lines("json-of-models", [line.replace(__version__, "VERSION") for line in lines])
    assert stored(texts["the uncertainty of a product"]).model == uncertain_result("log").model


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
    check_lines("definitions-in-logs", text.splitlines())
    with pytest.raises(InputError, match="in the definition of f2: "):
        stored(text.replace("max(", "max(,"))
    # Files of other versions have the number of `max` before the option.
    own, before = "max(min(-1 + x, 2 - 0.5 * x, 1), 0)", "max(0, min(-1 + x, 1, 2 - 0.5 * x))"
    for other in (model_json_text(model), text):
        assert own in other
        assert stored(other.replace(own, before)).model == model
