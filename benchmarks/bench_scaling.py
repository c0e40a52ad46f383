"""Scaling models in batches against a plain loop of `numpy.linalg.lstsq` per hypothesis, side by side in one run.

Run by `make bench`. The ratio is printed and the claims are asserted: at least 50 times as fast as the plain loop over
the same 42 hypotheses with every point left out once, and 10,000 models in less than 5 s, half a millisecond each.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.bench_large import splc
from splc.scaling import ScalingModel, fit, fit_many
from splc.scaling.exponents import EXTRAP
from splc.scaling.methods import METHODS
from splc.scaling.result import intervals_of
from splc.scaling.single import space
from tests.support.scaling_oracle import column, smallest_left_out

X = np.array([2.0, 4.0, 8.0, 16.0, 32.0])


def profile(models: int) -> np.ndarray[Any, Any]:
    """Return noisy values of random functions, shape (models, n)."""
    rng = np.random.default_rng(1)
    powers = rng.choice([0, 0.5, 1, 1.5, 2, 2.5], models)[:, None]
    constant, slope = 10 ** rng.uniform(-2, 3, (2, models, 1))
    values = constant + slope * X**powers
    return np.asarray(values * (1 + rng.uniform(-0.02, 0.02, values.shape)))


@pytest.mark.parametrize("method", sorted(METHODS))
def test_ten_thousand_models(benchmark: Any, method: str) -> None:
    """10,000 models of five points take less than 5 s on one core, whatever the method."""
    values = profile(10_000)
    benchmark.pedantic(lambda: fit_many(X, values, method=method), rounds=3, warmup_rounds=1)
    seconds = benchmark.stats.stats.median
    print(f"\n{method}: {seconds:.2f} s for 10,000 models, {seconds / 10:.3f} ms each")
    assert seconds < 5


def test_against_a_plain_loop(benchmark: Any) -> None:
    """The same 42 hypotheses, with points left out: the same models as a plain loop, at least 50 times as fast."""
    values = profile(2_000)
    models = benchmark.pedantic(lambda: fit_many(X, values, method="basic"), rounds=3, warmup_rounds=1)
    few = 40
    started = time.perf_counter()
    plain = [smallest_left_out(X, y, EXTRAP) for y in values[:few]]
    each = (time.perf_counter() - started) / few
    ratio = each / (benchmark.stats.stats.median / len(values))
    benchmark.extra_info["times the plain loop"] = round(ratio)
    print(f"\nbasic: {ratio:.0f} times the plain loop ({1000 * each:.1f} ms per model)")
    assert [model.lead.get("x") for model in models[:few]] == [None if each is None else tuple(each) for each in plain]
    assert ratio >= 50


def test_default_against_a_plain_loop(benchmark: Any) -> None:
    """The default weighs several hundred hypotheses: at least 50 times as fast as fitting them one by one."""
    values = profile(2_000)
    benchmark.pedantic(lambda: fit_many(X, values), rounds=5, warmup_rounds=1)
    among = space(X, False)
    places = dict.fromkeys((first, second) for first, second, *_ in among.rows.tolist())
    hypotheses = [tuple(among.terms[at] for at in pair if at >= 0) for pair in places]
    few = 5
    started = time.perf_counter()
    for y in values[:few]:
        for terms in hypotheses:
            columns = [column(term, X) for term in terms]
            for design in [columns, [np.ones(5), *columns]] if terms else [[np.ones(5)]]:
                relative = np.stack(design, axis=1) / y[:, None]
                residuals = relative @ np.linalg.lstsq(relative, np.ones(5), rcond=None)[0] - 1
                assert np.isfinite((residuals**2).sum())
    each = (time.perf_counter() - started) / few
    ratio = each / (benchmark.stats.stats.median / len(values))
    number = 2 * len(hypotheses) - 1
    benchmark.extra_info["times the plain loop"] = round(ratio)
    print(f"\ndefault: {number} hypotheses, {ratio:.0f} times the plain loop ({1000 * each:.1f} ms per model)")
    assert ratio >= 50


def test_intervals_of_many_models(benchmark: Any) -> None:
    """An interval at one of five points takes less than 0.6 times as long as a model in `fit_many`."""
    values = profile(1_000)
    started = time.perf_counter()
    models = fit_many(X, values)
    each = (time.perf_counter() - started) / len(models)
    points = np.array([[16.0], [64.0], [128.0], [256.0], [512.0]])
    centers = np.array([model.predict(points) for model in models])
    benchmark.pedantic(lambda: intervals_of(models, points, centers, 0.9), rounds=5, warmup_rounds=1)
    seconds = benchmark.stats.stats.min / centers.size
    print(f"\n{1e6 * seconds:.0f} µs for an interval, {seconds / each:.2f} times a model")
    assert seconds < 0.6 * each


def quickest(call: Callable[..., Any], *given: Any) -> float:
    """Return the shortest time of some calls, in seconds."""
    times = []
    for _ in range(50):
        started = time.perf_counter()
        call(*given)
        times.append(time.perf_counter() - started)
    return min(times)


def test_one_series_and_its_intervals(benchmark: Any) -> None:
    """A model of one series takes less than 1 ms, as does its first interval, and a further one less than 0.4 ms."""
    values, point = profile(40), np.array([128.0])
    models = [fit(X, each) for each in values]

    def first(model: ScalingModel) -> None:
        # A copy has not kept its plausible hypotheses.
        replace(model, uncertainty=copy(model.uncertainty)).interval(point)

    fits = np.median([quickest(fit, X, each) for each in values])
    firsts = np.median([quickest(first, model) for model in models])
    further = np.median([quickest(model.interval, point) for model in models])
    benchmark(lambda: models[0].interval(point))
    print(f"\nmodel {1e3 * fits:.2f} ms, first interval {1e3 * firsts:.2f} ms, further one {1e6 * further:.0f} µs")
    assert fits < 1e-3
    assert firsts < 1e-3
    assert further < 4e-4


def test_a_profile_from_file_to_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """10,000 call paths take less than 24 s of CPU from a file to a file, and with a ranking less than 60 s.

    100,000 call paths take at most ten times as much, 4 minutes without a ranking, and less than 1 GB.
    """
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    lines = ["PARAMETER x", "POINTS " + " ".join(f"({x:g})" for x in X), "METRIC time"]
    for number, values in enumerate(profile(10_000)):
        lines.append(f"REGION main->phase{number % 7}->module{number % 97}->function{number}")
        lines += [f"DATA {value:.6g} {1.01 * value:.6g}" for value in values]
    (tmp_path / "profile.txt").write_text("\n".join(lines), encoding="utf-8")
    command = ["scale", "profile.txt", "-o", "models.json"]
    runs = [splc(tmp_path, *command, *further) for further in ([], ["--predict-at", "x=1024", "--tree"])]
    seconds, megabytes = [run[0] for run in runs], max(run[1] for run in runs)
    print(f"\n{seconds[0]:.1f} s, with a ranking {seconds[1]:.1f} s, {megabytes:.0f} MB")
    assert seconds[0] < 24
    assert seconds[1] < 60
    assert megabytes < 400
