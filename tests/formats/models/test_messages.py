"""Messages of readers: file and line, what is wrong, the text, and what to do."""

from __future__ import annotations

import pytest

from splc.formats.models.log_reader import parse_stored_log
from splc.formats.models.parameters import parse_parameters
from splc.formats.models.read import parse_stored_models
from splc.formats.models.stored import ReadOptions
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.messages import Reader, message_of

SYSTEM = VariabilityModel("small", (BinaryOption("cache"), NumericOption("x", (1.0, 2.5, 4.0))))
# Kind → the suffix of a file, and the reader.
READERS: dict[str, Reader] = {
    "parameters": ("toml", parse_parameters),
    "lines": ("txt", parse_parameters),
    "model": ("json", lambda source: parse_stored_models(source, SYSTEM, ReadOptions())),
    "log": ("log", parse_stored_log),
    "log5": ("log", lambda source: parse_stored_log(source, None, 5)),
}
AN_INTERVAL = 'a table has by = "…", the expression of its rows; an interval has value, low, high and perhaps level'
NUMBER_OR_INTERVAL = "or { value = …, low = …, high = … }"
A_NUMBER = "write a number, an expression in quotes, or a table"
A_NAME = "use letters, digits, '_', '.' and '-', a letter first"
A_LINE = "write lines 'name = number'"
A_MODEL = "a model is a log that splc or SPL Conqueror wrote, a JSON file of splc, or model text"
SEVERAL = "splc scale PROFILE --callpath NAME -o model.json writes one of a profile, splc learn --by one per file"
SCHEMA = "'splc learn -o model.json' writes models of the schema 'splc.model/1'"


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (
            "parameters",
            "[a]\nx = 1",
            [
                "f.toml:1: the parameter 'a' is neither a table nor a number with an interval",
                f"{AN_INTERVAL}; single parameters stand without the heading [a]",
            ],
        ),
        (
            "parameters",
            '[a]\nby = "x"',
            ["f.toml:1: the table 'a' has no rows", "write one number per value: 4 = 1.2e-6"],
        ),
        (
            "parameters",
            '[a]\nby = "x"\n2.5 = 3',
            ["f.toml:3: a.2.5: TOML takes a point in a key for nesting", 'put the number in quotes: "2.5" = …'],
        ),
        (
            "parameters",
            '[a]\nby = "x"\nfoo = 2',
            ["f.toml:3: a.foo: a row of a table begins with a number", 'write 4 = 1.2e-6, "2.5" = …'],
        ),
        ("parameters", '[a]\nby = "x"\n1 = "2"', ["f.toml:3: a.1 must be a finite number", '"2"', NUMBER_OR_INTERVAL]),
        (
            "parameters",
            "a = { value = 1, lo = 2 }",
            ["f.toml:1: the parameter 'a' is neither a table nor a number with an interval", AN_INTERVAL],
        ),
        (
            "parameters",
            "a = { value = 1, low = 1, levle = 2 }",
            ["f.toml:1: the parameter 'a' is neither a table nor a number with an interval", AN_INTERVAL],
        ),
        (
            "parameters",
            "a = { value = 1, abcdefg = 2 }",
            ["f.toml:1: the parameter 'a' is neither a table nor a number with an interval", AN_INTERVAL],
        ),
        (
            "parameters",
            "a = { value = 1, level = 2 }",
            ["f.toml:1: a cannot have this level", "2", "level is the level of the interval from low to high: 0.95"],
        ),
        (
            "parameters",
            'a = { value = 1, low = 1, level = "x" }',
            ["f.toml:1: a cannot have this level", '"x"', "level is the level of the interval from low to high: 0.95"],
        ),
        (
            "parameters",
            "a = { value = 1, high = 1, determined = false }",
            [
                "f.toml:1: a cannot be determined like this",
                "false",
                "write determined = false for a number that measurements do not determine; it has no interval",
            ],
        ),
        (
            "parameters",
            "a = { value = 1, low = 2, high = 3 }",
            ["f.toml:1: a: 1 does not lie between low = 2 and high = 3"],
        ),
        ("parameters", "a = [1]", ["f.toml:1: the parameter 'a' must be a finite number", "[1]", A_NUMBER]),
        (
            "parameters",
            "max = 3",
            ["f.toml:1: 'max' is a function, not the name of a parameter", "choose another name"],
        ),
        ("parameters", '"" = 3', ["f.toml:1: a parameter has no name", "write NAME = NUMBER"]),
        ("parameters", "2x = 3", ["f.toml:1: '2x' cannot be the name of a parameter", A_NAME]),
        (
            "parameters",
            'a = { value = 1e-9, low = "x" }',
            ["f.toml:1: a.low must be a finite number", '"x"', NUMBER_OR_INTERVAL],
        ),
        ("lines", "a = 1\nfoo", ["f.txt:2: this is not a parameter", "foo", A_LINE]),
        ("lines", "a = 1\na = 2", ["f.txt:2: duplicate parameter 'a'", "line 1 defines it already"]),
        ("lines", "a =", ["f.txt:1: the parameter 'a' has no value", A_LINE]),
        ("lines", "a b = 3", ["f.txt:1: 'a b' cannot be the name of a parameter", A_NAME]),
        ("model", '{"a": 1}', ["f.json: not the JSON of a model: it has no schema", SCHEMA]),
        *(
            (
                "model",
                f'{{"schema": "splc.{schema}/1", "{key}": [1, 2]}}',
                ["f.json: it has 2 models, not one", SEVERAL],
            )
            for schema, key in (
                *(("models", "models"), ("scale.several", "models")),
                *(("learn.by", "models"), ("scale.by", "values")),
            )
        ),
        ("model", '{"schema": "x/1"}', ["f.json: not the JSON of a model: its schema is 'x/1'", SCHEMA]),
        (
            "model",
            '{"schema": "splc.model/1", "model": {}}',
            ["f.json: model.terms must be a list", "the file is damaged or incomplete"],
        ),
        (
            "model",
            '{"schema": "splc.model/1", "model": {"terms": [{"influence": 1, "factors": [{"option": "cach"}]}]}}',
            ["f.json: model.terms[0].factors[0]: unknown option 'cach'", "did you mean 'cache'?"],
        ),
        ("model", "<vm/>", ["f.json: this is a system description, not a model", A_MODEL]),
        (
            "log",
            "Learning progress:\n",
            [
                "f.log: there is no learned model in this log",
                "it must have a line such as '1;2.5 * root + 3 * x;…' under 'Learning progress:' or 'Models:'",
            ],
        ),
        (
            "log",
            "Learning progress:\n1;2 * x;10;10;10;10;1;1;2 * x;1;1;\n2;;10;10;10;10;1;1;2 * x;1;1;\n",
            [
                "f.log:3: the model of round 2 is empty",
                "SPL Conqueror's useBackward leaves such rounds behind; choose an earlier round",
            ],
        ),
        (
            "log",
            "Learning progress:\n1;x * 2;10;10;10;10;1;1;2 * x;1;1;\n",
            ["f.log:2: a term must begin with its influence, a finite number", "x * 2"],
        ),
        (
            "log5",
            "Learning progress:\n1;2 * x;10;10;10;10;1;1;2 * x;1;1;\n",
            ["f.log: there is no round 5", "the rounds are 1 to 1"],
        ),
        (
            "parameters",
            '[a]\nby = "x"\n1 = { value = 1, lo = 2 }',
            ["f.toml:3: a.1 has lo, which a number cannot have", "did you mean 'low'?"],
        ),
        (
            "parameters",
            '[a]\nby = "x"\n1 = { value = 1, abcdefg = 2 }',
            ["f.toml:3: a.1 has abcdefg, which a number cannot have", NUMBER_OR_INTERVAL],
        ),
    ],
)
def test_messages(kind: str, text: str, message: list[str]) -> None:
    """A message has the place, the text and what to do, and nothing else."""
    assert message_of(READERS[kind], text) == message
