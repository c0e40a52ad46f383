"""Explanations and optima by full models: intervals, agreement with the printed model, and known truths."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sampling import Space
from splc import read_measurements
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning import learn
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows import explain, optimize
from splc.workflows.explain.full import overview_of_result
from splc.workflows.explain.importance import Overview, choices_of
from tests.support.full_models import EVERY, LearnedSystem, learned_system
from tests.support.real_data import with_real


@pytest.mark.parametrize("name", EVERY)
def test_laws_of_an_overview(name: str, tmp_path: Path) -> None:
    """Shares add up to 1, everything lies in its interval, and no interaction of the printed model is left out."""
    learned = learned_system(name, tmp_path)
    result = explain.run(explain.Request(system=learned.system, model=learned.file))
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
    assert (result.folds > 0) == any(folds is not None for folds in printed.values())


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
        found = explain.run(request).explained
        assert found is not None
        assert found.predicted == pytest.approx(first, rel=1e-9)
        sums = np.array([[each.value, each.reference] for each in found.contributions]).sum(axis=0)
        assert (np.exp(sums) if product else sums) == pytest.approx([first, found.reference], rel=1e-9)
        assert found.interval is not None
        assert found.interval.low <= found.predicted <= found.interval.high
        assert against is None or found.reference == pytest.approx(last, rel=1e-9)
    request = explain.Request(system=learned.system, model=learned.file, configuration=texts[0], printed=True)
    explained = explain.run(request).explained
    assert explained is not None
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
        assert {each.name for each in found.options[:4]} == {"b0", "b1", "b2", "x"}
        strongest = next(each for each in found.interactions if len(each.names) == 2)
        assert strongest.names == ("b1", "b2")
        assert strongest.low is not None
        assert strongest.low > 0
        for option in found.options:
            values = valid.column(option.name)
            for value, level in zip(option.values[1:], np.unique(values)[1:], strict=True):
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
    assert found.best_measured is not None
    (best,) = found.candidates
    for (value,) in (best.values, found.best_measured.values):
        assert value.interval is not None
        assert 0 < value.interval.low <= value.predicted <= value.interval.high
    (value,) = best.values
    assert value.predicted == pytest.approx(predicted.max() if maximize else predicted.min(), rel=1e-9)
    assert learned.result.predict(best.configuration)[0] == pytest.approx(value.predicted, rel=1e-9)
    place = int(learned.measured.configurations.find(Configurations(everything.system, best.configuration.indices))[0])
    assert value.measured == (None if place < 0 else pytest.approx(learned.measured.column(learned.nfp)[place]))
    assert not [note.text for note in found.notes if "outside" in note.text]


@pytest.mark.parametrize("name", with_real("smg2000", "LLVM"))
def test_the_optimum_of_the_printed_model(name: str, tmp_path: Path) -> None:
    """With `printed` the optimum is that of the printed model, in the interval of the printed model."""
    learned = learned_system(name, tmp_path)
    (value,) = optimum(learned, printed=True).candidates[0].values
    printed = learned.result.model.predict(learned.space.enumerate())
    assert value.predicted == pytest.approx(printed.min(), rel=1e-9)
    assert value.interval is not None
    assert value.interval.low <= value.predicted <= value.interval.high


def test_the_best_configurations_in_order(tmp_path: Path) -> None:
    """Several configurations are the best ones by the full model."""
    learned = learned_system("smg2000", tmp_path)
    found = optimum(learned, top=7, fix=("px=2",))
    everything = learned.space.enumerate()
    predicted = np.sort(learned.result.predict(everything[everything.value("px") == 2]))
    assert [each.values[0].predicted for each in found.candidates] == pytest.approx(predicted[:7].tolist(), rel=1e-9)
    assert all(each.configuration.value("px")[0] == 2 for each in found.candidates)


def test_the_pareto_front_of_full_models(tmp_path: Path) -> None:
    """The front of models that are learned here is that of their full models over all valid configurations."""
    learned = learned_system("smg2000", tmp_path)
    header, *rows = Path(learned.table).read_text(encoding="utf-8").splitlines()
    # Some configurations, with their three runs.
    few = tmp_path / "few.csv"
    few.write_text("\n".join([header, *(row for at, row in enumerate(rows) if at // 3 % 16 == 0)]), encoding="utf-8")
    names = ("solve_seconds", "setup_seconds")
    found = optimize.run(optimize.Request(system=learned.system, measurements=str(few), properties=names))
    measured, everything = read_measurements(few, learned.space.system), learned.space.enumerate()
    values = np.stack([learn(measured.measured(name), name).predict(everything) for name in names], axis=1)
    dominated = [((values <= row).all(axis=1) & (values < row).any(axis=1)).any() for row in values]
    got = [tuple(value.predicted for value in each.values) for each in found.candidates]
    np.testing.assert_allclose(got, sorted(map(tuple, values[~np.array(dominated)])), rtol=1e-9)
