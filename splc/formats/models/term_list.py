"""Read lists of terms without influences: one term per line, as SPL Conqueror's `truemodel` reads them."""

from __future__ import annotations

from splc.errors import ExpressionError, InputError, LearningError, Problem, Problems
from splc.io.files import Source
from splc.learning.given_terms import GivenTerms, parse_term
from splc.learning.result import LearnedTerm
from splc.system.variability import VariabilityModel


def parse_term_list(source: Source, system: VariabilityModel) -> GivenTerms:
    """Return the learner that fits the influences of the terms of a file.

    A term has SPL Conqueror's log grammar; `#` begins a comment.
    """
    problems = Problems(source.name)
    terms: list[LearnedTerm] = []
    for number, raw in enumerate(source.text().splitlines(), 1):
        line = raw.partition("#")[0].strip()
        if not line:
            continue
        try:
            terms.append(parse_term(line, system))
            GivenTerms(tuple(terms))
        except ExpressionError as error:
            problems.include(error, number)
        except LearningError as error:
            hint = "options that are always selected are left out of a term"
            problems.add(error.problems[0].message, number, text=line, hint=hint)
            terms.pop()
    problems.raise_if_any(InputError)
    if not terms:
        raise InputError(Problem("there are no terms", source.name, hint="give one term per line: 'x * y'"))
    return GivenTerms(tuple(terms))
