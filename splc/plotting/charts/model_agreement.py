"""Models beside each other: predictions against measured values, errors by value, and shares of sets of options."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splc.plotting.charts.chart import SERIES, Axis, BarMarks, Chart, Mark, Panel, Points, ReferenceLine, beside, spread
from splc.plotting.charts.prediction_errors import value_errors
from splc.types import Array

# The greatest numbers of bars and of panels.
MAX_BARS, MAX_PANELS = 20, 8


def agreement_chart(names: Sequence[str], predicted: Sequence[Array], measured: Array, quantity: str) -> Chart:
    """Return a chart of the predictions of several models against measured values.

    Args:
        names: the names of the models.
        predicted: their predictions, each of shape (n,).
        measured: the measured values, shape (n,).
        quantity: the property with its unit.
    """
    both = Axis.over(np.concatenate([measured, *predicted]), "")
    x, y = (Axis(f"{word} {quantity}", both.low, both.high, both.log) for word in ("measured", "predicted"))
    keys = tuple(range(len(measured)))
    marks: list[Mark] = [ReferenceLine()]
    marks += [Points(measured, values, role, keys=keys) for values, role in zip(predicted, SERIES, strict=False)]
    return Chart(
        "agreement",
        "Predicted and measured values",
        "Each point is a configuration; on the dashed line the prediction is exact.",
        (Panel(x, y, tuple(marks), "", 420, 360),),
        dict(zip(SERIES, names, strict=False)),
        {"measured": measured.tolist(), **{n: p.tolist() for n, p in zip(names, predicted, strict=True)}},
    )


def error_chart(
    names: Sequence[str], errors: Sequence[Array], options: Sequence[tuple[str, tuple[str, ...], Array]]
) -> Chart:
    """Return a chart of the relative errors of several models at each value of options.

    Args:
        names: the names of the models.
        errors: their relative errors in percent, each of shape (n,).
        options: the options: name, values as texts, and the position of the value of each row, shape (n,).
    """
    y = Axis.over(np.concatenate(list(errors)), "error, %", log=False, zero=True)
    panels = []
    for name, labels, at in options[:MAX_PANELS]:
        marks: list[Mark] = [ReferenceLine(y=0.0)]
        drawn = spread(len(at))
        for values, role in zip(errors, SERIES, strict=False):
            marks.append(Points(at[drawn] + beside(len(drawn)), values[drawn], role, keys=tuple(drawn.tolist())))
        panels.append(Panel(Axis.of_names(labels), y, tuple(marks), name, 250, 200))
    return Chart(
        "errors",
        "Where the models are wrong",
        "The errors of the predictions at each value of an option.",
        tuple(panels),
        dict(zip(SERIES, names, strict=False)),
        value_errors(options, dict(zip(names, errors, strict=True))),
    )


def sets_chart(names: tuple[str, str], sets: Sequence[tuple[str, float, float]]) -> Chart:
    """Return a chart of the shares of sets of options in two models.

    Args:
        names: the names of the models.
        sets: the options of each set, with its share in the first and in the second model, in percent.
    """
    shown = sorted(sets, key=lambda row: -max(row[1:]))[:MAX_BARS]
    axis = Axis.over(
        [share for row in shown for share in row[1:]], "share of the contributions, %", zero=True, log=False
    )
    start = np.zeros(len(shown))
    first, second = (np.array([row[at] for row in shown]) for at in (1, 2))
    marks = (BarMarks(start, first, (SERIES[0],), thickness=0.9), BarMarks(start, second, (SERIES[1],), thickness=0.4))
    return Chart(
        "sets",
        "What the models are about",
        "The share of the terms over each set of options in the mean absolute contributions of each model.",
        (Panel(axis, Axis.of_names([row[0] for row in shown]), marks, "", 430, 0),),
        {SERIES[0]: names[0], SERIES[1]: names[1]},
        {
            "options": [row[0] for row in sets],
            names[0]: [row[1] for row in sets],
            names[1]: [row[2] for row in sets],
        },
    )
