"""Explanations and optima: contributions, aliases, overviews, response surfaces, full models, and known truths."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling import Space
from splc import read_model
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.formats.models.text import model_text_file
from splc.formats.system.splconqueror_xml import write_variability_model
from splc.learning import learn
from splc.learning.projection.predictor import Ensemble
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, Term, option_term
from splc.plotting.charts.predictions import associations
from splc.system.constraints import parse_arithmetic
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Link
from splc.workflows import explain, notebook, optimize
from splc.workflows.explain.explain import Contribution, Explained, sums_of
from splc.workflows.explain.importance import Overview, alias_notes, aliases, choices_of
from splc.workflows.pictures import MAX_VALUES, ResponseSurface, response_surface
from tests.support.examples import examples
from tests.support.full_models import EVERY, LearnedSystem, learned_system
from tests.support.golden_messages import check_calls
from tests.support.objects import present
from tests.support.real_data import with_real
from tests.support.strategies import influence_models, models

TEXT = "interchangeable, because they always change together in {}: {}"
NUMERIC = NumericOption("x", (1.0, 2.0, 4.0))
# Terms over two sets of options; the first two differ only in the member of an alternative group.
TERMS = {
    "codec_a": ("codec", ("codec",)),
    "codec_b": ("codec", ("codec",)),
    "log2(codec)": ("log2(codec)", ("codec",)),
    "codec_a * x": ("codec * x", ("codec", "x")),
    "x": ("x", ("x",)),
}


@examples(60)
@given(st.dictionaries(st.sampled_from(sorted(TERMS)), st.tuples(*[st.integers(-9, 9)] * 2), min_size=1))
def test_sums_by_brute_force(values: dict[str, tuple[int, int]]) -> None:
    """A sum of terms has the name of their group, a single term its own; sums are those of their terms."""
    contributions = [Contribution(text, float(a), float(b), 1, *TERMS[text]) for text, (a, b) in values.items()]
    found = {}
    for whole, parts in sums_of(contributions):
        for part in parts or [whole]:
            found[part.text] = (part.value, part.reference, part.count)
        if parts:
            assert whole.value == pytest.approx(math.fsum(part.value for part in parts))
            assert whole.count == sum(part.count for part in parts)
    expected = {}
    for group in {TERMS[text][0] for text in values}:
        members = [text for text in values if TERMS[text][0] == group]
        sums = tuple(float(sum(values[text][side] for text in members)) for side in (0, 1))
        expected[group if len(members) > 1 else members[0]] = (*sums, len(members))
    assert found == expected
    differences = [abs(whole.difference) for whole, _ in sums_of(contributions)]
    assert differences == sorted(differences, reverse=True)


def switches(*names: str) -> tuple[BinaryOption, ...]:
    """Return optional binary options."""
    return tuple(BinaryOption(name, optional=True) for name in names)


def found_aliases(space: Space, some: Configurations | None = None, values: np.ndarray | None = None) -> list[str]:
    """Return the notes about options that always change together, of a system or of a model learned from rows."""
    full: Ensemble | None = None
    if some is not None and values is not None:
        predictor = learn(Measurements(some, {"t": values}), "t").predictor
        assert isinstance(predictor, Ensemble)
        full = predictor
    return [note.text for note in alias_notes(full, space)]


def test_notes_about_aliases() -> None:
    """Those of all valid configurations come first; of the learning set only others are named."""
    together = tuple(BinaryOption(name, optional=True, implied=((other,),)) for name, other in ("ab", "ba"))
    space = Space(VariabilityModel("s", (*together, *switches("c", "d"), NUMERIC)))
    first = TEXT.format("all valid configurations", "a and b")
    assert found_aliases(space) == [first]
    everything = space.enumerate()
    some = everything[np.flatnonzero(everything.column("c") == everything.column("d"))]
    values = 10 + 5 * some.column("a") + 3 * some.column("c") + some.column("x")
    learned = "the 12 configurations learned from"
    assert found_aliases(space, some, values) == [first, TEXT.format(learned, "c and d")]
    # Options are those of these names, whatever further ones a system has, and in which order.
    wider = VariabilityModel("s", (*switches("e", "d", "c", "b", "a"), NumericOption("y", (1.0, 2.0)), NUMERIC))
    assert found_aliases(Space(wider), some, values) == [TEXT.format(learned, "d and c, b and a")]
    assert found_aliases(Space(VariabilityModel("s", (*switches("a", "b"), NUMERIC)))) == []


def same(columns: list[list[int]], choices: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return the choices that always change together."""
    return sorted(aliases(np.array(columns).T, choices))


