"""Models as JSON and as text, and the choice of a reader by content."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from splc.errors import InputError
from splc.formats.models.json import parse_stored_json
from splc.formats.models.json_writer import learned_json_text, model_json_text
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


def test_what_splc_learn_prints_is_a_model(tmp_path: Path) -> None:
    """The object that `splc learn --json` prints is read too; it has its terms as text only."""
    content = {"schema": "splc.learn/1", "model": {"link": "identity", "terms": [{"term": "x^2", "influence": 0.5}]}}
    assert read_model(written(tmp_path, json.dumps(content))).influences == {option_term("x", 2): 0.5}


def test_influences_of_terms_as_text(tmp_path: Path) -> None:
    """The numbers of a term that is given as text multiply its influence."""
    content = {"schema": "splc.model/1", "model": {"terms": [{"term": "2 * x * 4 + 3", "influence": 0.5}]}}
    assert read_model(written(tmp_path, json.dumps(content))).influences == {option_term("x"): 4.0, CONSTANT: 1.5}


def test_model_text_knows_the_system_and_parameters(tmp_path: Path) -> None:
    """Names of a model text are options in either spelling, or parameters; always selected options are the constant."""
    path = written(tmp_path, "T = alpha * base + 3 * rc-lookahead + 4 * rclookahead")
    model = read_model(path, small_system(), parameters={"alpha": 2.0})
    assert model.influences == {CONSTANT: 2.0, option_term("rc-lookahead"): 7.0}


@pytest.mark.parametrize(("name", "text"), [("m.txt", "12.5 + 0.1 * x^2\n"), ("m.json", "{"), ("m.log", "Round, ")])
def test_models_are_written_as_their_name_asks(tmp_path: Path, name: str, text: str) -> None:
    """The suffix chooses the format that a model is written in, and what is written reads back equal."""
    model = example().model
    write_model(model, tmp_path / name, "base")
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(text)
    assert read_model(tmp_path / name, small_system()) == model


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ('{"schema": "splc.model/1",\n "model": [}', "model:2:12: not JSON"),
        ('{"a": ' + "1" * 5000 + "}", "a number has too many digits"),
        ('{"a": 1}', "not the JSON of a model: it has no schema"),
        ('{"schema": "splc.compare/1"}', "its schema is 'splc.compare/1'"),
        ('{"schema": "splc.model/1"}', "model.terms must be a list"),
        ("[" * 100_000, "nested more than 64 levels deep"),
        ('{"a":' + "[" * 100_000, "nested too deeply"),
        ("<vm name='x'/>", "this is a system description, not a model"),
        ("<results/>", "this is a table of measurements, not a model"),
        ("<html/>", "this is XML, not a model"),
        ("x,y,nfp\n1,2,3\n", "this is a table of measurements, not a model"),
        ("T = 3 *\n", "model:1:"),
        ("# nothing\nT = 3 + log10(x - x)", "model:2"),
        ("12;3;4\nAnalyze finished", "model:1: a round has 12 fields"),
    ],
)
def test_files_that_are_no_model_are_refused(tmp_path: Path, text: str, message: str) -> None:
    """A file that is not a model is refused with the file, and with line and column if they are known."""
    with pytest.raises(InputError, match=re.escape(message)):
        read_model(written(tmp_path, text))


def test_unknown_options_are_told_at_once(tmp_path: Path) -> None:
    """Every unknown option of a JSON model and every wrong number is named, with its place."""
    terms = [
        {"term": "gvm", "influence": 1, "factors": [{"option": "gvm", "power": 1}]},
        {"term": "x", "influence": None, "factors": [{"option": "x", "power": 1}]},
        {"term": "x", "influence": 2, "factors": [{"option": "x", "power": 0.5}]},
        {"term": "gvn^", "influence": 2},
        {"term": "x", "influence": 2, "factors": [{"option": "x", "power": "1/0"}]},
        {"term": "x", "influence": 2, "factors": [{"option": "x", "power": "1e999999999"}]},
        {"term": "x", "influence": 10**400, "factors": []},
    ]
    path = written(tmp_path, json.dumps({"schema": "splc.model/1", "model": {"terms": terms}}))
    with pytest.raises(InputError) as caught:
        read_model(path, small_system())
    text = str(caught.value)
    assert "model.terms[0].factors[0]: unknown option 'gvm'" in text
    assert "did you mean 'gvn'?" in text
    assert "model.terms[1].influence must be a number" in text
    assert len(caught.value.problems) == 7


def test_parts_of_json_models_have_their_types(tmp_path: Path) -> None:
    """Every part of a JSON model that is of a wrong type is named, all of them at once."""
    model = {
        "link": "logit",
        "order": ["x", 1],
        "subexpressions": "x",
        "terms": [
            {"influence": 1, "factors": 7},
            {"influence": 1, "term": 7},
            {"influence": 1, "factors": [{"option": 7}]},
        ],
    }
    path = written(tmp_path, json.dumps({"schema": "splc.model/1", "model": model}))
    with pytest.raises(InputError) as caught:
        read_model(path, small_system())
    assert [problem.message for problem in caught.value.problems] == [
        "model.link is neither 'identity' nor 'log': 'logit'",
        "model.order must be a list of names",
        "model.subexpressions must be a list of texts",
        "model.terms[0].factors must be a list",
        "model.terms[1].term must be a text",
        "model.terms[2].factors[0].option must be the name of an option",
    ]


def test_wrong_subexpressions_of_json_models(tmp_path: Path) -> None:
    """A subexpression that is no model text is named with its place."""
    content = {"schema": "splc.model/1", "model": {"subexpressions": ["log10(x +"], "terms": []}}
    with pytest.raises(InputError, match=r"model\.subexpressions\[0\]: .*\n    log10\(x \+"):
        read_model(written(tmp_path, json.dumps(content)), small_system())


def test_unknown_names_in_model_text_have_their_place(tmp_path: Path) -> None:
    """An unknown name in model text is an error with file, line and column, and the nearest known name."""
    with pytest.raises(InputError, match=r"model:2:\d+: unknown name 'gvm'\n.*\n.*did you mean 'gvn'\?"):
        read_model(written(tmp_path, "a = 1\nT = a + gvm\n"), small_system())
