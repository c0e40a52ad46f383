"""Models as JSON and as text, and the choice of a reader by content."""

from __future__ import annotations

import hashlib
import json
import runpy
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from splc.data.experiment import DEFAULT_METRIC, Key
from splc.errors import InputError
from splc.formats.column_choice import ColumnChoice
from splc.formats.models.json import learned_json_text, model_json_text, parse_stored_json, parts_as_json
from splc.formats.models.log_writer import learned_log_text
from splc.formats.models.read import read_model, read_stored_models, write_stored_model
from splc.formats.models.stored_model import StoredModel, choice_of, columns_object, scaling_file, stated_columns
from splc.formats.models.text import model_text_file, parse_model, python_module, with_link
from splc.io.files import Source, write_whole
from splc.learning.result import LearningResult
from splc.learning.stepwise.candidates import BASE, Candidate
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, option_term
from splc.scaling import ScalingModel, fit
from tests.support.golden_messages import Lines, check_calls, shown
from tests.support.learning_results import influence_models, result_of, results, small_system, systems


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
    read = with_link(parse_model(Source("m.txt", model_text_file(model).encode())))
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


@pytest.mark.parametrize(("name", "text"), [("txt", "12.5 + 0.1 * x^2\n"), ("json", "{"), ("log", "Round, ")])
def test_models_are_written_in_their_format(tmp_path: Path, name: str, text: str) -> None:
    """A model that is written in a format reads back equal."""
    model = example().model
    write_stored_model(StoredModel(model), tmp_path / "m", name, "base")
    assert (tmp_path / "m").read_text(encoding="utf-8").startswith(text)
    assert read_model(tmp_path / "m", small_system()) == model


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
