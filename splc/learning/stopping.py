"""When learning ends: SPL Conqueror's rules, in its order."""

from __future__ import annotations

from splc.learning.settings import Settings

MAX_LEVEL = 10

REASONS = {
    "numberOfRounds": "the greatest number of rounds was reached",
    "learnTimeLimit": "the time limit was reached",
    "stopOnLongRound": "a round took more than an hour",
    "abortError": "the error is small enough",
    "minImprovementPerRound": "the best candidate improved the error too little",
    "noCandidate": "no candidate improves the error",
    "interrupted": "it was interrupted",
    "bagging": "all models of the bag were learned",
}


def stop_reason(
    settings: Settings, number: int, error: float, score: float, exact: float, elapsed: float, took: float, level: int
) -> str | None:
    """Return the rule that ends learning after a round, or None.

    Args:
        settings: the limits.
        number: rounds so far.
        error: selection error after the round.
        score: score of the round's winner.
        exact: an error that is rounding only.
        elapsed: seconds since learning began.
        took: seconds of this round.
        level: level of the hierarchy; below `MAX_LEVEL` a small improvement raises it instead of ending.
    """
    if number >= settings.numberOfRounds:
        return "numberOfRounds"
    if settings.learnTimeLimit and elapsed > settings.learnTimeLimit:
        return "learnTimeLimit"
    if settings.stopOnLongRound and number > 30 and took > 3600:
        return "stopOnLongRound"
    if error <= exact or error < settings.abortError:
        return "abortError"
    if score < settings.minImprovementPerRound and not (settings.withHierarchy and level < MAX_LEVEL):
        return "minImprovementPerRound"
    return None
