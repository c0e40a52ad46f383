"""A small chart of each kind, with names that are long or markup."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from comparison.changes import ModelCourse, TermCourse
from splc.models.terms import option_term
from splc.plotting.charts import curves, effects, influences, predictions, sample
from splc.plotting.charts.chart import Chart, joined
from tests.support.pictures import EXAMPLE, compared, score

LONG = "a_name_of_an_option_that_is_much_longer_than_the_space_for_it_on_any_picture_$x$"
NAMES = ("cache", "<b>$x^2$</b>", LONG)
TIME = "time (ms)"
COUNT = 40
_RNG = np.random.default_rng(0)
MEASURED = 10.0 + 90 * _RNG.random(COUNT)
PREDICTED = MEASURED * (1 + 0.1 * _RNG.standard_normal(COUNT))
ERRORS = 100 * (PREDICTED / MEASURED - 1)
LEARNED = np.arange(COUNT) < 20
AT = np.arange(COUNT) % 3
REPEATED = MEASURED[:, None] * (1 + 0.1 * _RNG.random((COUNT, 3)))
MANY = np.exp(_RNG.standard_normal((12, 3000)))
LONG_TERMS = [score(option_term(LONG) ** k, "opposite sign", 1e-9, -1e9 / 7) for k in range(1, 4)]
OPTIONS = [(name, ("off", "on", LONG), AT) for name in NAMES]


def two_effects() -> Chart:
    """Return the effects of a numeric and of a named option."""
    means = np.array([20.0, 40.0, 60.0])
    numeric = effects.ValueEffects("n", ("1", "2", "4"), (1.0, 2.0, 4.0), means, means - 5, means + 5, AT)
    return effects.effects_chart(
        [numeric, effects.ValueEffects(LONG, NAMES, None, means, means - 5, means + 5, AT)], MEASURED, TIME
    )


def slices() -> Chart:
    """Return scaling models along two parameters."""
    x, at = np.array([1.0, 2.0, 4.0, 64.0]), np.array([1.0, 2.0, 4.0])
    models = [curves.ScalingCurve(name, at, at, x, 1.1 * x, 0.9 * x, 1.3 * x) for name in NAMES]
    return curves.curve_chart(
        [curves.Slice("n", {LONG: 3.0}, models), curves.Slice("p", {}, models[:1])], "curves", TIME
    )


def course(link: Literal["identity", "log"]) -> Chart:
    """Return the influences of three versions, or of products of twenty versions."""
    if link == "identity":
        first = TermCourse("x", (2.0, 4.0, 4.1), (0.1, 0.2, 0.2), (True, False))
        same = [TermCourse(LONG, (at, at + 0.5, at), (0.5, 0.25, 0.5), (False, False)) for at in (1.0, 2.0, 3.0, 4.0)]
        return effects.course_chart(ModelCourse(link, (first, *same), (0.9, 1.0)), ["1", "2", "3"], "v", "s by v", TIME)
    values = tuple(at / 10 for at in range(20))
    products = ModelCourse(link, (TermCourse("x", values, (0.1,) * 20, (False,) * 18 + (True,)),), (1.0,) * 19)
    return effects.course_chart(products, [f"version {at}.0" for at in range(20)], "v", LONG, LONG)


def several(learners: int, panels: int) -> Chart:
    """Return learning curves."""
    names = [f"{NAMES[at % 3]} {at}" for at in range(learners)]
    lines = {name: [(10.0 * 2**k, 50.0 / (k + 1) + at, 2.0 * k) for k in range(4)] for at, name in enumerate(names)}
    return curves.learning_curve_chart({f"{LONG} {at}": lines for at in range(panels)}, names, LONG)


WHYS = ["default"] + 9 * ["cover"] + 25 * ["search"] + 5 * ["verify"]
GALLERY: dict[str, Callable[[], Chart]] = {
    "tuning_progress": lambda: curves.progress_chart(WHYS, MEASURED, np.minimum.accumulate(MEASURED), 50.0, TIME),
    "tuning_tried": lambda: curves.tried_chart(
        WHYS, {NAMES[0]: (AT % 2).tolist(), NAMES[1]: [NAMES[each] for each in AT], LONG: MEASURED.tolist()}
    ),
    "change": lambda: effects.change_chart(
        [effects.TwoEffects(name, ("off", "on"), np.ones((3, 2)), np.full((3, 2), 2.0)) for name in NAMES],
        NAMES[:2],
        TIME,
    ),
    "effects": two_effects,
    "importance": lambda: influences.importance_chart(
        [influences.Share(name, 30.0, 20.0, 40.0) for name in NAMES], "time"
    ),
    "importance of nothing": lambda: influences.importance_chart([], "time"),
    "influences": lambda: influences.influence_chart(
        [influences.Influence(name, 3.0, -1.0, 5.0) for name in NAMES], TIME
    ),
    "influences of products": lambda: influences.influence_chart(
        [influences.Influence(name, 30.0, -10.0, 50.0) for name in NAMES], TIME, product=True
    ),
    "interactions": lambda: influences.interaction_chart(
        NAMES, {frozenset(NAMES[:2]): 3.0, frozenset(NAMES[1:]): 0.5}, "time"
    ),
    "surface": lambda: effects.surface_chart(
        (NAMES[1], LONG), np.arange(1.0, 13), np.array([1.0, 1e6]), np.exp(np.arange(24.0).reshape(2, 12)), TIME
    ),
    "measured surface": lambda: effects.surface_chart(
        (NAMES[1], LONG), np.arange(1.0, 5), np.array([1.0, 2.0]), np.arange(8.0).reshape(2, 4), TIME, np.eye(2, 4)
    ),
    "course": lambda: course("identity"),
    "course of products": lambda: course("log"),
    "course of nothing": lambda: effects.course_chart(ModelCourse("log", (), (1.0,)), ["1", "2"], "v", "s by v", TIME),
    "shares": lambda: curves.share_chart(
        [curves.ShareBar(name, 30.0, 20.0) for name in NAMES], "p = 512", "p = 16384", LONG
    ),
    "learning curves": lambda: several(3, 1),
    "learning curves of many": lambda: several(12, 4),
    "agreement": lambda: predictions.agreement_chart(NAMES, [PREDICTED, MEASURED, 1.1 * MEASURED], MEASURED, TIME),
    "errors of models": lambda: predictions.error_chart(NAMES, [ERRORS, 2 * ERRORS, -ERRORS], OPTIONS),
    "sets": lambda: influences.sets_chart((NAMES[1], LONG), [(name, 30.0, 20.0) for name in NAMES]),
    "predictions": lambda: predictions.prediction_chart(MEASURED, PREDICTED, ERRORS, LEARNED, TIME, held_out=True),
    "residuals": lambda: predictions.residual_chart(OPTIONS, ERRORS, LEARNED),
    "coverage": lambda: sample.coverage_chart([(name, 3, 0.5) for name in NAMES], 10),
    "aliases": lambda: sample.alias_chart(NAMES, np.array([[1.0, 1.0, 0.3], [1.0, 1.0, 0.0], [0.3, 0.0, 1.0]])),
    "drift": lambda: predictions.drift_chart(ERRORS, LEARNED),
    "repetitions": lambda: sample.repetition_chart(REPEATED, TIME),
    "scaling curves": slices,
    "terms": lambda: influences.term_chart([EXAMPLE]),
    "terms of several": lambda: influences.term_chart(
        [EXAMPLE, compared(LONG, LONG, (NAMES, LONG_TERMS)), compared("a", "b")]
    ),
    "sorted predictions": lambda: predictions.sorted_chart(
        NAMES, np.stack([MEASURED, PREDICTED, -MEASURED]), MEASURED, TIME
    ),
    "sorted predictions of many": lambda: predictions.sorted_chart(
        [f"{name} {at}" for at in range(4) for name in NAMES], MANY, None, LONG
    ),
    "front": lambda: curves.front_chart(
        np.stack([AT, -AT], axis=1), np.stack([MEASURED, ERRORS], axis=1), NAMES[1:], LONG
    ),
    "waterfall": lambda: influences.waterfall_chart(
        [(n, 2.0 - at) for at, n in enumerate(NAMES)], 4.0, ("mean", "this"), TIME
    ),
    "waterfall of many": lambda: influences.waterfall_chart(
        [(f"{NAMES[at % 3]} {at}", 0.5 - at / 20) for at in range(25)], 4.0, ("mean", "this"), TIME, product=True
    ),
    "waterfall of nothing": lambda: influences.waterfall_chart([], 4.0, ("mean", "this"), TIME),
    "waterfall of a huge factor": lambda: influences.waterfall_chart(
        [("x", 900.0)], 1.0, ("mean", "this"), TIME, product=True
    ),
    "course with gaps": lambda: effects.course_chart(
        ModelCourse("log", (TermCourse("x", (np.nan, 2.0, 3.0), (np.nan, 0.1, 0.2), (False, True)),), (1.0, 1.0)),
        *(["1", "2", "3"], "v", "s by v", TIME),
    ),
    "together": lambda: joined(
        [influences.importance_chart([influences.Share("a", 30.0)], "time"), two_effects()], LONG
    ),
    "sizes": lambda: curves.size_chart([1, 2, 3, 5, 8], [50.0, 20.0, 10.0, 9.0, 8.9], 3, 7.0),
}
