"""Messages of readers: file and line, what is wrong, the text, and what to do."""

from __future__ import annotations

import pytest

from splc.formats.scripts.reader import parse_script, settings_of
from tests.support.messages import Reader, message_of

# Kind → the suffix of a file, and the reader.
READERS: dict[str, Reader] = {
    "settings": ("txt", settings_of),
    "script": ("a", parse_script),
}


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (
            "settings",
            "abortErorr 5",
            ["f.txt:1: unknown setting 'abortErorr'", "abortErorr 5", "did you mean 'abortError'?"],
        ),
        ("settings", "bagging maybe", ["f.txt:1: setting bagging: 'maybe' is neither true nor false", "bagging maybe"]),
        ("settings", "abortError", ["f.txt:1: setting abortError: '' is not a number", "abortError"]),
        (
            "script",
            "anlyze-learning",
            ["f.a:1: unknown command 'anlyze-learning'", "anlyze-learning", "did you mean 'analyze-learning'?"],
        ),
        ("script", "vm", ["f.a:1: wrong arguments of vm", "vm", "write vm MODEL.xml"]),
        (
            "script",
            "binary pairwize",
            ["f.a:1: unknown binary sampling strategy 'pairwize'", "binary pairwize", "did you mean 'pairwise'?"],
        ),
        (
            "script",
            "binary",
            [
                "f.a:1: binary names no sampling strategy",
                "binary",
                "known are: allbinary, featurewise, optionwise, pairwise, negfw, negoptionwise, twise, "
                "random, satoutput, distance-based",
            ],
        ),
        (
            "script",
            "binary pairwise t:2",
            ["f.a:1: pairwise has no argument 't'", "binary pairwise t:2", "write binary pairwise"],
        ),
        (
            "script",
            "binary pairwise 3",
            ["f.a:1: pairwise has no argument '3'", "binary pairwise 3", "write binary pairwise"],
        ),
        (
            "script",
            "binary random sed:2",
            ["f.a:1: random has no argument 'sed'", "binary random sed:2", "did you mean 'seed'?"],
        ),
        (
            "script",
            "numeric random",
            ["f.a:1: random needs numConfigs", "numeric random", "write numeric random numConfigs:… seed:…"],
        ),
        (
            "script",
            "mlsettings abortErorr:1",
            ["f.a:1: unknown setting 'abortErorr'", "mlsettings abortErorr:1", "did you mean 'abortError'?"],
        ),
        (
            "script",
            "learn-splconqueror-opt samples:3",
            [
                "f.a:1: there are no settings to choose from",
                "learn-splconqueror-opt samples:3",
                "write NAME=[VALUE,VALUE]",
            ],
        ),
        (
            "script",
            "learn-splconqueror-opt randomised abortError=[1]",
            [
                "f.a:1: unknown argument 'randomised'",
                "learn-splconqueror-opt randomised abortError=[1]",
                "did you mean 'randomized'?",
            ],
        ),
        (
            "script",
            "learn-splconqueror-opt abortError=[1] sampels:3",
            [
                "f.a:1: unknown argument 'sampels'",
                "learn-splconqueror-opt abortError=[1] sampels:3",
                "did you mean 'samples'?",
            ],
        ),
        (
            "script",
            "clean-sampling now",
            ["f.a:1: wrong arguments of clean-sampling", "clean-sampling now", "write clean-sampling"],
        ),
        (
            "script",
            "binary random numConfigs:3 fromFile:a+b.csv",
            [
                "f.a:1: fromFile: the name 'a+b.csv' has signs of samplings",
                "binary random numConfigs:3 fromFile:a+b.csv",
                "rename the file, without , + = [ ]",
            ],
        ),
    ],
)
def test_messages(kind: str, text: str, message: list[str]) -> None:
    """A message has the place, the text and what to do, and nothing else."""
    assert message_of(READERS[kind], text) == message
