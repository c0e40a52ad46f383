"""The lines of logs of SPL Conqueror and of splc: learnings, their rounds, and the commands before them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from splc.errors import InputError, Problems
from splc.formats.measurements.columns import ColumnChoice
from splc.formats.models.columns import columns_in_lines
from splc.formats.models.log_writer import COMMAND, DEFINITION, LINK, NFP, SETTINGS
from splc.io.files import Source
from splc.learning.stepwise.settings import FIRST, is_setting
from splc.models.text.log_grammar import is_number
from splc.types import Link

FIELDS = 12
# A round line with fewer fields is no round, unless the file ends there.
MIN_FIELDS = 5
_ROUND = re.compile(r"\s*(\d+)\s*;")
_STARTS = ("Learning progress:", "Learning: NumberOfConfigurationsLearning", "command: learn-splconqueror")
_SIZE = re.compile(r"Learning: NumberOfConfigurationsLearning:(\d+)")
# Also the spellings of older versions, without `binary`; `splc sampling` is ours.
_SAMPLING = re.compile(
    r"command: ((?:binary|numeric|hybrid|twise|pairwise|featurewise|optionwise|negfw|allbinary|satoutput|random|"
    r"distance-based|splc sampling:)\s.*)",
    re.IGNORECASE,
)
_DEVIATION = re.compile(r"configurations loaded\. (abortError) set to highest deviation value: (\S+?)\.?$")
_SEED = re.compile(rf"{COMMAND}seed: (\d{{1,20}})")
_CLEAN_GLOBAL = "command: clean-global"
_CLEAN = ("command: clean-sampling", _CLEAN_GLOBAL)
_EVALUATION = "command: evaluationset "
_HEADER = "Round, Model,"
_AVERAGE = "average model:"
_AVERAGED_TERM = re.compile(r"[+-]?(?:\d|\.\d|NaN|-?Infinity)\S* \* ")
# Plus signs before a term of an averaged model, but not those at the end of a name such as c++.
_PLUS = re.compile(r"(?:\+(?:\s+|$))*+")
# Fields that are numbers or empty: errors, seconds, complexity, size and score of the best candidate.
_NUMBERS = (2, 3, 4, 5, 6, 7, 9, 10, 11)
_VALIDATION_ERROR, _SCORE, _TEST_ERROR = 4, 10, 11
_ANALYZED = "Analyze finished"
_COLUMNS = re.compile(rf"{COMMAND}(contexts|columns): (.*)")
_DECIMAL_COMMA = re.compile(r"-?\d+,\d+(?:[eE][+-]?\d+)?")
_COMMA = re.compile(r"(?<![\w.,])(\d+),(\d+(?:[eE][+-]?\d+)?)(?![\w.,])")
# .NET prints its largest number with fewer digits, so that the text is above the range of floating-point numbers.
_OUT_OF_RANGE = re.compile(r"-?\d(?:\.\d+)?[eE]\+?\d{3,}")


@dataclass(frozen=True)
class RoundLine:
    """One round as a log states it."""

    number: int  # 1, 2, …
    model: str  # the model as text
    error: float  # the error that rounds are compared by, NaN where it is missing or infinite
    line: int  # the line
    test_error: float = math.nan  # the error on the configurations that models are judged by, NaN likewise
    score: float = math.nan  # the score of the term that was added, NaN where it is missing


@dataclass
class Learning:
    """One learning of a log: its rounds by number (a later line of the same round counts) and the averaged model."""

    rounds: dict[int, RoundLine] = field(default_factory=dict)  # number → the round
    average: list[tuple[str, int]] = field(default_factory=list)  # the terms of the averaged model with their lines
    analysed: bool = False  # whether the log has the lines of `analyze-learning`
    link: Link = "identity"  # the link of the model
    nfp: str | None = None  # the property, None if the log does not name it
    # the roles of columns in the measurements that the model was learned from
    columns: ColumnChoice = field(default_factory=ColumnChoice)
    # name in terms → the subexpression that it means, and the line
    definitions: dict[str, tuple[str, int]] = field(default_factory=dict)
    sampling: tuple[str, ...] = ()  # the commands that drew the learning set
    configurations: int | None = None  # the size of the learning set, None if the log does not state it
    settings: Mapping[str, str] = field(default_factory=dict)  # the settings of learning, by name
    seed: int = 0  # the seed of whatever splc drew
    # the file of the measurements that errors were computed on, None for all measurements
    evaluation: str | None = None

    @property
    def empty(self) -> bool:
        """True if it holds no model."""
        return not self.rounds and not self.average


def learnings_of(source: Source) -> tuple[list[Learning], tuple[str, ...]]:
    """Return the learnings of a log that hold a model, in order, and notes."""
    problems, notes = Problems(source.name), _RoundNotes()
    learnings = [Learning()]
    last, averaging = -1, False
    nfp: str | None = None
    facts: dict[str, str] = {}
    columns = ColumnChoice()
    link: Link = "identity"
    definitions: dict[str, tuple[str, int]] = {}
    lines = source.text().splitlines()
    end = next((at for at in range(len(lines), 0, -1) if lines[at - 1].strip()), 0)
    analyzing = False
    sampling: list[str] = []
    settings: dict[str, str] = {}
    seed = 0
    evaluation: str | None = None
    for number, raw in enumerate(lines, 1):
        line = raw.strip()
        if averaging and _AVERAGED_TERM.match(line):
            learnings[-1].average.append((_without_signs(line), number))
            learnings[-1].link, learnings[-1].nfp, learnings[-1].columns = link, nfp, columns
            continue
        averaging = False
        if line.startswith(LINK):
            link_name = line.removeprefix(LINK).strip()
            link = "log" if link_name == "log" else "identity"
            if link_name != link:
                problems.add(f"unknown link {link_name!r}", number, hint="one of identity, log")
        elif line.startswith(DEFINITION):
            name, _, text = line.removeprefix(DEFINITION).partition(" = ")
            definitions = {**definitions, name: (text, number)}
        elif line.startswith(NFP):
            nfp = line.removeprefix(NFP).strip() or None
        elif fact := _COLUMNS.match(line):
            facts[fact[1]] = fact[2]
            columns = columns_in_lines(facts)
        elif line.startswith(_AVERAGE):
            averaging = True
            if averaged_term := _without_signs(line.removeprefix(_AVERAGE).strip()):
                learnings[-1].average.append((averaged_term, number))
                learnings[-1].link, learnings[-1].nfp, learnings[-1].columns = link, nfp, columns
        elif line.startswith(_HEADER):
            if learnings[-1].analysed and not learnings[-1].empty:
                learnings.append(Learning())
            learnings[-1].analysed = analyzing = True
            learnings[-1].evaluation = evaluation
            last = -1
        elif line.startswith(_STARTS):
            if not learnings[-1].empty:
                learnings.append(Learning())
            last = -1
            learnings[-1].sampling, learnings[-1].settings, learnings[-1].seed = tuple(sampling), settings, seed
            learnings[-1].evaluation = evaluation
            if size := _SIZE.match(line):
                learnings[-1].configurations = int(size[1])
        elif command := _SAMPLING.match(line):
            sampling.append(command[1].strip())
        elif line.startswith(SETTINGS):
            settings = _settings(line.removeprefix(SETTINGS))
        elif deviation := _DEVIATION.search(line):
            settings = {**settings, deviation[1]: deviation[2]}
        elif seed_line := _SEED.fullmatch(line):
            seed = int(seed_line[1])
        elif line.startswith(_EVALUATION):
            evaluation = line.removeprefix(_EVALUATION).strip() or None
        elif line.startswith(_CLEAN):
            sampling.clear()
            evaluation = None if line.startswith(_CLEAN_GLOBAL) else evaluation
        elif _ROUND.match(line):
            round_line = _round(line, number, problems, notes, is_end=number == end)
            if round_line is None:
                continue
            if round_line.number < last:
                learnings.append(Learning(analysed=learnings[-1].analysed))
            last = round_line.number
            learnings[-1].rounds[round_line.number] = round_line
            learnings[-1].link, learnings[-1].nfp, learnings[-1].definitions = link, nfp, definitions
            learnings[-1].columns = columns
        elif line.startswith(_ANALYZED):
            link, definitions, facts, columns, analyzing = "identity", {}, {}, ColumnChoice(), False
    problems.raise_if_any(InputError)
    if analyzing:
        notes.cut_off = notes.cut_off or end
    return [learning for learning in learnings if not learning.empty], notes.texts()


def _settings(text: str) -> dict[str, str]:
    """Return the settings of a line; the value of `first` may have spaces."""
    settings: dict[str, str] = {}
    name = ""
    for word in text.split():
        setting, colon, value = word.partition(":")
        if colon and is_setting(setting):
            name, settings[setting] = setting, value
        elif name == FIRST:
            settings[name] = f"{settings[name]} {word}"
    return settings


@dataclass
class _RoundNotes:
    """Line numbers of unusual rounds, by kind; `cut_off` is 0 if the log is complete."""

    cut_off: int = 0
    short: list[int] = field(default_factory=list)
    commas: list[int] = field(default_factory=list)
    out_of_range: list[int] = field(default_factory=list)

    def texts(self) -> tuple[str, ...]:
        """Return the notes."""
        texts = []
        for lines, message in (
            (self.commas, "decimal commas are read as points"),
            (self.out_of_range, "numbers out of range are read as infinite"),
            (self.short, f"rounds with fewer than {FIELDS} fields are read without the missing ones"),
        ):
            if lines:
                count_text = "" if len(lines) == 1 else f" and {len(lines) - 1:,} more"
                texts.append(f"{message} (line {lines[0]}{count_text})")
        if self.cut_off:
            texts.append(f"the log is cut off after line {self.cut_off}")
        return tuple(texts)


def _round(line: str, number: int, problems: Problems, notes: _RoundNotes, *, is_end: bool) -> RoundLine | None:
    """Return a round line, None if it is malformed (a problem), or cut off in its model (a note)."""
    fields = [cell.strip() for cell in line.split(";")]
    if len(fields) == FIELDS + 1 and not fields[-1]:
        fields.pop()
    # The last field, the test error, is optional.
    if len(fields) < FIELDS - (1 if fields[-1] else 0):
        if is_end:
            notes.cut_off = number
            # The last field before the end of the file may be incomplete.
            fields.pop()
            if len(fields) < 2:
                return None
        elif len(fields) >= MIN_FIELDS:
            notes.short.append(number)
    too_few = len(fields) < MIN_FIELDS and not is_end
    if len(fields) > FIELDS or too_few:
        problems.add(
            f"a round has {FIELDS} fields separated by ';', not {len(fields)}",
            number,
            text=line,
            hint="was the line or the file cut off?" if too_few else None,
        )
        return None
    fields += [""] * (FIELDS - len(fields))
    if any(_DECIMAL_COMMA.fullmatch(fields[at]) for at in _NUMBERS):
        notes.commas.append(number)
        fields = [_COMMA.sub(r"\1.\2", cell) for cell in fields]
    for at in _NUMBERS:
        if fields[at] and not _is_value(fields[at]):
            problems.add(f"field {at + 1} of the round is not a number", number, text=fields[at])
            return None
    if any(_OUT_OF_RANGE.fullmatch(fields[at]) and not is_number(fields[at]) for at in _NUMBERS):
        notes.out_of_range.append(number)
    error, test = (
        float(text) if is_number(text) else math.nan for text in (fields[_VALIDATION_ERROR], fields[_TEST_ERROR])
    )
    score = fields[_SCORE]
    return RoundLine(int(fields[0]), fields[1], error, number, test, _score(score))


def _score(text: str) -> float:
    """Return the score of a round; .NET's largest number in 15 digits is infinite."""
    if text == "∞" or _OUT_OF_RANGE.fullmatch(text):
        return math.inf
    return float(text) if is_number(text) else math.nan


def _is_value(text: str) -> bool:
    if is_number(text) or _OUT_OF_RANGE.fullmatch(text):
        return True
    return text.lstrip("-") in {"NaN", "Infinity", "∞"} or text.lower() in {"nan", "n. def."}


def _without_signs(text: str) -> str:
    """Return a term without the plus signs at its beginning and its end."""
    for _ in range(2):
        # A pattern that is anchored at the end of a text takes quadratic time.
        text = _PLUS.sub("", text, count=1)[::-1]
    return text
