"""The preset splconqueror-2019, and the stated term of the first round."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest

from splc.data.measurements import Measurements
from splc.errors import LearningError
from splc.formats.models.log_writer import learned_log_text
from splc.learning import learn
from splc.types import Array
from tests.learning.conftest import measured
from tests.support.golden_messages import check_messages
from tests.support.real_data import real

PRESET = "splconqueror-2019"
PLAIN = ("no_8x8dct", "no_cabac", "no_deblock", "no_fast_pskip", "no_mbtree", "no_mixed_refs", "no_weightb")
REFS = ("ref_1", "ref_5", "ref_9")
AHEAD = ("rc_lookahead_20", "rc_lookahead_40", "rc_lookahead_60")


def values(text: str) -> list[str | float]:
    """Return the words of a field of a round, numbers as numbers."""
    return [float(word) if word[-1].isdigit() and not word[0].isalpha() else word for word in text.split()]


def t_wise(x264: Measurements, t: int) -> Array:
    """Return the rows of `twise t:T` of x264.

    The solver of the logs selects ref_5 where no ref is asked for, and rc_lookahead_60 where nothing of both groups is,
    rc_lookahead_40 next to a ref that is asked for; so the influences of the logs show.
    """
    names = (*PLAIN, *REFS, *AHEAD)
    columns = np.array([x264.configurations.column(name) for name in names]).T
    position = {frozenset(name for name, on in zip(names, row, strict=True) if on): i for i, row in enumerate(columns)}
    rows = set()
    for wanted in map(set, combinations(names, t)):
        ref, ahead = wanted & set(REFS), wanted & set(AHEAD)
        if len(ref) > 1 or len(ahead) > 1 or wanted == {"ref_5"}:
            continue
        filled = wanted | (ref or {"ref_5"}) | (ahead or {"rc_lookahead_40" if ref else "rc_lookahead_60"})
        rows.add(position[frozenset(filled)])
    return np.array(sorted(rows))


@pytest.mark.real_data
@pytest.mark.parametrize(("t", "size"), [(1, 12), (2, 65)])
def test_published_models_of_t_wise_sampling(t: int, size: int) -> None:
    """With its first term, every round of a published log is learned: terms, influences and both errors."""
    x264 = measured("x264")
    text = real("splc_logs", f"x264_twise_t{t}.log").read_text()
    stated = [line.split(";") for line in text.splitlines() if re.fullmatch(r"\d+(;[^;]*){11}", line)][-t - 1 :]
    rows = t_wise(x264, t)
    assert len(rows) == size
    first = stated[0][1].rsplit(" * ", 1)[1]
    result = learn(x264, "Performance", PRESET, settings={"first": first}, learning_set=rows)
    logged = learned_log_text(result).split("Termination reason: ")[1].split("\nAnalyze")[0].splitlines()
    assert logged[0] == result.termination == "abortError"
    for ours, theirs in zip((line.split(";") for line in logged[1:]), stated, strict=True):
        # All fields but the time; the score of the first round is the largest number, in 15 digits there.
        for at in (0, 1, 2, 3, 4, 5, 7, 8, 9, *([] if ours[0] == "1" else [10])):
            assert values(ours[at]) == [
                own if isinstance(own, str) else pytest.approx(own, rel=1e-11) for own in values(theirs[at])
            ]
    assert logged[1].split(";")[10][:15] == stated[0][10][:15] == "1.7976931348623"
    assert result.error_all == pytest.approx(float(stated[-1][11]), rel=1e-12)


@pytest.mark.real_data
def test_best_candidate_without_a_first_term() -> None:
    """Without a stated term the first one is the best candidate, and a note says so."""
    x264 = measured("x264")
    result = learn(x264, "Performance", PRESET)
    assert result.rounds[0].added.term.options == {"ref_1"}
    assert any("program of 2018 took an arbitrary one" in note for note in result.notes)
    stated = learn(x264, "Performance", PRESET, settings={"first": "ref_1"})
    assert not any("arbitrary" in note for note in stated.notes)
    assert stated.terms == result.terms
    assert "first" not in result.settings


@pytest.mark.real_data
def test_wrong_first_terms() -> None:
    """A first term that is no candidate is refused."""
    check_messages(
        "first-terms", lambda first: learn(measured("x264"), "Performance", PRESET, settings={"first": first})
    )


@pytest.mark.real_data
def test_first_term_without_an_influence() -> None:
    """A first term that never changes in the learning set is refused."""
    x264 = measured("x264")
    rows = np.flatnonzero(x264.configurations.column("ref_1") == 0)
    with pytest.raises(LearningError, match="same value in all configurations"):
        learn(x264, "Performance", PRESET, settings={"first": "ref_1"}, learning_set=rows)
