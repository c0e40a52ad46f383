"""Explanations by full models: intervals, consistency with the printed model, and known truths."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning import learn
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows import explain
from splc.workflows.explain import Request
from splc.workflows.explain.full import overview_of_result
from splc.workflows.explain.overview import Overview, choices_of
from tests.support.full_models import EVERY, learned_system
from tests.support.real_data import with_real


@pytest.mark.parametrize("name", EVERY)
def test_laws_of_an_overview(name: str, tmp_path: Path) -> None:
    """Shares add up to 1, everything lies in its interval, and no interaction of the printed model is left out."""
    learned = learned_system(name, tmp_path)
    result = explain.run(Request(system=learned.system, model=learned.file))
    found = result.overview
    assert found is not None
    assert found.full
    assert math.fsum(each.share for each in found.options) == pytest.approx(1)
    assert [each.share for each in found.options] == sorted((each.share for each in found.options), reverse=True)
    for each in found.options:
        assert each.low is not None
        assert each.high is not None
        assert 0 <= each.low <= each.share <= each.high <= 1
        assert math.fsum(value.fraction for value in each.values) == pytest.approx(1)
        for value in each.values[1:]:
            assert (value.change is None) == (value.low is None) == (value.high is None)
            if value.change is not None and value.low is not None and value.high is not None:
                assert value.low <= value.change <= value.high
    listed = {each.names: each for each in found.interactions}
    for pair in found.interactions:
        assert pair.low is None or pair.high is None or 0 <= pair.low <= pair.share <= pair.high <= 1
    # The table of terms and this list agree about what interacts.
    titles, choices = choices_of(learned.space.system)
    number_of = {learned.space.system.names[at]: number for number, group in enumerate(choices) for at in group}
    model = learned.result.model
    support = {estimate.term: estimate.folds for estimate in learned.result.estimates}
    sets: dict[tuple[str, ...], list[int | None]] = {}
    for term, _ in model.terms:
        names = tuple(titles[number] for number in sorted({number_of[each] for each in model.options_of(term)}))
        sets.setdefault(names, []).append(support.get(term))
    together = {names: folds for names, folds in sets.items() if len(names) > 1}
    assert together.keys() == {names for names, each in listed.items() if each.printed}
    for names, folds in together.items():
        known = [each for each in folds if each is not None]
        assert listed[names].folds == (max(known) if known else None)
    assert (result.folds > 0) == any(each.folds is not None for each in found.interactions if each.printed)


@pytest.mark.parametrize("name", with_real("smg2000", "LLVM"))
def test_contributions_add_up_to_the_prediction_of_the_full_model(name: str, tmp_path: Path) -> None:
    """With what is not in the printed model, contributions add up to the full model's prediction, in its interval."""
    learned = learned_system(name, tmp_path)
    everything = learned.space.enumerate()
    texts = []
    for row in (0, len(everything) - 1):
        assignment = everything.assignment(row)
        texts.append(",".join(f"{key}={value:g}" for key, value in assignment.items() if not math.isnan(value)))
    for against in (None, texts[1]):
        request = Request(system=learned.system, model=learned.file, configuration=texts[0], against=against)
        found = explain.run(request).explained
        assert found is not None
        expected = learned.result.predict(everything[[0]])[0]
        assert found.predicted == pytest.approx(expected, rel=1e-9)
        total = math.fsum(each.value for each in found.contributions)
        reference = math.fsum(each.reference for each in found.contributions)
        product = learned.result.model.link == "log"
        assert (math.exp(total) if product else total) == pytest.approx(expected, rel=1e-9)
        assert (math.exp(reference) if product else reference) == pytest.approx(found.reference, rel=1e-9)
        assert found.interval is not None
        assert found.interval.low <= found.predicted <= found.interval.high
        if against is not None:
            other = learned.result.predict(everything[[len(everything) - 1]])[0]
            assert found.reference == pytest.approx(other, rel=1e-9)
    printed = explain.run(Request(system=learned.system, model=learned.file, configuration=texts[0], printed=True))
    assert printed.explained is not None
    assert printed.explained.predicted == pytest.approx(learned.result.model.predict(everything[[0]])[0], rel=1e-9)


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
    found = overview_of_result(result, Space(valid.system))
    assert found.full
    assert not overview_of_result(result.of_printed, Space(valid.system)).full
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
        by_name = {each.name: each for each in found.options}
        assert {each.name for each in found.options[:4]} == {"b0", "b1", "b2", "x"}
        strongest = next(each for each in found.interactions if len(each.names) == 2)
        assert strongest.names == ("b1", "b2")
        assert strongest.low is not None
        assert strongest.low > 0
        for name in by_name:
            values = valid.column(name)
            for value, level in zip(by_name[name].values[1:], np.unique(values)[1:], strict=True):
                true = truth[values == level].mean() - truth[values == values.min()].mean()
                assert value.low is not None
                assert value.high is not None
                covered.append(value.low <= true <= value.high)
    assert np.mean(covered) >= 0.85


def test_a_constant_full_model() -> None:
    """Of pure noise, nothing is explained."""
    valid = everything(5, 5)
    found = explained(valid, np.exp(np.random.default_rng(3).normal(size=len(valid))), 1, 40)
    assert found.options == ()
    assert set(found.unused) == set(valid.system.names)
    assert found.deviation == pytest.approx(0, abs=1e-9)
