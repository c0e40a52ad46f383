"""Read models from logs of SPL Conqueror and of splc, of all versions, also if they are cut off.

Logs may lack the lines of `analyze-learning`, repeat round lines (`useBackward`), and have an averaged model (bagging).
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from splc.errors import ExpressionError, InputError, Problem, Problems, listed, shorten
from splc.formats.column_choice import ColumnChoice
from splc.formats.models.log_writer import COMMAND, DEFINITION, LINK, NFP
from splc.formats.models.stored_model import ReadOptions, StoredModel, WhichRound, stated_columns
from splc.io.files import Source
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Derived
from splc.models.terms import Factor, Term, option_term, product_of
from splc.models.text.log_grammar import expand_product, is_number, names_of, split_model
from splc.models.text.reader import expand_definition
from splc.system.variability import ROOT, VariabilityModel
from splc.types import Link

FIELDS = 12
MIN_FIELDS = 5  # a round line with fewer fields is no round, unless the file ends there
_ROUND = re.compile(r"\s*(\d+)\s*;")
STARTS = ("Learning progress:", "Learning: NumberOfConfigurationsLearning", "command: learn-splconqueror")
_AVERAGE = "average model:"
_AVERAGED_TERM = re.compile(r"[+-]?(?:\d|\.\d|NaN|-?Infinity)\S* \* ")
_PLUS = re.compile(r"(?:\+(?:\s+|$))*+")  # plus signs before terms of an averaged model, not those in names such as c++
# Fields that are numbers or empty: errors, seconds, complexity, size and score of the best candidate.
_NUMBERS = (2, 3, 4, 5, 6, 7, 9, 10, 11)
_VALIDATION_ERROR, _SCORE, _TEST_ERROR = 4, 10, 11
_COLUMNS = re.compile(rf"{COMMAND}(contexts|columns): (.*)")
_DECIMAL_COMMA = re.compile(r"-?\d+,\d+(?:[eE][+-]?\d+)?")
_COMMA = re.compile(r"(?<![\w.,])(\d+),(\d+(?:[eE][+-]?\d+)?)(?![\w.,])")
_OUT_OF_RANGE = re.compile(r"-?\d(?:\.\d+)?[eE]\+?\d{3,}")  # .NET prints its largest number above the range of floats
# What may be in a field of numbers otherwise.
_NO_NUMBER = re.compile(rf"|{_OUT_OF_RANGE.pattern}|-*(?:NaN|Infinity|∞)|(?i:nan|n\. def\.)")


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
    columns: ColumnChoice = field(default_factory=ColumnChoice)  # the stated roles of columns of its measurements
    definitions: dict[str, tuple[str, int]] = field(default_factory=dict)  # name in terms → its subexpression, and line

    @property
    def empty(self) -> bool:
        """True if it holds no model."""
        return not self.rounds and not self.average


def learnings_of(source: Source) -> tuple[list[Learning], tuple[str, ...]]:
    """Return the learnings of a log that hold a model, in order, and notes."""
    problems, unusual, facts = Problems(source.name), defaultdict[str, list[int]](list), dict[str, Any]()
    # `stated`: what lines state of the learnings that follow.
    learnings, stated = [Learning()], Learning()
    last, averaging, analyzing = -1, False, False
    lines = source.text().splitlines()
    end = next((at for at in range(len(lines), 0, -1) if lines[at - 1].strip()), 0)

    def take(names: str) -> None:
        for name in names.split():
            setattr(learnings[-1], name, getattr(stated, name))

    for number, raw in enumerate(lines, 1):
        line = raw.strip()
        if averaging := line.startswith(_AVERAGE) or bool(averaging and _AVERAGED_TERM.match(line)):
            if averaged_term := _without_signs(line.removeprefix(_AVERAGE).strip()):
                learnings[-1].average.append((averaged_term, number))
                take("link nfp columns")
        elif line.startswith(LINK):
            name = line.removeprefix(LINK).strip()
            stated.link = "log" if name == "log" else "identity"
            if name != stated.link:
                problems.add(f"unknown link {name!r}", number, hint="one of identity, log")
        elif line.startswith(DEFINITION):
            name, _, text = line.removeprefix(DEFINITION).partition(" = ")
            stated.definitions = {**stated.definitions, name: (text, number)}
        elif line.startswith(NFP):
            stated.nfp = line.removeprefix(NFP).strip() or None
        elif fact := _COLUMNS.match(line):
            facts[fact[1]] = None
            # A line that is not JSON states nothing.
            with suppress(ValueError, RecursionError):
                facts[fact[1]] = json.loads(fact[2])
            stated.columns = stated_columns(facts)
        elif line.startswith("Round, Model,"):
            if learnings[-1].analysed and not learnings[-1].empty:
                learnings.append(Learning())
            learnings[-1].analysed = analyzing = True
            last = -1
        elif line.startswith(STARTS):
            learnings += [] if learnings[-1].empty else [Learning()]
            last = -1
        elif _ROUND.match(line):
            if (round_line := _round(line, number, problems, unusual, is_end=number == end)) is not None:
                if round_line.number < last:
                    learnings.append(Learning(analysed=learnings[-1].analysed))
                last = round_line.number
                learnings[-1].rounds[last] = round_line
                take("link nfp definitions columns")
        elif line.startswith("Analyze finished"):
            stated.link, stated.definitions, stated.columns = "identity", {}, ColumnChoice()
            facts, analyzing = {}, False
    problems.raise_if_any(InputError)
    if analyzing:
        unusual[_CUT_OFF].append(end)
    notes = []
    for message in (each for each in (_COMMAS, _INFINITE, _SHORT) if each in unusual):
        first, *others = unusual[message]
        notes.append(f"{message} (line {first}{f' and {len(others):,} more' if others else ''})")
    notes += [f"{_CUT_OFF} {number}" for number in unusual[_CUT_OFF][:1]]
    return [learning for learning in learnings if not learning.empty], tuple(notes)


# What is unusual about rounds, in the order of the notes.
_COMMAS = "decimal commas are read as points"
_INFINITE = "numbers out of range are read as infinite"
_SHORT = f"rounds with fewer than {FIELDS} fields are read without the missing ones"
_CUT_OFF = "the log is cut off after line"


def _round(
    line: str, number: int, problems: Problems, unusual: defaultdict[str, list[int]], *, is_end: bool
) -> RoundLine | None:
    """Return a round line, None if it is malformed (a problem), or cut off in its model (a note)."""
    fields = [cell.strip() for cell in line.split(";")]
    if len(fields) == FIELDS + 1 and not fields[-1]:
        fields.pop()
    # The last field, the test error, is optional.
    if len(fields) < FIELDS - (1 if fields[-1] else 0):
        if is_end:
            unusual[_CUT_OFF].append(number)
            # The last field before the end of the file may be incomplete.
            fields.pop()
            if len(fields) < 2:
                return None
        elif len(fields) >= MIN_FIELDS:
            unusual[_SHORT].append(number)
    too_few = len(fields) < MIN_FIELDS and not is_end
    if len(fields) > FIELDS or too_few:
        hint = "was the line or the file cut off?" if too_few else None
        problems.add(f"a round has {FIELDS} fields separated by ';', not {len(fields)}", number, text=line, hint=hint)
        return None
    fields += [""] * (FIELDS - len(fields))
    if any(_DECIMAL_COMMA.fullmatch(fields[at]) for at in _NUMBERS):
        unusual[_COMMAS].append(number)
        fields = [_COMMA.sub(r"\1.\2", cell) for cell in fields]
    for at in _NUMBERS:
        if not (is_number(fields[at]) or _NO_NUMBER.fullmatch(fields[at])):
            problems.add(f"field {at + 1} of the round is not a number", number, text=fields[at])
            return None
    if any(_OUT_OF_RANGE.fullmatch(fields[at]) and not is_number(fields[at]) for at in _NUMBERS):
        unusual[_INFINITE].append(number)
    values = (fields[at] for at in (_VALIDATION_ERROR, _TEST_ERROR, _SCORE))
    error, test, score = (float(text) if is_number(text) else math.nan for text in values)
    # Also .NET's largest number in 15 digits.
    is_infinite = fields[_SCORE] == "∞" or _OUT_OF_RANGE.fullmatch(fields[_SCORE])
    return RoundLine(int(fields[0]), fields[1], error, number, test, math.inf if is_infinite else score)


def _without_signs(text: str) -> str:
    """Return a term without the plus signs at its beginning and its end."""
    for _ in range(2):
        # A pattern that is anchored at the end of a text takes quadratic time.
        text = _PLUS.sub("", text, count=1)[::-1]
    return text


_LOG = "command: log "


def parse_stored_log(
    source: Source, system: VariabilityModel | None = None, options: ReadOptions | None = None
) -> list[StoredModel]:
    """Return models of a log; options that are always selected in the system become the constant, else `root` does."""
    options = options or ReadOptions()
    (learnings, notes), learning = learnings_of(source), options.learning
    if not learnings:
        hint = "it must have a line such as '1;2.5 * root + 3 * x;…' under 'Learning progress:' or 'Models:'"
        if logs := [line.removeprefix(_LOG).strip() for line in source.text().splitlines() if line.startswith(_LOG)]:
            hint = f"the script continued in another log: {listed(logs, 3)}"
        raise InputError(Problem("there is no learned model in this log", source.name, hint=hint))
    if learning is not None and not 0 <= learning <= len(learnings):
        raise InputError(Problem(f"there is no learning {learning}; there are {len(learnings)}", source.name))
    selected_learnings = learnings if learning == 0 else [learnings[-1 if learning is None else learning - 1]]
    models = ((each, model_of(each, options.round, source.name, system)) for each in selected_learnings)
    return [StoredModel(model, each.nfp, "log", notes=notes, columns=each.columns) for each, model in models]


def _parts(learning: Learning, round_choice: WhichRound, file: str) -> list[tuple[str, str, int]]:
    """Return the model of a learning as (influence, product, line) parts."""
    rounds, stated = learning.rounds, learning.average
    if not stated or round_choice not in {"last", "best"}:
        if round_choice == "best":
            chosen = min(rounds.values(), key=lambda line: (math.isnan(line.error), line.error, line.number))
        elif (number := max(rounds) if round_choice == "last" else round_choice) in rounds:
            chosen = rounds[number]
        else:
            hint = f"the rounds are {min(rounds)} to {max(rounds)}" if rounds else "it holds an averaged model only"
            raise InputError(Problem(f"there is no round {round_choice}", file, hint=hint))
        stated = [(chosen.model, chosen.line)]
        if not chosen.model.strip():
            hint = "SPL Conqueror's useBackward leaves such rounds behind; choose an earlier round"
            raise InputError(Problem(f"the model of round {chosen.number} is empty", file, chosen.line, hint=hint))
    return [(*pair, line) for text, line in stated for pair in split_model(text)]


def model_of(learning: Learning, which: WhichRound, file: str, system: VariabilityModel | None) -> InfluenceModel:
    """Return the model of a round of a learning, or its averaged model."""
    parts, link = _parts(learning, which, file), learning.link
    problems = Problems(file)

    def add(error: ExpressionError, place: str, line: int) -> None:
        for problem in error.problems:
            problems.add(f"in the {place}: {problem.message}", line, hint=problem.hint)

    names = system.term_table if system else names_of(product for _, product, _ in parts)
    meanings, derived = dict[str, Term](), dict[str, Derived]()
    for name, (text, line) in learning.definitions.items():
        try:
            meanings[name], subexpressions = expand_definition(text, system.term_names if system else None)
            derived |= subexpressions
            names.add(name, name)
        except ExpressionError as error:
            add(error, f"definition of {name}", line)
    terms: list[tuple[Term, float]] = []
    for influence, product, line in parts:
        text = f"{influence} * {product}" if product else influence
        if not is_number(influence):
            reason = "a term must begin with its influence" if influence else "a term is empty"
            problems.add(f"{reason}, a finite number", line, text=text)
            continue
        try:
            expansion = expand_product(product or ROOT, names, system)
            terms += [(_defined(term, meanings), float(influence) * weight) for term, weight in expansion.items()]
        except ExpressionError as error:
            add(error, f"term {shorten(text, 80)!r}", line)
    problems.raise_if_any(InputError)
    if system is None:
        return InfluenceModel.from_terms(terms, link=link, derived=derived.values())
    return InfluenceModel.of_system(terms, system, link, derived.values())


def _defined(term: Term, meanings: Mapping[str, Term]) -> Term:
    if meanings.keys().isdisjoint(term.options):
        return term
    factors: list[Factor] = []
    for factor in term.factors:
        [meaning] = meanings.get(factor.option, option_term(factor.option)).factors
        if meaning == Factor(meaning.option):
            factors.append(replace(factor, option=meaning.option))
        elif factor.log == 0:
            factors += (Term((meaning,)) ** factor.power).factors
        else:
            raise ExpressionError(f"the logarithm of {factor.option}, a power, is no term")
    return product_of(factors)
