"""Made-up systems with known best configurations, and tuning runs of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from sampling import Space
from splc.system.variability import VariabilityModel
from splc.tuning import Tuner, TuningTrial

Options = Mapping[str, float | None]

SYSTEM = VariabilityModel.of(
    {
        "cache": bool,
        "log": bool,
        "codec": ["none", "fast", "small"],
        "threads": [1, 2, 4, 8, 16],
        "level": range(1, 10),
    },
    ["!codec_none | cache"],
)


def seconds(options: Options) -> float:
    """Return the time of a configuration: the best one is cache, fast, 8 threads, level 3, with or without log."""
    threads, level = options["threads"] or 0, options["level"] or 0
    codec = 1.0 if options["codec_fast"] else 1.3 if options["codec_none"] else 1.6
    return (10 / threads + 0.16 * threads) * codec * (0.7 if options["cache"] else 1.0) * (1 + 0.05 * abs(level - 3))


def run(tuner: Tuner, measure: Callable[[TuningTrial], float | Mapping[str, float] | None]) -> list[TuningTrial]:
    """Run a tuner to its end; a value of None is a failure."""
    found = []
    while (trial := tuner.ask()) is not None:
        value = measure(trial)
        tuner.tell(trial, failed="no memory") if value is None else tuner.tell(trial, value)
        found.append(trial)
    return found


VALID = Space(SYSTEM).enumerate()
EVERY = [VALID.assignment(row) for row in range(len(VALID))]
TIMES = np.array([*map(seconds, EVERY)])


def noisy(sd: float, seed: int) -> Callable[[TuningTrial], float]:
    """Return a function that measures with normal noise of a relative standard deviation."""
    rng = np.random.default_rng(seed)
    return lambda trial: seconds(trial.configuration) * (1 + sd * float(rng.standard_normal()))


# A GPU kernel, whose blocks are slow unless they are powers of two.
KERNEL = VariabilityModel.of(
    {
        **{"block_x": range(16, 257, 16), "block_y": [1, 2, 4, 8, 16], "tile_x": range(1, 5), "tile_y": range(1, 5)},
        **{"shared": bool, "padding": bool},
    },
    ["!padding | shared"],
)


def kernel_seconds(options: Options) -> float:
    """Return the time of a configuration of the kernel: the best has blocks of 128, 1, and tiles of 1, 4."""
    x, y, tile = (options[name] or 0 for name in ("block_x", "block_y", "tile_x"))
    slow = 10.0 if (x % 64 and x != 32) or x == 192 or tile == 3 or options["tile_y"] == 3 else 1.0
    shared = (0.5 if slow > 1 else 4.0) if options["shared"] else 1.0
    level = 1 + 0.2 * abs(math.log2(x) - 7) + 0.1 * math.log2(y) + 0.3 * (4 - (options["tile_y"] or 0)) + 0.1 * tile
    return slow * shared * level * (0.95 if options["padding"] else 1.0)
