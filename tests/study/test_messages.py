"""Every message about a study file in full: its line, what is wrong, the entry and what to do."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from splc.errors import InputError
from splc.study import read_study

KEYS = (
    "known are: system, measurements, analytical, parameters, property, samplings, seeds, learners, scale, at, "
    "constant, measures, … (22 in all)"
)
MEASURES = "known are: SC, CS, JS, MD, ED, MiD, CD, ER, syntactic, error_rate, cosine, jaccard, … (25 in all)"
SAMPLING = 'write it as { "pb:9,3" = 9.4, ff = 9.8 }'
NUMBER = "write a number, or [mean, deviation in percent of it]"
# The text of a file after its samplings, and the problems without the name of the file, ` | ` before further lines.
MESSAGES = [
    (
        'sampling = ["ff"]',
        [
            "1: unknown key 'sampling' | did you mean 'samplings'?",
            ' there are no samplings | write samplings = ["ff", "pb:9,3"]',
        ],
    ),
    (
        'samplings = "ff"',
        ['1: samplings must be a list of sampling specs, in quotes | write samplings = ["ff", "pb:9,3"]'],
    ),
    ("samplings = []", ['1: there are no samplings | write samplings = ["ff", "pb:9,3"]']),
    (
        'samplings = ["ff", 3]',
        ['1: samplings must be sampling specs, in quotes | 3 | write samplings = ["ff", "pb:9,3"]'],
    ),
    ('samplings = ["pb:9,3", "pb:9, 3"]', ["1: duplicate sampling 'pb:9, 3'"]),
    ("seeds = [1, 1]", ["2: duplicate seed | seeds = [1, 1]"]),
    ("seeds = [-1]", ["2: a seed must not be negative, as -1 is"]),
    ("seeds = [true]", ["2: seeds must be whole numbers | true | write seeds = [0, 1, 2]"]),
    ("seeds = []", ["2: there are no seeds | write seeds = [0, 1, 2]"]),
    ('system = "sytem.xml"', ["2: system: there is no such file | sytem.xml | did you mean 'system.xml'?"]),
    ("nfp = 3", ["2: nfp must be the name of a property, in quotes | nfp = 3"]),
    ("property = 3", ["2: property must be the name of a property, in quotes | property = 3"]),
    ('property = "a"\nnfp = "b"', ["3: property is given twice, as property and as nfp | remove one of them"]),
    ("scale = 0", ["2: scale must be a number above 0 | scale = 0"]),
    ("scale = nan", ["2: scale must be a number above 0 | scale = nan"]),
    ('constant = "no"', ['2: constant must be true or false | constant = "no"']),
    ('measures = ["smap"]', ["2: unknown measure 'smap' | did you mean 'smape'?"]),
    (
        'missing = "dorp"',
        ["2: missing must be one of error, drop, nearest | missing = \"dorp\" | did you mean 'drop'?"],
    ),
    ("at = 4", ["2: at must be a table: name = number | write at = { nodes = 4 }"]),
    ('at = { nodes = "4" }', ['2: at.nodes must be a number | "4"']),
    ("learners = 3", ["2: learners must be tables | write [learners.NAME] and settings below"]),
    ("[learners]\na = 3", ["3: learners.a must be a table | write [learners.a] and settings below"]),
    (
        '[learners.a]\nabortErorr = 1\npreset = "splconqueror"',
        ["3: unknown setting 'abortErorr' | did you mean 'abortError'?"],
    ),
    (
        "[learners.a]\nabortError = 1",
        ["3: the learner projection has no setting 'abortError' | --preset splconqueror has it"],
    ),
    ("[learners.a]\ntrems = 1", ["3: unknown setting 'trems' | did you mean 'terms'?"]),
    (
        '[learners.a]\npreset = "spl"',
        ["3: the learner projection has no preset 'spl' | known are: default, splconqueror, splconqueror-2019"],
    ),
    ('[learners." "]\npreset = "default"', ["2: a learner needs a name"]),
    ("[reference]\ntitle = 3", ["3: reference.title must be a text | 3"]),
    (
        "[reference.analytic_learned]\nSC = {ff = 1}",
        ["2: unknown comparison 'analytic_learned' | did you mean 'analytical_learned'?"],
    ),
    (
        "[reference.analytical_learned]\nSX = {ff = 1}",
        ["3: unknown measure 'SX' | " + MEASURES],
    ),
    (
        "[reference.analytical_learned]\nSC = 1",
        ["3: reference.analytical_learned.SC must be a table: sampling = value | " + SAMPLING],
    ),
    (
        '[reference.analytical_learned]\nSC = {"twise:0" = 1, ff = "x"}',
        [
            "3: twise:0: the number of options in a set must be an integer of at least 1, not '0' | write twise:T",
            '3: the value of SC must be a number | "x" | ' + NUMBER,
        ],
    ),
    ("[reference.analytical_learned]\nSC = {cci = 1}", ["3: 'cci' is none of the study's samplings | known are: ff"]),
    (
        '[reference.analytical_learned]\nSC = {ff = "1"}',
        ['3: the value of SC must be a number | "1" | ' + NUMBER],
    ),
    (
        "[reference.analytical_learned]\nSC = {ff = [1, 2, 3]}",
        ["3: the value of SC must be a number | [1, 2, 3] | " + NUMBER],
    ),
    (
        'reference = "none.csv"',
        ['2: the published values cannot be read | reference = "none.csv"', "none.csv: there is no such file"],
    ),
    ("samplings = [", ["2: not well-formed TOML: Invalid value (at the end of the file)"]),
    (
        "zzz = 1",
        ["2: unknown key 'zzz' | " + KEYS],
    ),
    (
        'samplings = [\n  3,\n  "ff",\n  "ff"]',
        [
            '1: samplings must be sampling specs, in quotes | 3 | write samplings = ["ff", "pb:9,3"]',
            "3: duplicate sampling 'ff'",
        ],
    ),
    (
        'samplings = [\n  "ff", "pb:9,3",\n  "pb:9, 3"]',
        ["3: duplicate sampling 'pb:9, 3'"],
    ),
    ("seeds = 3", ["2: seeds must be a list of whole numbers | write seeds = [0, 1, 2]"]),
    (
        'seeds = ["a", -1]',
        ['2: seeds must be whole numbers | "a" | write seeds = [0, 1, 2]', "2: a seed must not be negative, as -1 is"],
    ),
    ('system = " "', ['2: system must be the path of a file, in quotes | system = " "']),
    ("scale = true", ["2: scale must be a number above 0 | scale = true"]),
    ("scale = -1", ["2: scale must be a number above 0 | scale = -1"]),
    ("at = { a = true, b = inf }", ["2: at.a must be a number | true", "2: at.b must be a number | inf"]),
    ("constant = 1", ["2: constant must be true or false | constant = 1"]),
    ('measures = "smape"', ['2: measures must be a list of names of measures, in quotes | write measures = ["smape"]']),
    (
        'measures = ["sma", 3]',
        [
            '2: measures must be names of measures, in quotes | 3 | write measures = ["smape"]',
            "2: unknown measure 'sma' | did you mean 'smape'?",
        ],
    ),
    ("by = 3", ["2: by must be the name of a column, in quotes | by = 3"]),
    ('by = " "', ['2: by must be the name of a column, in quotes | by = " "']),
    ('by = "v"\nwhere = { v = "1" }', ["2: 'v' is in by and in where | name it only once: all its values, or one"]),
    ("invalid = 3", ["2: invalid must be one of error, drop | invalid = 3 | known are: error, drop"]),
    (
        'aggregate = "meen"',
        ["2: aggregate must be one of mean, median, min | aggregate = \"meen\" | did you mean 'mean'?"],
    ),
    (
        'duplicates = "x"',
        ['2: duplicates must be one of error, first, mean | duplicates = "x" | known are: error, first, mean'],
    ),
    ("reference = 3", ["2: reference must be a table, or the path of a CSV file | 3"]),
    ('reference = " "', ['2: reference must be a table, or the path of a CSV file | " "']),
    (
        "[reference]\nanalytical_learned = 3",
        ["3: reference.analytical_learned must be a table | write [reference.analytical_learned] and measures below"],
    ),
    (
        "[reference.measured_analytical]\nSC = {ff = 1}",
        ["3: the value of SC must be a number | { ff = 1 } | " + NUMBER],
    ),
    (
        "[reference.measured_learned]\nER = 3",
        ["3: reference.measured_learned.ER must be a table: sampling = value | " + SAMPLING],
    ),
    (
        "[reference.measured_learned]\nER = {ff = [1, -1]}",
        ["3: the value of ER must be a number | [1, -1] | " + NUMBER],
    ),
    (
        "[reference.measured_learned]\nER = {ff = [1]}",
        ["3: the value of ER must be a number | [1] | " + NUMBER],
    ),
    (
        '[reference.measured_learned]\nER = {ff = ["1", 2]}',
        ['3: the value of ER must be a number | ["1", 2] | ' + NUMBER],
    ),
    ("seeds = [1, 1, -2]", ["2: a seed must not be negative, as -2 is", "2: duplicate seed | seeds = [1, 1, -2]"]),
    ('analytical = "a/b.txt"', ["2: analytical: there is no such file | a/b.txt | paths are relative to this file"]),
    (
        "[reference.measured_learned]\nzzz = {ff = 1}",
        ["3: unknown measure 'zzz' | " + MEASURES],
    ),
]


@pytest.mark.parametrize(("text", "problems"), MESSAGES)
def test_messages(text: str, problems: list[str], study_file: Path) -> None:
    """A wrong entry gives one problem with its line, or with the line of its table."""
    before = "" if text.startswith("sampling") else 'samplings = ["ff"]\n'
    study_file.write_text(f"{before}{text}\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_study(study_file)
    folder = f"{study_file.parent}/"
    found = str(caught.value).replace("\n    ", " | ").replace(folder, "").replace("study.toml:", "")
    assert found.splitlines() == problems


def test_mistakes_do_not_hide_each_other(study_file: Path) -> None:
    """Mistakes in several tables give the problems of each, in the order of their lines."""
    of_tables: dict[str, list[tuple[str, list[str]]]] = {}
    for text, problems in MESSAGES:
        table = text.partition("\n")[0]
        # In others, a key is the name of one of these tables.
        if table.startswith("[") and ("." in table or "title" in text):
            of_tables.setdefault(table, []).append((text, problems))
    assert len(of_tables) > 4
    for chosen in itertools.zip_longest(*of_tables.values()):
        text, expected = 'samplings = ["ff"]\n', list[str]()
        for more, problems in filter(None, chosen):
            before = text.count("\n") - 1
            lines = (problem.partition(":") for problem in problems)
            expected += [f"{int(line) + before}:{rest}" for line, _, rest in lines]
            text += f"{more}\n"
        study_file.write_text(text, encoding="utf-8")
        with pytest.raises(InputError) as caught:
            read_study(study_file)
        found = str(caught.value).replace("\n    ", " | ").replace(f"{study_file}:", "")
        assert found.splitlines() == expected


ROWS = "compared,measure,sampling,value,deviation\n"


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        (
            "compared,measure,value\n",
            [
                "study: published.csv: there is no column sampling | "
                "its columns are compared, measure, sampling, value, deviation"
            ],
        ),
        (ROWS + "measured_learned,ER,ff,x,\n", [f'2: the value of ER must be a number | "x" | {NUMBER}']),
        (
            ROWS + "measured_learned,ER,ff,1,y\nmeasured_learned,SX,ff,1,\n",
            [f'2: the value of ER must be a number | [1.0, "y"] | {NUMBER}', f"3: unknown measure 'SX' | {MEASURES}"],
        ),
        (
            ROWS + "measured_lerned,ER,ff,1,\n\nmeasured_learned,ER,cci,1,\n",
            [
                "2: unknown comparison 'measured_lerned' | did you mean 'measured_learned'?",
                "4: 'cci' is none of the study's samplings | known are: ff",
            ],
        ),
        (
            ROWS + "measured_learned,ER,,1,\nmeasured_analytical,ER,ff,1,\n",
            ["2: measured_learned needs a sampling | ER", "3: measured_analytical has no samplings | ER"],
        ),
    ],
)
def test_messages_about_published_values(text: str, problems: list[str], study_file: Path) -> None:
    """A wrong row of published values gives a problem with its line."""
    (study_file.parent / "published.csv").write_text(text, encoding="utf-8")
    study_file.write_text('samplings = ["ff"]\nreference = "published.csv"\n', encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_study(study_file)
    folder = f"{study_file.parent}/"
    found = str(caught.value).replace("\n    ", " | ").replace(folder, "").replace("study.toml:", "study:")
    assert found.replace("published.csv:", "" if text.startswith(ROWS) else "published.csv:").splitlines() == problems
