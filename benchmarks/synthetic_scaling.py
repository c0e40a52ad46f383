"""Writes the table of the synthetic evaluation (Following the Blind Seer, Fig. 3) for all single-parameter learners.

Run from the top of the checkout:

    python -m benchmarks.synthetic_scaling --functions 1000 --seed 1
    python -m benchmarks.synthetic_scaling --learner default --intervals

What is drawn and what counts is stated in `splc.scaling.evaluation`. The standard error beside a share p of N functions
is at most sqrt(p (100 - p) / N) points; the four sets of points share their functions, so it does not fall with them.
"""

from __future__ import annotations

import argparse

from splc.scaling.evaluation import KINDS, LEARNERS, NOISE, POINTS, Score, evaluate


def table(scores: tuple[Score, ...]) -> str:
    """Return scores as a Markdown table: exact lead exponents / predictions within the noise (/ coverage)."""
    kinds = [kind for kind in KINDS if any(score.kind == kind for score in scores)]
    lines = ["| learner | " + " | ".join(kinds) + " |", "|---" * (len(kinds) + 1) + "|"]
    for learner in dict.fromkeys(score.learner for score in scores):
        cells = []
        for kind in kinds:
            score = next(each for each in scores if (each.learner, each.kind) == (learner, kind))
            shares = [score.exact, score.within, *([] if score.covered is None else [score.covered])]
            cells.append(" / ".join(f"{share:.1f}" for share in shares))
        lines.append(f"| {learner} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Run the evaluation and print its table."""
    parser = argparse.ArgumentParser(description="Synthetic evaluation of scaling models (Fig. 3)")
    parser.add_argument("--functions", type=int, default=1000, help="functions per class (default: 1000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draws (default: 1)")
    parser.add_argument("--noise", type=float, default=NOISE, help="largest relative deviation (default: 0.02)")
    parser.add_argument("--learner", action="append", choices=list(LEARNERS), help="only this one; can be repeated")
    parser.add_argument("--intervals", action="store_true", help="coverage of 90 %% intervals as a third number")
    given = parser.parse_args()
    learners = {label: LEARNERS[label] for label in given.learner or LEARNERS}
    scores = evaluate(learners, number=given.functions, seed=given.seed, noise=given.noise, intervals=given.intervals)
    print(
        f"{given.functions} functions per class x {len(POINTS)} sets of points, ±{100 * given.noise:g} % noise, ",
        end="",
    )
    print(f"seed {given.seed}: % exact lead exponents / % within the noise at 4x" + given.intervals * " / % covered")
    print()
    print(table(scores))


if __name__ == "__main__":
    main()
