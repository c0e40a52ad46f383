"""Writes the table of the synthetic evaluation of sparse modelling (Cost-Effective Sampling Strategies, Fig. 5).

Run from the top of the checkout:

    python -m benchmarks.sparse_scaling --seed 1
    python -m benchmarks.sparse_scaling --parameters 2 --functions 4000 --noise 0.01

What is drawn, what is left out and what counts is stated in `splc.scaling.sparse_evaluation`. The standard error beside
a share p of N functions is sqrt(p (100 - p) / N) points.
"""

from __future__ import annotations

import argparse

from splc.errors import listed
from splc.scaling.sparse_evaluation import LEAST, NOISE, NUMBERS, POINTS, Functions, SparseScore, evaluate_sparse


def lines(scores: tuple[SparseScore, ...]) -> str:
    """Return scores as the rows of a Markdown table."""
    found = []
    for each in scores:
        shares = " / ".join(f"{share:.1f}" for share in each.within)
        kinds = " / ".join("–" if share is None else f"{share:.1f}" for share in (each.sums, each.products))
        found.append(f"| {each.parameters} | {each.points} | {each.models} | {shares} | {kinds} | {each.cost:.2f} |")
    return "\n".join(found)


def left_out(parameters: int, drawn: Functions) -> str:
    """Return which functions were left out, as a sentence."""
    parts = [f"{number} with {reason}" for reason, number in drawn.left_out.items()]
    share = 100 * drawn.sums.mean()
    return f"{parameters}: {len(drawn.values)} functions, {share:.0f} % of them sums; left out {listed(parts)}"


def main() -> None:
    """Run the evaluation and print its table."""
    parser = argparse.ArgumentParser(description="Synthetic evaluation of sparse scaling models (Fig. 5)")
    parser.add_argument(
        "--parameters", type=int, action="append", choices=list(POINTS), help="only so many; repeatable"
    )
    parser.add_argument("--functions", type=int, help=f"functions each (default: {dict(NUMBERS)})")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draws (default: 1)")
    parser.add_argument("--noise", type=float, default=NOISE, help="largest relative deviation (default: 0.05)")
    parser.add_argument("--repetitions", type=int, default=4, help="measurements per point (default: 4)")
    parser.add_argument(
        "--least", type=float, default=LEAST, help="least contribution of a term (default: 0.15; 0: any)"
    )
    given = parser.parse_args()
    print(f"±{100 * given.noise:g} % noise, {given.repetitions} repetitions, seed {given.seed}\n")
    print("| parameters | points | models | % within 5 / 10 / 15 / 20 % | within 5 %: sums / products | cost % |")
    print("|---|---|---|---|---|---|")
    reasons = []
    for parameters in given.parameters or POINTS:
        scores, drawn = evaluate_sparse(
            parameters,
            number=given.functions,
            seed=given.seed,
            noise=given.noise,
            repetitions=given.repetitions,
            least=given.least,
        )
        print(lines(scores), flush=True)
        reasons.append(left_out(parameters, drawn))
    print("\n" + "\n".join(reasons))


if __name__ == "__main__":
    main()
