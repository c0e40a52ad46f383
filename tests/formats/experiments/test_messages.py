"""Messages of readers: file and line, what is wrong, the text, and what to do."""

from __future__ import annotations

import pytest

from splc.formats.experiments.extrap_text import parse_experiment_text
from splc.formats.experiments.read import parse_experiment
from tests.support.messages import Reader, message_of

# Kind → the suffix of a file, and the reader.
READERS: dict[str, Reader] = {
    "experiment": ("txt", parse_experiment_text),
    "csv": ("csv", parse_experiment),
    "csvp": ("csv", lambda source: parse_experiment(source, ("p", "q"))),
    "jsonl": ("jsonl", parse_experiment),
    "jsonp": ("jsonl", lambda source: parse_experiment(source, ("p",))),
}
HEAD = "PARAMETER p n\nPOINTS (4 10) (8 10)\nREGION main\nMETRIC time\n"
FORMATS = (
    "known are Extra-P's text, JSON, JSON lines and .extra-p, experiments of Extra-P 3, Talpas, CSV with a header, "
    "and folders of CUBE profiles"
)
AN_OBJECT = 'write {"params": {"x": 4}, "value": 1.2}'


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (
            "experiment",
            HEAD + "DTAA 1\nDATA 1\nDATA 2\n",
            ["f.txt:5: unknown statement 'DTAA'", "DTAA 1", "did you mean 'DATA'?"],
        ),
        (
            "experiment",
            "PARAMETER p\nPOINTS 4\nREGION a\nDATA 1\nPOINTS 5\nDATA 2\n",
            ["f.txt:5: POINTS after DATA", "the points come first; every series has all of them"],
        ),
        (
            "experiment",
            "PARAMETER p n\nPOINTS (4 10 8\nREGION a\nDATA 1\n",
            [
                "f.txt:2: the parentheses do not match",
                "(4 10 8",
                "POINTS (4 100) (8 100)",
                "f.txt:2: a point with 1 coordinate, but there are 2 parameters",
                "write each point in parentheses: POINTS (4 100) (8 100)",
                "f.txt:4: REGION a, METRIC <default>: 1 line of DATA, but 3 points",
                "write DATA without values for a point that was not measured",
            ],
        ),
        (
            "experiment",
            "PARAMETER p\nPOINTS 4\nDATA 1\n",
            ["f.txt:3: DATA before any REGION", "write REGION and a name before it"],
        ),
        (
            "experiment",
            HEAD + "DATA 1\nDATA 2\nREGION x\nDATA 1\nDATA 2\nREGION main\nDATA 1\nDATA 2\n",
            [
                "f.txt:11: REGION main, METRIC time has data since line 5",
                "write all repetitions of a point after one DATA; is this another region or metric?",
            ],
        ),
        (
            "experiment",
            "PARAMETER p n\nPOINTS 4 8\nREGION a\nDATA 1\nDATA 1\n",
            [
                "f.txt:2: a point with 1 coordinate, but there are 2 parameters",
                "write each point in parentheses: POINTS (4 100) (8 100)",
            ],
        ),
        (
            "experiment",
            HEAD + "DATA 1\n",
            [
                "f.txt:5: REGION main, METRIC time: 1 line of DATA, but 2 points",
                "write DATA without values for a point that was not measured",
            ],
        ),
        (
            "experiment",
            HEAD + "DATA 1\nDATA 2\nDATA 3\n",
            ["f.txt:5: REGION main, METRIC time: 3 lines of DATA, but 2 points"],
        ),
        (
            "experiment",
            HEAD + "DATA 1\nDATA 1,5\n",
            ["f.txt:6: '1,5' is not a number", "write a decimal point, not a comma"],
        ),
        (
            "experiment",
            HEAD + "DATA 4s\nDATA 2 ms\n",
            [
                "f.txt:5: '4s' is not a number",
                "write the number without its unit 's'; the name of the metric can state it",
                "f.txt:6: 'ms' is not a number",
                "write the number without its unit 'ms'; the name of the metric can state it",
            ],
        ),
        (
            "experiment",
            HEAD + "DATA 1\nqqqqqqqqqqq\nDATA 2\n",
            [
                "f.txt:6: unknown statement 'qqqqqqqqqqq'",
                "qqqqqqqqqqq",
                "the statements are PARAMETER, POINTS, REGION, METRIC, DATA; comments begin with #",
            ],
        ),
        (
            "csv",
            "time\n1\n2\n",
            ["f.csv:1: measurements at points of parameters, but in no known format", "time", FORMATS],
        ),
        ("csv", "p,metric\n1,a\n", ["f.csv:1: a column 'metric', but no column 'value'"]),
        ("jsonl", "[1]\n", ["f.jsonl:1: measurements at points of parameters, but in no known format", "[1]", FORMATS]),
        ("jsonl", '{"params":{"p":1},"value":1}\n{"value":2}\n', ["f.jsonl:2: no parameters", AN_OBJECT]),
        (
            "jsonl",
            '{"params":{"p":1},"parameters":{"p":1},"value":1}\n',
            ["f.jsonl:1: both 'params' and 'parameters'", AN_OBJECT],
        ),
        (
            "jsonl",
            '{"params":{"p":1,"size":2},"value":1}\n{"params":{"p":1,"sise":2},"value":1}\n',
            [
                "f.jsonl:2: the parameter 'size' has no value",
                "f.jsonl:2: another parameter, 'sise'",
                "did you mean 'size'?",
            ],
        ),
        (
            "jsonl",
            '{"params":{"p":1},"value":1}\n{"params":{"p":2,"qqqq":2},"value":1}\n',
            ["f.jsonl:2: another parameter, 'qqqq'", "the parameters of the first line are p"],
        ),
        ("jsonl", '{"params":{"p":1}}\n', ["f.jsonl:1: no 'value'", AN_OBJECT]),
        ("csvp", "p,callpath,time\n1,a,2\n", ["f.csv:1: there is no column 'q'", "known are: p, callpath, time"]),
        (
            "csv",
            "callpath,time\nmain,2\n",
            [
                "f.csv:1: no column is a parameter",
                "callpath,time",
                "columns of parameters come first, then those of metrics, or 'value'",
            ],
        ),
        ("csv", "p,n,callpath,metric,value\n1,2,a,time,x\n", ["f.csv:2: value: 'x' is not a number"]),
        (
            "jsonp",
            '{"params":{"p":1},"value":1}\n',
            [
                "f.jsonl: the file is jsonl and names its parameters itself",
                "only a CSV needs the columns that are parameters",
            ],
        ),
        ("jsonl", '{"params":{"p":1},"value":1}\n[1]\n', ["f.jsonl:2: not an object", "[1]", AN_OBJECT]),
    ],
)
def test_messages(kind: str, text: str, message: list[str]) -> None:
    """A message has the place, the text and what to do, and nothing else."""
    assert message_of(READERS[kind], text) == message