def associated(columns: list[list[int]], choices: list[tuple[int, ...]]) -> list[list[float]]:
    """Return how much choices change together."""
    return [[round(each, 9) + 0.0 for each in row] for row in associations(np.array(columns).T, choices).tolist()]


def used() -> tuple[list[str], tuple[str, ...], tuple[object, ...]]:
    """Return the options, the unused ones and the interactions of a model with a term without influence."""
    options = (BinaryOption("always", optional=False), BinaryOption("a"), BinaryOption("b"), NumericOption("n", (1, 2)))
    system = VariabilityModel("s", options)
    a, b = option_term("a"), option_term("b")
    found = notebook.explain(InfluenceModel.of_system([(CONSTANT, 1.0), (a, 2.0), (a * b, 0.0)], system), Space(system))
    return [each.name for each in found.options], found.unused, found.interactions


def titles(parent: str | None, *groups: str) -> tuple[list[str], list[tuple[int, ...]]]:
    """Return the titles and the options of the choices of a system with alternative groups below a parent."""
    options = [BinaryOption(parent, optional=False)] if parent else []
    options.append(BinaryOption("free"))
    for names in (group.split() for group in groups):
        others = {name: tuple((other,) for other in names if other != name) for name in names}
        options += [BinaryOption(name, parent, optional=False, excluded=others[name]) for name in names]
    return choices_of(VariabilityModel("s", tuple(options)))


def test_choices() -> None:
    """Choices that change together, their titles, and options that a model uses are those of the golden file."""
    check_calls("choices", same, associated, used, titles)


OPTIONS: tuple[BinaryOption | NumericOption, ...] = (
    *switches("a"),
    *(NumericOption("n", (1.0, 2.0, 4.0)), NumericOption("m", tuple(map(float, range(1, 31))))),
)
A, N, M = map(option_term, "anm")


def surface(*terms: tuple[Term, float], link: Link = "identity", constraint: str = "") -> ResponseSurface:
    """Return the response surface of a model over n and m."""
    system = VariabilityModel("s", OPTIONS)
    if constraint:
        system = VariabilityModel("s", OPTIONS, (parse_arithmetic(constraint, system.name_table),))
    model = InfluenceModel.from_terms(terms, ("a", "n", "m"), link=link)
    return response_surface(model, link, Space(system), ("n", "m"))


def test_surfaces() -> None:
    """A cell is the mean over the other options, of products the geometric one; of many values both ends are shown.

    Pairs of values that no configuration has are empty.
    """
    found = surface((N * M, 1.0), (A, 4.0))
    assert (found.names, found.x.tolist()) == (("n", "m"), [1, 2, 4])
    assert (len(found.y), found.y[0], found.y[-1]) == (MAX_VALUES, 1, 30)
    # About half of the contexts have `a`.
    rest = found.predicted - np.outer(found.y, found.x)
    assert rest == pytest.approx(np.full_like(rest, rest[0, 0]))
    assert 1 < rest[0, 0] < 3
    product = surface((N, 0.5), (A, 3.0), link="log").predicted
    assert product[:, 1] / product[:, 0] == pytest.approx(np.exp(0.5))
    assert np.log(product[0, 0]) - 0.5 == pytest.approx(1.5, abs=0.5)
    valid = surface((N * M, 1.0), constraint="n * m <= 30")
    assert np.isnan(valid.predicted).tolist() == (np.outer(valid.y, valid.x) > 30).tolist()


