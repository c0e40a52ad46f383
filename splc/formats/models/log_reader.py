"""Read performance-influence models from logs of SPL Conqueror and of splc.

All versions of logs are read: with or without the lines of `analyze-learning`, with repeated round lines
(`useBackward`), with the averaged model of bagging, with several learnings, with carriage returns, with numbers out of
range or with decimal commas, and logs that were cut off.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from splc.arithmetic.tokens import NameTable
from splc.errors import ExpressionError, InputError, Problem, Problems, listed, shorten
from splc.formats.models.columns import LearnedColumns
from splc.formats.models.log_writer import COMMAND, DEFINITION, LINK, NFP
from splc.io.files import Source
from splc.models.influence import InfluenceModel, Link
from splc.models.subexpressions import Derived
from splc.models.terms import Subexpression, Term, product_of
from splc.models.text.log_grammar import expand_product, is_number, names_of, split_model
from splc.models.text.reader import expand_subexpression
from splc.system.variability import ROOT, VariabilityModel

WhichRound = Literal["last", "best"] | int

FIELDS = 12
# A round line with fewer fields is no round, unless the file ends there.
FEWEST_FIELDS = 5
_ROUND = re.compile(r"\s*(\d+)\s*;")
_STARTS = ("Learning progress:", "Learning: NumberOfConfigurationsLearning", "command: learn-splconqueror")
_HEADER = "Round, Model,"
_AVERAGE = "average model:"
_AVERAGED_TERM = re.compile(r"[+-]?(?:\d|\.\d|NaN|-?Infinity)\S* \* ")
# Plus signs between the terms of an averaged model; a name such as c++ keeps its own.
_PLUS = re.compile(r"^(?:\+(?:\s+|$))+|(?:(?:^|\s+)\+)+$")
# Fields that are numbers or empty: errors, seconds, complexity, size and score of the best candidate.
_NUMBERS = (2, 3, 4, 5, 6, 7, 9, 10, 11)
_VALIDATION_ERROR = 4
_LOG = "command: log "
_ANALYZED = "Analyze finished"
_COLUMNS = re.compile(rf"{COMMAND}(contexts|columns): (.*)")
_DECIMAL_COMMA = re.compile(r"-?\d+,\d+(?:[eE][+-]?\d+)?")
_COMMA = re.compile(r"(?<![\w.,])(\d+),(\d+(?:[eE][+-]?\d+)?)(?![\w.,])")
# .NET's largest number, with fewer digits than it has, is above the largest number.
_OUT_OF_RANGE = re.compile(r"-?\d(?:\.\d+)?[eE]\+?\d{3,}")


@dataclass(frozen=True)
class RoundLine:
    """One round as a log states it."""

    number: int
    model: str
    error: float
    line: int


@dataclass(frozen=True)
class LoggedModel:
    """A model of a log.

    Attributes:
        model: the model.
        nfp: the property that was learned, None if the log does not name it (`command: nfp`).
        notes: what is unusual about the log.
        columns: the roles of columns in the measurements that the model was learned from.
    """

    model: InfluenceModel
    nfp: str | None
    notes: tuple[str, ...] = ()
    columns: LearnedColumns = field(default_factory=LearnedColumns)


@dataclass
class Learning:
    """One learning of a log: its rounds by number (a later line of the same round counts) and the averaged model.

    `definitions`: name in terms → the subexpression that it means, and the line.
    """

    rounds: dict[int, RoundLine] = field(default_factory=dict)
    average: list[tuple[str, int]] = field(default_factory=list)
    analysed: bool = False
    link: Link = "identity"
    nfp: str | None = None
    columns: LearnedColumns = field(default_factory=LearnedColumns)
    definitions: dict[str, tuple[str, int]] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Whether it holds no model."""
        return not self.rounds and not self.average


