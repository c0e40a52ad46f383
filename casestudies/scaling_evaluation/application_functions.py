"""Functions like those of applications, from published models, with noise like that of measurements.

*Published models*: Kripke and Relearn, Learning Cost-Effective Sampling Strategies (section V, with the older model of
LTimes), SweepSolver of Kripke after Calotoiu et al., Fast Multi-Parameter Performance Modeling (CLUSTER 2016); Sweep3D,
MILC and HOMME after Calotoiu et al., Using Automated Performance Modeling to Find Scalability Bugs in Complex Codes
(SC 2013). The last two papers are not part of the project, and their coefficients were not compared with the text.
Models that were published without coefficients have terms of equal contributions at the geometric centre of the points.

*Functions*: a published model in which each coefficient is multiplied by a factor, log-uniform from 1/2 to 2. Functions
are drawn again where a value is not positive.

*Points*: those of the papers (of the SC paper their numbers, 7 and 9). `all` are all of them but the target, `few` a
line of five points per parameter through the smallest values and the cheapest point beside these; FASTEST's points
form a parallelogram, and `few` are its two lines. The target is what the papers predict: the last point, or one beyond.

*Noise*: each repetition deviates independently; the standard deviation is drawn for each function, log-uniform from
2 to 10 %. `misfit` adds a part common to a point (2 %), and a wave along the logarithm of one parameter, with an
amplitude of 2 to 5 % and a half to one and a half periods up to the target. The expected values include this wave.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from splc.scaling.exponents import Exponents, column
from splc.scaling.fit import fit_many
from splc.types import Array

NOISES = ("independent", "misfit")
METHODS = ("default", "basic", "refinement", "extrap")
BANDS = (0.05, 0.10, 0.20)
LEVEL = 0.9
_LARGEST_FACTOR = 2.0
_DEVIATIONS, _AMPLITUDES, _PERIODS, _COMMON = (0.02, 0.10), (0.02, 0.05), (0.5, 1.5), 0.02

# A power, and a power of the logarithm to base 2, of each parameter.
Factors = tuple[tuple[str, int], ...]
NONE = ("0", 0)


@dataclass(frozen=True)
class Kernel:
    """A published model."""

    constant: float | None  # its coefficient; None where no coefficients are published
    terms: tuple[tuple[float | None, Factors], ...]  # coefficient and factors of each term


@dataclass(frozen=True)
class Application:
    """An application, with the models and points of its paper."""

    axes: tuple[tuple[float, ...], ...]  # the values of each parameter
    target: tuple[float, ...]  # the point whose value is predicted
    repetitions: int  # measurements per point
    kernels: Mapping[str, Kernel]  # name → model
    parallelogram: bool = False  # whether only some points of the grid can be measured, see `points_of`

    @property
    def layouts(self) -> tuple[str, ...]:
        """The names of its sets of points."""
        return ("all", "few") if len(self.axes) > 1 else ("all",)


def _line(constant: float | None, *terms: tuple[float | None, str, int]) -> Kernel:
    return Kernel(constant, tuple((coefficient, ((power, log),)) for coefficient, power, log in terms))


_CONSTANT = _line(1.0)
APPLICATIONS: Mapping[str, Application] = {
    "Kripke": Application(
        ((8, 64, 512, 4096, 32768), (2, 4, 6, 8, 10), (32, 64, 96, 128, 160)),
        (32768, 12, 160),
        5,
        {
            "LTimes": Kernel(12.68, ((3.67e-2, (NONE, ("5/4", 0), ("1", 0))),)),
            "LTimes, sparse": Kernel(
                4.86, ((2.16e-3, (NONE, ("1", 0), ("5/4", 1))), (2.503, (NONE, ("1", 0), NONE)))
            ),
            "SweepSolver": Kernel(8.51, ((0.11, (("1/3", 0), ("1", 0), ("4/5", 0))),)),
            "LPlusTimes": Kernel(None, ((None, (NONE, ("3/4", 1), NONE)), (None, (NONE, NONE, ("3/2", 1))))),
            "MPI_Testany": Kernel(
                None,
                (
                    (None, (("1/3", 0), NONE, ("0", 1))),
                    (None, (NONE, ("0", 1), NONE)),
                    (None, (("1/3", 0), NONE, NONE)),
                ),
            ),
        },
    ),
    "Relearn": Application(
        ((32, 64, 128, 256, 512), (5000, 6000, 7000, 8000, 9000)),
        (512, 9000),
        1,
        {
            "connectivity update": Kernel(None, ((None, (("0", 1), NONE)), (None, (NONE, ("1", 2))))),
            "expected": Kernel(None, ((None, (("-1", 0), ("1", 2))), (None, (("1", 0), NONE)))),
        },
    ),
    "Relearn-3": Application(
        ((32, 64, 128, 256, 512), (5000, 6000, 7000, 8000, 9000), (0.1, 0.15, 0.2, 0.25, 0.3)),
        (512, 9000, 0.4),
        1,
        {
            "connectivity update": Kernel(
                -57.0,
                (
                    (7.85, (("0", 1), NONE, NONE)),
                    (3.13e-4, (NONE, ("1", 1), NONE)),
                    (0.87, (NONE, NONE, ("-8/3", 0))),
                ),
            ),
        },
    ),
    "FASTEST": Application(
        ((16, 32, 64, 128, 256, 512, 1024, 2048, 4096), (8192, 16384, 32768, 65536, 131072)),
        (512, 65536),
        5,
        {
            "celuvw": Kernel(None, ((None, (NONE, ("7/4", 0))), (None, (("4/3", 1), ("7/4", 0))))),
            "caluvw_sipsol": Kernel(None, ((None, (NONE, ("1", 2))), (None, (("1/2", 0), ("1", 2))))),
            "celp2": Kernel(None, ((None, (NONE, ("4/3", 0))), (None, (("4/3", 1), ("4/3", 0))))),
        },
        parallelogram=True,
    ),
    "Sweep3D": Application(
        ((64, 256, 1024, 4096, 16384, 65536, 262144),),
        (262144,),
        5,
        {
            "MPI_Recv": _line(0.0, (4.03, "1/2", 0)),
            "MPI_Allreduce": _line(0.0, (1.06, "1/2", 0), (0.03, "1/2", 1)),
            "MPI_Send": _line(11.49, (0.09, "1/2", 1)),
            "source": _line(6.86, (9.13e-5, "0", 1)),
            "sweep": _CONSTANT,
        },
    ),
    "HOMME": Application(
        ((600, 1176, 1944, 3456, 5400, 8664, 15000, 24576, 43350),),
        (43350,),
        5,
        {
            "MPI_Reduce": _line(0.026, (2.53e-6, "3/2", 0), (1.24e-12, "3", 0)),
            "vlaplace_sphere_wk": _line(24.44, (2.26e-7, "2", 0)),
            "laplace_sphere_wk": _line(21.84, (1.96e-7, "2", 0)),
            "biharmonic_wk": _line(17.92, (1.57e-7, "2", 0)),
            "others": _CONSTANT,
        },
    ),
    "MILC": Application(
        ((64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384),),
        (16384,),
        5,
        {"MPI_Allreduce": _line(0.0, (6.3e-6, "0", 2)), "others": _CONSTANT},
    ),
}  # fmt: skip


@dataclass(frozen=True)
class ApplicationScore:
    """The score of models of the kernels of an application."""

    models: int  # their number
    within: tuple[float, ...]  # percent of predictions within 5, 10 and 20 %
    covered: float | None  # percent of 90 % intervals that hold a new measurement; None where they were not asked for
    width: float | None  # the median of half the interval's width, in percent of the value; None likewise


def points_of(application: Application, layout: str) -> Array:
    """Return the measured points, shape (n, parameters)."""
    points = np.array(list(itertools.product(*application.axes)), dtype=float)
    if application.parallelogram:
        # The larger the problem, the fewer processes it was measured with.
        first, second = (np.array([axis.index(each) for each in column]) for axis, column
                         in zip(application.axes, points.T.tolist(), strict=True))  # fmt: skip
        at = first + second
        points = points[(at >= 4) & (at < 9)]
        if layout == "few":
            points = points[(points[:, 1] == points[:, 1].min()) | (points[:, 0] == 256)]
    elif layout == "few":
        beside = (points > points.min(axis=0)).sum(axis=1)
        costs = np.where(beside > 1, np.prod(points / points.min(axis=0), axis=1), np.inf)
        points = points[np.sort(np.append(np.flatnonzero(beside <= 1), costs.argmin()))]
    return np.asarray(points[(points != np.array(application.target)).any(axis=1)])


def draw(application: Application, kernel: Kernel, x: Array, number: int, rng: np.random.Generator) -> Array:
    """Return the values of random functions at points x (n, parameters), shape (number, n)."""
    centre = np.exp(np.mean(np.log(points_of(application, "all")), axis=0))
    at = np.vstack([x, centre])
    columns = [np.ones(len(at)), *(_column(factors, at) for _, factors in kernel.terms)]
    given = [kernel.constant, *(coefficient for coefficient, _ in kernel.terms)]
    parts = np.array([
        each / each[-1] if coefficient is None else coefficient * each
        for coefficient, each in zip(given, columns, strict=True)
    ])  # fmt: skip
    found: list[Array] = []
    while len(found) < number:
        factors = np.exp(rng.uniform(-1, 1, len(parts)) * np.log(_LARGEST_FACTOR))
        values = factors @ parts[:, :-1]
        if (values > 0).all():
            found.append(values)
    return np.array(found)


def measurements(
    x: Array, values: Array, repetitions: int, noise: str, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return measured and expected values of functions at points; the last point is the target.

    `values`: shape (functions, n). Measured values have shape (functions, n, repetitions).
    """
    number = len(values)
    expected = values.copy()
    if noise == "misfit":
        logs = np.log(x / x.min(axis=0))
        along = rng.integers(x.shape[1], size=number)
        positions = (logs / logs.max(axis=0)).T[along]
        amplitude = rng.uniform(*_AMPLITUDES, (number, 1))
        phase = rng.uniform(size=(number, 1)) + rng.uniform(*_PERIODS, (number, 1)) * positions
        expected *= 1 + amplitude * np.sin(2 * np.pi * phase)
    low, high = _DEVIATIONS
    deviation = low * (high / low) ** rng.uniform(size=(number, 1, 1))
    point = _COMMON * rng.normal(size=(*values.shape, 1)) if noise == "misfit" else 0.0
    own = deviation * rng.normal(size=(*values.shape, repetitions))
    return np.asarray(expected[:, :, None] * (1 + point) * (1 + own)), expected