@pytest.mark.parametrize("name", EVERY)
def test_laws_of_an_overview(name: str, tmp_path: Path) -> None:
    """Shares add up to 1, everything lies in its interval, and no interaction of the printed model is left out."""
    learned = learned_system(name, tmp_path)
    result = explain.run(explain.Request(system=learned.system, model=learned.file))
    found = result.found
    assert isinstance(found, Overview)
    assert found.full
    assert math.fsum(each.share for each in found.options) == pytest.approx(1)
    assert [each.share for each in found.options] == sorted((each.share for each in found.options), reverse=True)
    for each in found.options:
        assert 0 <= present(each.low) <= each.share <= present(each.high) <= 1
        assert math.fsum(value.fraction for value in each.values) == pytest.approx(1)
        for value in each.values[1:]:
            assert (value.change is None) == (value.low is None) == (value.high is None)
            if value.change is not None and value.low is not None and value.high is not None:
                assert value.low <= value.change <= value.high
    for pair in found.interactions:
        assert pair.low is None or pair.high is None or 0 <= pair.low <= pair.share <= pair.high <= 1
    # The table of terms and this list agree about what interacts.
    titles, choices = choices_of(learned.space.system)
    number_of = {learned.space.system.names[at]: number for number, group in enumerate(choices) for at in group}
    model = learned.result.model
    support = {estimate.term: estimate.folds for estimate in learned.result.estimates}
    together: dict[tuple[str, ...], list[int]] = {}
    for term, _ in model.terms:
        names = tuple(titles[number] for number in sorted({number_of[each] for each in model.options_of(term)}))
        if len(names) > 1:
            together.setdefault(names, []).extend(folds for folds in [support.get(term)] if folds is not None)
    printed = {each.names: each.folds for each in found.interactions if each.printed}
    assert printed == {names: max(known, default=None) for names, known in together.items()}
    assert (result.stored.folds > 0) == any(folds is not None for folds in printed.values())


@pytest.mark.parametrize("name", with_real("smg2000", "LLVM"))
def test_contributions_add_up_to_the_prediction_of_the_full_model(name: str, tmp_path: Path) -> None:
    """With what is not in the printed model, contributions add up to the full model's prediction, in its interval."""
    learned = learned_system(name, tmp_path)
    everything = learned.space.enumerate()
    one, other = (everything.assignment(row) for row in (0, len(everything) - 1))
    texts = [
        ",".join(f"{key}={value:g}" for key, value in each.items() if not math.isnan(value)) for each in (one, other)
    ]
    first, last = learned.result.predict(everything[[0, len(everything) - 1]])
    product = learned.result.model.link == "log"
    for against in (None, texts[1]):
        request = explain.Request(system=learned.system, model=learned.file, configuration=texts[0], against=against)
        found = explain.run(request).found
        assert isinstance(found, Explained)
        assert found.predicted == pytest.approx(first, rel=1e-9)
        sums = np.array([[each.value, each.reference] for each in found.contributions]).sum(axis=0)
        assert (np.exp(sums) if product else sums) == pytest.approx([first, found.reference], rel=1e-9)
        assert found.interval is not None
        assert found.interval.low <= found.predicted <= found.interval.high
        assert against is None or found.reference == pytest.approx(last, rel=1e-9)
    request = explain.Request(system=learned.system, model=learned.file, configuration=texts[0], printed=True)
    explained = explain.run(request).found
    assert isinstance(explained, Explained)
    assert explained.predicted == pytest.approx(learned.result.model.predict(everything[[0]])[0], rel=1e-9)


@cache
def everything(binary: int, levels: int) -> Configurations:
    """Return all configurations of binary options and an option whose values are powers of 2."""
    x = NumericOption("x", tuple(2.0**at for at in range(levels)))
    return Space(VariabilityModel("truth", (*(BinaryOption(f"b{at}") for at in range(binary)), x))).enumerate()


def explained(valid: Configurations, truth: np.ndarray, seed: int, learned: int) -> Overview:
    """Return the overview of the full model that is learned from some configurations with noise of 1 %."""
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(valid))[:learned]
    y = truth[rows] * np.exp(0.01 * rng.normal(size=len(rows)))
    result = learn(Measurements(valid[rows], {"time": y}), "time")
    found = notebook.explain(result, Space(valid.system))
    assert found.full
    assert not notebook.explain(result.of_printed, Space(valid.system)).full
    return found