def parse_stored_log(
    source: Source,
    system: VariabilityModel | None = None,
    round: WhichRound = "last",
    learning: int | None = None,
) -> list[LoggedModel]:
    """Return models of a log.

    `system`: the system, whose names the terms must use; options that are always selected (among them the
    one that represents the constant) become the constant. Without it only `root` does. `learning`: 1, 2, … where a log
    holds several learnings; None is the last, 0 all.
    """
    learnings, notes = _learnings(source)
    if not learnings:
        hint = "it must have a line such as '1;2.5 * root + 3 * x;…' under 'Learning progress:' or 'Models:'"
        if logs := [line.removeprefix(_LOG).strip() for line in source.text().splitlines() if line.startswith(_LOG)]:
            hint = f"the script continued in another log: {listed(logs, 3)}"
        raise InputError(Problem("there is no learned model in this log", source.name, hint=hint))
    if learning is not None and not 0 <= learning <= len(learnings):
        raise InputError(Problem(f"there is no learning {learning}; there are {len(learnings)}", source.name))
    chosen = learnings if learning == 0 else [learnings[-1 if learning is None else learning - 1]]
    return [LoggedModel(_model(each, round, source.name, system), each.nfp, notes, each.columns) for each in chosen]


def _parts(learning: Learning, which: WhichRound, file: str) -> list[tuple[str, str, int]]:
    """Return the model of a learning as (influence, product, line) parts."""
    if learning.average and which in {"last", "best"}:
        return [(*pair, line) for text, line in learning.average for pair in split_model(text)]
    this = _chosen_round(learning, which, file)
    if not this.model.strip():
        hint = "SPL Conqueror's useBackward leaves such rounds behind; choose an earlier round"
        raise InputError(Problem(f"the model of round {this.number} is empty", file, this.line, hint=hint))
    return [(*pair, this.line) for pair in split_model(this.model)]


def _chosen_round(learning: Learning, which: WhichRound, file: str) -> RoundLine:
    rounds = learning.rounds
    if which == "last":
        return rounds[max(rounds)]
    if which == "best":
        return min(rounds.values(), key=lambda this: (math.isnan(this.error), this.error, this.number))
    if which not in rounds:
        known = f"the rounds are {min(rounds)} to {max(rounds)}" if rounds else "it holds an averaged model only"
        raise InputError(Problem(f"there is no round {which}", file, hint=known))
    return rounds[which]


def _learnings(source: Source) -> tuple[list[Learning], tuple[str, ...]]:
    """Return the learnings of a log that hold a model, in order, and notes."""
    problems, notes = Problems(source.name), _RoundNotes()
    found = [Learning()]
    last, averaging = -1, False
    nfp: str | None = None
    facts: dict[str, str] = {}
    columns = LearnedColumns()
    link: Link = "identity"
    definitions: dict[str, tuple[str, int]] = {}
    lines = source.text().splitlines()
    end = next((at for at in range(len(lines), 0, -1) if lines[at - 1].strip()), 0)
    analyzing = False
    for number, raw in enumerate(lines, 1):
        line = raw.strip()
        if averaging and _AVERAGED_TERM.match(line):
            found[-1].average.append((_PLUS.sub("", line), number))
            found[-1].link, found[-1].nfp, found[-1].columns = link, nfp, columns
            continue
        averaging = False
        if line.startswith(LINK):
            stated = line.removeprefix(LINK).strip()
            link = "log" if stated == "log" else "identity"
            if stated != link:
                problems.add(f"unknown link {stated!r}", number, hint="one of identity, log")
        elif line.startswith(DEFINITION):
            name, _, text = line.removeprefix(DEFINITION).partition(" = ")
            definitions = {**definitions, name: (text, number)}
        elif line.startswith(NFP):
            nfp = line.removeprefix(NFP).strip() or None
        elif fact := _COLUMNS.match(line):
            facts[fact[1]] = fact[2]
            columns = LearnedColumns.of_texts(facts)
        elif line.startswith(_AVERAGE):
            averaging = True
            if rest := _PLUS.sub("", line.removeprefix(_AVERAGE).strip()):
                found[-1].average.append((rest, number))
                found[-1].link, found[-1].nfp, found[-1].columns = link, nfp, columns
        elif line.startswith(_HEADER):
            if found[-1].analysed and not found[-1].empty:
                found.append(Learning())
            found[-1].analysed = analyzing = True
            last = -1
        elif line.startswith(_STARTS):
            if not found[-1].empty:
                found.append(Learning())
            last = -1
        elif _ROUND.match(line):
            this = _round(line, number, problems, notes, is_end=number == end)
            if this is None:
                continue
            if this.number < last:
                found.append(Learning(analysed=found[-1].analysed))
            last = this.number
            found[-1].rounds[this.number] = this
            found[-1].link, found[-1].nfp, found[-1].definitions = link, nfp, definitions
            found[-1].columns = columns
        elif line.startswith(_ANALYZED):
            link, definitions, facts, columns, analyzing = "identity", {}, {}, LearnedColumns(), False
    problems.raise_if_any(InputError)
    if analyzing:
        notes.cut_off = notes.cut_off or end
    return [learning for learning in found if not learning.empty], notes.texts()


