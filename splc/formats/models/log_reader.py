"""Read performance-influence models from logs of SPL Conqueror and of splc.

All versions of logs are read: with or without the lines of `analyze-learning`, with repeated round lines
(`useBackward`), with the averaged model of bagging, with several learnings, with carriage returns, with numbers out of
range or with decimal commas, and logs that were cut off.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from splc.errors import ExpressionError, InputError, Problem, Problems, listed, shorten
from splc.formats.models.log_lines import Learning, RoundLine, learnings_of
from splc.formats.models.stored_model import StoredModel
from splc.io.files import Source
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Derived
from splc.models.terms import Factor, Term, option_term, product_of
from splc.models.text.log_grammar import expand_product, is_number, names_of, split_model
from splc.models.text.reader import expand_definition
from splc.system.variability import ROOT, VariabilityModel

WhichRound = Literal["last", "best"] | int

_LOG = "command: log "


def parse_stored_log(
    source: Source,
    system: VariabilityModel | None = None,
    round: WhichRound = "last",
    learning: int | None = None,
) -> list[StoredModel]:
    """Return models of a log.

    `system`: the system, whose names the terms must use; options that are always selected (among them the
    one that represents the constant) become the constant. Without it only `root` does. `learning`: 1, 2, … where a log
    holds several learnings; None is the last, 0 all.
    """
    learnings, notes = learnings_of(source)
    if not learnings:
        hint = "it must have a line such as '1;2.5 * root + 3 * x;…' under 'Learning progress:' or 'Models:'"
        if logs := [line.removeprefix(_LOG).strip() for line in source.text().splitlines() if line.startswith(_LOG)]:
            hint = f"the script continued in another log: {listed(logs, 3)}"
        raise InputError(Problem("there is no learned model in this log", source.name, hint=hint))
    if learning is not None and not 0 <= learning <= len(learnings):
        raise InputError(Problem(f"there is no learning {learning}; there are {len(learnings)}", source.name))
    selected_learnings = learnings if learning == 0 else [learnings[-1 if learning is None else learning - 1]]
    return [
        StoredModel(model_of(item, round, source.name, system), item.nfp, "log", notes=notes, columns=item.columns)
        for item in selected_learnings
    ]


def _parts(learning: Learning, round_choice: WhichRound, file: str) -> list[tuple[str, str, int]]:
    """Return the model of a learning as (influence, product, line) parts."""
    if learning.average and round_choice in {"last", "best"}:
        return [(*pair, line) for text, line in learning.average for pair in split_model(text)]
    round_line = _chosen_round(learning, round_choice, file)
    if not round_line.model.strip():
        hint = "SPL Conqueror's useBackward leaves such rounds behind; choose an earlier round"
        raise InputError(Problem(f"the model of round {round_line.number} is empty", file, round_line.line, hint=hint))
    return [(*pair, round_line.line) for pair in split_model(round_line.model)]


def _chosen_round(learning: Learning, round_choice: WhichRound, file: str) -> RoundLine:
    rounds = learning.rounds
    if round_choice == "last":
        return rounds[max(rounds)]
    if round_choice == "best":
        return min(rounds.values(), key=lambda line: (math.isnan(line.error), line.error, line.number))
    if round_choice not in rounds:
        hint = f"the rounds are {min(rounds)} to {max(rounds)}" if rounds else "it holds an averaged model only"
        raise InputError(Problem(f"there is no round {round_choice}", file, hint=hint))
    return rounds[round_choice]


def model_of(learning: Learning, which: WhichRound, file: str, system: VariabilityModel | None) -> InfluenceModel:
    """Return the model of a round of a learning, or its averaged model."""
    parts, link = _parts(learning, which, file), learning.link
    problems = Problems(file)
    names = system.term_table if system else names_of(product for _, product, _ in parts)
    meanings, derived = _subexpressions(learning, problems, system)
    for name in meanings:
        names.add(name, name)
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
            for problem in error.problems:
                problems.add(f"in the term {shorten(text, 80)!r}: {problem.message}", line, hint=problem.hint)
    problems.raise_if_any(InputError)
    if system is None:
        return InfluenceModel.from_terms(terms, link=link, derived=derived)
    return InfluenceModel.of_system(terms, system, link, derived)


def _subexpressions(
    learning: Learning, problems: Problems, system: VariabilityModel | None
) -> tuple[dict[str, Term], tuple[Derived, ...]]:
    """Return name → the term that it means, and all subexpressions."""
    meanings: dict[str, Term] = {}
    derived: dict[str, Derived] = {}
    for name, (text, line) in learning.definitions.items():
        try:
            meaning, parts = expand_definition(text, None if system is None else system.term_names)
        except ExpressionError as error:
            for problem in error.problems:
                problems.add(f"in the definition of {name}: {problem.message}", line, hint=problem.hint)
            continue
        meanings[name] = meaning
        derived |= parts
    return meanings, tuple(derived.values())


def _defined(term: Term, meanings: Mapping[str, Term]) -> Term:
    """Return a term with what its names mean."""
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
