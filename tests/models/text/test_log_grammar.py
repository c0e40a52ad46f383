"""Numbers, durations and terms of SPL Conqueror's log grammar."""

from __future__ import annotations

from hypothesis import assume, given, reject
from hypothesis import strategies as st

from splc.arithmetic.tokens import NameTable
from splc.errors import OutputError
from splc.models.influence import InfluenceModel
from splc.models.terms import log_term, option_term
from splc.models.text.log_grammar import (
    duration_text,
    expand_product,
    names_of,
    net_number,
    require_writable_names,
    split_model,
    term_text,
)
from splc.models.text.reader import expand_text
from tests.support.golden_messages import Lines, check_calls
from tests.support.learning_results import influence_models, small_system


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back(value: float) -> None:
    """Every finite number reads back as the same number."""
    assert float(net_number(value)) == value


def product(text: str, in_system: bool = False) -> Lines:
    """Return the sum of terms of a product; without the options of a system, all options are those of the text."""
    system = small_system() if in_system else None
    found = expand_product(text, system.name_table if system else names_of([text]), system)
    assert in_system or found == expand_product(text, small_system().name_table, small_system())
    return Lines(InfluenceModel.from_terms(found))


def term(text: str) -> str:
    """Return a term in the grammar of logs."""
    (found,) = expand_text(text, None)
    return term_text(found, ("gvn", "x", "y"), "base")


def names(text: str) -> list[str]:
    """Return the names in a product."""
    return sorted({*names_of([text]).names} - {"root"})


def writable(*names: str) -> Lines:
    """Return what is said about names in logs, read with a system and without."""
    found: list[str] = []
    for table in (NameTable({each: each for each in (*names, "a", "b", "x", "root")}), None):
        try:
            require_writable_names(["x", *names], table)
        except OutputError as error:
            found.append(str(error))
    return Lines("\n".join(dict.fromkeys(found)) or "none is refused")


def test_calls() -> None:
    """Numbers, durations, terms and names of logs."""
    check_calls("log-grammar", net_number, duration_text, split_model, product, term, names, writable)


@given(influence_models())
def test_terms_with_whole_exponents_read_back(model: InfluenceModel) -> None:
    """Every term with whole exponents reads back as itself."""
    whole = [
        term
        for term, _ in model.terms
        if all(isinstance(f.power, int) and isinstance(f.log, int) for f in term.factors)
    ]
    assume(whole)
    for term in whole:
        text = term_text(term)
        assert expand_product(text, names_of([text])) == {term: 1.0}


def check_names(names: list[str]) -> None:
    """Check that a model over names that are accepted is the same after it was written as a log and read."""
    known = NameTable({name: name for name in names})
    require_writable_names(names, known)
    terms = [option_term(one) * log_term(other) for one in names for other in names] + [option_term(names[0], -2)]
    text = " + ".join(f"2 * {term_text(term, names)}" for term in terms)
    assert [expand_product(product, known) for _, product in split_model(text)] == [{term: 1.0} for term in terms]


def test_names_that_the_grammar_can_say() -> None:
    """Names with signs and digits are accepted, and read back."""
    check_names(["x", "rc-lookahead", "c++", "7zip", "a(b)", "-x", "log10", "Ü.1", "f/g", "x^2"])


@given(
    st.lists(st.from_regex(r"[ab]?[ab1+\-*/ ();^`]{0,3}[ab1)+\-]", fullmatch=True), min_size=1, max_size=2, unique=True)
)
def test_accepted_names_read_back(names: list[str]) -> None:
    """All names that are accepted read back."""
    try:
        check_names(names)
    except OutputError:
        reject()