@pytest.mark.parametrize(
    ("binary", "levels", "learned", "seeds"), [(4, 3, 24, 2), pytest.param(5, 5, 40, 8, marks=pytest.mark.slow)]
)
def test_known_truth(binary: int, levels: int, learned: int, seeds: int) -> None:
    """Of a truth with an interaction, options without effect are the last, and intervals cover in 85 % of the cases."""
    valid = everything(binary, levels)
    b, x = [valid.column(f"b{at}") for at in range(binary)], valid.column("x")
    truth = 100 + 30 * b[0] + 3 * x + 20 * b[1] * b[2]
    covered = []
    for seed in range(seeds):
        found = explained(valid, truth, seed, learned)
        assert {each.name for each in found.options[:4]} == {"b0", "b1", "b2", "x"}
        strongest = next(each for each in found.interactions if len(each.names) == 2)
        assert strongest.names == ("b1", "b2")
        assert present(strongest.low) > 0
        for option in found.options:
            values = valid.column(option.name)
            for value, level in zip(option.values[1:], np.unique(values)[1:], strict=True):
                true = truth[values == level].mean() - truth[values == values.min()].mean()
                covered.append(present(value.low) <= true <= present(value.high))
    assert np.mean(covered) >= 0.85


def optimum(learned: LearnedSystem, **fields: object) -> optimize.Result:
    """Return the best configurations by a learned model."""
    request = optimize.Request(system=learned.system, measurements=learned.table, models=(learned.file,), **fields)  # type: ignore[arg-type]
    return optimize.run(request)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("maximize", [False, True])
def test_the_optimum_of_the_full_model(name: str, tmp_path: Path, *, maximize: bool) -> None:
    """It is the best of all valid configurations, positive, in its interval, and has its measured value."""
    learned = learned_system(name, tmp_path)
    found = optimum(learned, maximize=maximize)
    everything = learned.space.enumerate()
    predicted = learned.result.predict(everything)
    assert found.exhaustive
    (best,) = found.candidates
    for (value,) in (best.values, present(found.best_measured).values):
        assert value.interval is not None
        assert 0 < value.interval.low <= value.predicted <= value.interval.high
    (value,) = best.values
    assert value.predicted == pytest.approx(predicted.max() if maximize else predicted.min(), rel=1e-9)
    assert learned.result.predict(best.configuration)[0] == pytest.approx(value.predicted, rel=1e-9)
    place = int(learned.measured.configurations.find(Configurations(everything.system, best.configuration.indices))[0])
    assert value.measured == (None if place < 0 else pytest.approx(learned.measured.column(learned.nfp)[place]))
    assert not [note.text for note in found.notes if "outside" in note.text]


@examples(20)
@given(data=st.data(), product=st.booleans())
def test_contributions_add_up(data: st.DataObject, product: bool, tmp_path_factory: pytest.TempPathFactory) -> None:
    """For any system, model and configurations, contributions add up (of a product: their exponentials multiply)."""
    system = data.draw(models(optional=False))
    space = Space(system)
    assume(space.count)
    everything = space.enumerate()
    model = data.draw(influence_models(system, least=2))
    # A larger exponential is no number.
    if product and bool((model.predict(everything) <= 700).all()):
        model = replace(model, link="log")
    folder = tmp_path_factory.mktemp("law")
    write_variability_model(system, folder / "system.xml")
    (folder / "model.txt").write_text(model_text_file(model), encoding="utf-8")
    # The text of a product without options, or whose terms cancel each other, is a number, which is a sum.
    product = read_model(folder / "model.txt", system).link == "log"
    one, other = (data.draw(st.integers(0, len(everything) - 1)) for _ in range(2))
    texts = [
        ",".join(f"{name}={value:g}" for name, value in everything.assignment(row).items()) for row in (one, other)
    ]
    predictions = model.predict(everything)
    file, description = str(folder / "model.txt"), str(folder / "system.xml")
    for against in (None, texts[1]):
        request = explain.Request(model=file, system=description, configuration=texts[0], against=against)
        found = explain.run(request).found
        assert isinstance(found, Explained)
        values = np.log(predictions) if product else predictions
        reference = values.mean() if against is None else values[other]
        assert found.predicted == pytest.approx(predictions[one])
        assert found.reference == pytest.approx(math.exp(reference) if product else reference, rel=1e-9, abs=1e-9)
        assert math.fsum(each.value for each in found.contributions) == pytest.approx(values[one], rel=1e-9, abs=1e-9)
        difference = values[one] - reference
        least = 1e-9 * max(1.0, abs(values).max())
        assert math.fsum(each.difference for each in found.contributions) == pytest.approx(difference, 1e-9, least)
