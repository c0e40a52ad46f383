"""Models as JSON and as text, and the choice of a reader by content."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from splc.errors import InputError
from splc.formats.models.json import learned_json_text, model_json_text, parse_stored_json
from splc.formats.models.log_writer import learned_log_text
from splc.formats.models.read import read_model, read_stored_models, write_model
from splc.formats.models.text import model_text_file, parse_model_text, with_link
from splc.io.files import Source, write_whole
from splc.learning.result import LearningResult
from splc.learning.stepwise.candidates import BASE, Candidate
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, option_term
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


@pytest.mark.parametrize(("name", "text"), [("m.txt", "12.5 + 0.1 * x^2\n"), ("m.json", "{"), ("m.log", "Round, ")])
def test_models_are_written_as_their_name_asks(tmp_path: Path, name: str, text: str) -> None:
    """The suffix chooses the format that a model is written in, and what is written reads back equal."""
    model = example().model
    write_model(model, tmp_path / name, "base")
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(text)
    assert read_model(tmp_path / name, small_system()) == model
