"""The constants of the full model, with their reasons (docs/decisions/0009-default-learner.md).

All of them are about standardised values: columns of about unit size, and targets with mean 0 and deviation 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self, get_args

from splc.io.settings import Setting, settings_in, stated_values
from splc.learning.stepwise.settings import stated_functions

# Basis. A numeric option is scaled to a range of ±1.3, so that its column has about the variance of a ±1 column.
HALF_RANGE = 1.3
SQUARE_SHIFT = 0.6  # minus about the mean of a scaled column's square, so that it and the constant hardly correlate
# The standard deviation of a prediction at a further value of an option, as a multiple of its distance from the
# prediction at the nearest known one; of two known values, which show no curvature, it is 1. Between known values it is
# half of that. With the last, first and middle values of options of zstd, SMG2000 and BoomerAMG left out, 90 %
# intervals have 97, 96 and 97 % of the values (without it 95, 92 and 91 %; 73, 51 and 74 % where two values are left).
EXTRAPOLATION = 0.5

# Half of the refits have thresholds of numeric options among their columns, for steps that smooth shapes miss.
MIN_THRESHOLDS = 3
MAX_THRESHOLDS = 31

# Numbers in the names of a group's members are used if they raise the evidence by more than the first constant above
# that of members which share one relevance. It may be below that of members with a relevance each by the second one for
# each member beyond three: their most probable relevances fit by chance, which is not subtracted from the evidence.
NUMBER_EVIDENCE = 3.0
EVIDENCE_PER_MEMBER = 1.0
FURTHER_NUMBER_EVIDENCE = 0.5  # the first constant for further groups, once one group's numbers are used
# Groups times variables up to which groups are compared one by one, too: a system of 200 options has fewer.
SINGLE_GROUPS = 15_000
ROWS_OF_NUMBERING = 150

# Priors, on the logarithms of the hyperparameters: centre and width. They were set once and not tuned; the errors
# change little for scales of the relevance between 0.1 and 1.
RELEVANCE_SCALE = 0.3**2
RELEVANCE = (math.log(0.05), 4.0)
INTERACTION = (math.log(0.5), 1.0)
STATIONARY = (math.log(0.1), 1.0)
WIDTH = (0.0, 1.0)
NOISE = (math.log(0.01), 2.0)

# The start of the search, and bounds of the logarithms. Relevances start at START_RELEVANCE / number of variables.
START_RELEVANCE = 0.5
START = {"interaction": 0.5, "stationary": 0.1, "width": 1.0, "noise": 0.05}
BOUNDS = {
    "relevance": (-14.0, 4.0),
    "interaction": (-8.0, 3.0),
    "stationary": (-8.0, 2.0),
    "width": (-4.0, 4.0),
    "noise": (-14.0, 1.0),
}
# Iterations of the first search, and of each refit, which starts from its end.
ITERATIONS = 40
REFIT_ITERATIONS = 12
JITTER = 1e-8  # added to the noise, so that the kernel matrix is positive definite without noise

# Rows that hyperparameters are learned from; further rows change them little and cost their third power.
ROWS_OF_SEARCH = 300
ROWS_OF_REFIT = 200
# With more options than the first number, and than so many for each row, a search is about that number of them only:
# those that explain the values best. The others have no influence.
SCREENED, OPTIONS_PER_ROW = 200, 2
# Rows of the full model, and of what the printed one follows; more change little.
ROWS_OF_MODEL = 1000
FOLDS = 8
UNMEASURED = 500  # unmeasured valid configurations that the printed model follows too

# Guard: influences can be distinguished from noise if the gain of evidence is certain, or if so few of so many
# permutations of the values have a larger one: 24 and 0 is a level of 4 %. Fewer rows than GUARD_ROWS have a level of
# 20 %, since there a missed influence costs more than a false one, or need a share of explained variance.
GUARD_CERTAIN = 20.0
GUARD_ROWS = 18
GUARD_EXPLAINED = 0.1
GUARD_PERMUTATIONS = (24, 0)
GUARD_FEW_ROWS = (19, 3)
# With more columns than the first, where the search takes long, a correlation of one column suffices that is larger by
# the last factor than any of any column for so many permutations.
GUARD_SINGLE = (60, 999, 1.25)

FEW_ROWS = 30  # with fewer rows errors at held-out rows say little

# Choice of scale: from this many rows on the full model of y replaces that of ln y if its evidence is higher by more
# than the margin.
ROWS_OF_SCALE = 20
SCALE_EVIDENCE = 2.0

LARGEST = 1e100  # larger values, in units of the typical one, are not learned on the scale of y: squares overflow
MAX_POWERS = 150  # values that differ by more powers of ten are refused

FLOOR = 3.0  # predictions of positive properties are at least the smallest measured value divided by this

# Intervals.
LEVEL = 0.9
CONFORMAL_ROWS = 30
INFLATION = (0.8, 2.5)
MIN_FREEDOM = 3
# Cross-validated errors of fewer rows per option, or of fewer rows, mean nothing.
ROWS_PER_OPTION = 3
ROWS_OF_VALIDATION = 12
# Below this probability, or with a smaller share of folds that have the term, the sign of an influence is not settled.
SETTLED, SUPPORT = 0.95, 0.75


Form = Literal["auto", "sum", "product"]
ScaleChoice = Literal["auto", "log", "raw"]

_auto: Mapping[str, Any] = {"words": {"auto": None, "none": None}, "shown": "`auto`"}


@dataclass(frozen=True)
class ProjectionSettings:
    """Settings of the default learner."""

    terms: Annotated[
        int | None,
        Setting("the largest number of terms; `auto`: chosen by the expected error", least=1, **_auto),
    ] = None
    readable: Annotated[bool, Setting("at most 10 terms, for a score that is up to 10 % larger")] = False
    form: Annotated[
        Form,
        Setting(
            "`sum`: a sum of terms; `product`: a product of factors; `auto`: a product only where a sum cannot follow "
            "the full model",
            choices=get_args(Form),
        ),
    ] = "auto"
    scale: Annotated[
        ScaleChoice,
        Setting(
            "the scale of the full model: `log` (ln y), `raw` (y), or `auto`, chosen by evidence",
            choices=get_args(ScaleChoice),
        ),
    ] = "auto"
    order: Annotated[
        int | None,
        Setting(
            "the largest number of options in a term; `auto`: 5, or 6 with as many numeric options", least=1, **_auto
        ),
    ] = None
    functions: Annotated[
        str,
        Setting(
            "[functions of one argument](../explanation/comparison.md#an-analytical-model), such as `sqrt,exp`, that "
            "terms may have besides powers and logarithms",
            parse=stated_functions,
        ),
    ] = ""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return the defaults with some settings changed; values may be texts."""
        return cls(**stated_values(settings_in(ProjectionSettings), values))


class MethodNote(str):
    """A note about how a model was found, which few readers need: other notes are more important."""

    __slots__ = ()