def evaluate(name: str, layout: str, noise: str, method: str, *, number: int, seed: int) -> ApplicationScore:
    """Return the score of a method: `number` functions of every kernel."""
    application = APPLICATIONS[name]
    errors, held, widths = [], [], []
    points = points_of(application, layout)
    target = np.array([application.target], dtype=float)
    x = np.vstack([points, target])
    for at, kernel in enumerate(application.kernels.values()):
        rng = np.random.default_rng([seed, list(APPLICATIONS).index(name), at, NOISES.index(noise)])
        values = draw(application, kernel, x, number, rng)
        measured, expected = measurements(x, values, application.repetitions, noise, rng)
        truth, new = expected[:, -1], measured[:, -1, 0]
        models = fit_many(points, measured[:, :-1], method=method)
        errors.append(np.abs(np.array([float(model.predict(target)[0]) for model in models]) / truth - 1))
        if method == "default":
            bounds = np.array([[float(each[0]) for each in model.interval(target, LEVEL)] for model in models])
            held.append((bounds[:, 0] <= new) & (new <= bounds[:, 1]))
            widths.append((bounds[:, 1] - bounds[:, 0]) / truth)
    every = np.concatenate(errors)
    within = tuple(100 * float((every <= band).mean()) for band in BANDS)
    covered = 100 * float(np.concatenate(held).mean()) if held else None
    return ApplicationScore(
        len(every), within, covered, 50 * float(np.median(np.concatenate(widths))) if widths else None
    )


def _column(factors: Factors, x: Array) -> Array:
    parts = [column(Exponents(Fraction(power), Fraction(log)), own)
             for (power, log), own in zip(factors, x.T, strict=True)]  # fmt: skip
    return np.asarray(np.prod(parts, axis=0))