@dataclass
class _RoundNotes:
    """Lines of unusual rounds, by what is unusual; 0 for none."""

    cut_off: int = 0
    short: list[int] = field(default_factory=list)
    commas: list[int] = field(default_factory=list)
    out_of_range: list[int] = field(default_factory=list)

    def texts(self) -> tuple[str, ...]:
        """Return the notes."""
        found = []
        for lines, what in (
            (self.commas, "decimal commas are read as points"),
            (self.out_of_range, "numbers out of range are read as infinite"),
            (self.short, f"rounds with fewer than {FIELDS} fields are read without the missing ones"),
        ):
            if lines:
                more = "" if len(lines) == 1 else f" and {len(lines) - 1:,} more"
                found.append(f"{what} (line {lines[0]}{more})")
        if self.cut_off:
            found.append(f"the log is cut off after line {self.cut_off}")
        return tuple(found)


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
        elif len(fields) >= FEWEST_FIELDS:
            notes.short.append(number)
    few = len(fields) < FEWEST_FIELDS and not is_end
    if len(fields) > FIELDS or few:
        problems.add(
            f"a round has {FIELDS} fields separated by ';', here are {len(fields)}",
            number,
            text=line,
            hint="was the line or the file cut off?" if few else None,
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
    error = fields[_VALIDATION_ERROR]
    return RoundLine(int(fields[0]), fields[1], float(error) if is_number(error) else math.nan, number)


def _is_value(text: str) -> bool:
    if is_number(text) or _OUT_OF_RANGE.fullmatch(text):
        return True
    return text.lstrip("-") in {"NaN", "Infinity", "∞"} or text.lower() in {"nan", "n. def."}


def _model(learning: Learning, which: WhichRound, file: str, system: VariabilityModel | None) -> InfluenceModel:
    """Return the model of a round of a learning, or its averaged model."""
    parts, link = _parts(learning, which, file), learning.link
    problems = Problems(file)
    names = NameTable(system.term_names) if system else names_of(product for _, product, _ in parts)
    named, derived = _subexpressions(learning, problems, system)
    for name in named:
        names.add(name, name)
    terms: list[tuple[Term, float]] = []
    for influence, product, line in parts:
        text = f"{influence} * {product}" if product else influence
        if not is_number(influence):
            what = "a term must begin with its influence" if influence else "a term is empty"
            problems.add(f"{what}, a finite number", line, text=text)
            continue
        try:
            expansion = expand_product(product or ROOT, names, system)
        except ExpressionError as error:
            for problem in error.problems:
                problems.add(f"in the term {shorten(text, 80)!r}: {problem.message}", line, hint=problem.hint)
            continue
        terms += [(_defined(term, named), float(influence) * weight) for term, weight in expansion.items()]
    problems.raise_if_any(InputError)
    if system is None:
        return InfluenceModel.from_terms(terms, link=link, derived=derived)
    return InfluenceModel.of_system(terms, system, link, derived)


def _subexpressions(
    learning: Learning, problems: Problems, system: VariabilityModel | None
) -> tuple[dict[str, Subexpression], tuple[Derived, ...]]:
    """Return name → the subexpression that it means, and all subexpressions."""
    named: dict[str, Subexpression] = {}
    derived: dict[str, Derived] = {}
    for name, (text, line) in learning.definitions.items():
        try:
            derived |= expand_subexpression(text, None if system is None else system.term_names)
        except ExpressionError as error:
            for problem in error.problems:
                problems.add(f"in the definition of {name}: {problem.message}", line, hint=problem.hint)
            continue
        named[name] = Subexpression(text)
    return named, tuple(derived.values())


def _defined(term: Term, named: Mapping[str, Subexpression]) -> Term:
    """Return a term with subexpressions instead of their names."""
    if named.keys().isdisjoint(term.options):
        return term
    return product_of(replace(factor, option=named.get(factor.option, factor.option)) for factor in term.factors)
