"""Mutation tests of packages: `python -m tests.mutants splc.models sampling --sample 100`. `make mutants` runs it."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.mutants import results
from tests.mutants.execution import Execution, execution
from tests.mutants.mutations import Mutation, sample
from tests.mutants.processes import Child, Plugin, preload, run_tests

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "build" / "mutants" / "results"
# Seconds of tests that execute a mutant, and of others that execute its file; and how much longer than usual they may
# take.
BUDGET = 20.0
FACTOR = 10.0
# Tests outside of the folder of a package.
RELATED = {
    "splc.arithmetic": ("models",),
    "splc.measuring": ("cli/test_measure.py", "cli/test_measure_resume.py"),
    "splc.project": ("test_configuration.py",),
    "splc.workflows": ("cli",),
}


def judge(
    root: Path, mutations: Sequence[Mutation], executed: Execution, jobs: int, patience: float, budget: float
) -> list[results.Outcome]:
    """Run the tests of each mutation."""
    outcomes: list[results.Outcome] = []
    waiting, running = list(mutations), dict[int, tuple[Child, Mutation]]()
    begin = time.monotonic()
    while waiting or running:
        while waiting and len(running) < jobs:
            mutation = waiting.pop(0)
            tests = executed.tests(mutation, budget)
            if not tests:
                outcomes.append(results.Outcome(mutation, "not executed"))
                continue
            limit = patience + FACTOR * sum(executed.seconds[test] for test in tests)
            child = Child(root, _tests(root, tests), limit, str(root / mutation.file), mutation.text).start()
            running[child.process] = child, mutation
        for process, (child, mutation) in list(running.items()):
            code = child.poll()
            if code is None:
                continue
            del running[process]
            # What a failed test leaves open may be an internal error at the end of pytest.
            if code in {4, 5} or (code == 3 and " failed" not in child.output()):
                raise SystemExit(f"pytest ended with {code} for {mutation.file}:\n{mutation.change}\n{child.output()}")
            child.close()
            status = {0: "survived", "timeout": "timeout"}.get(code, "killed")
            outcomes.append(results.Outcome(mutation, status))
            change = mutation.change.replace("\n", "\n    ")
            print(f"{len(outcomes)}/{len(mutations)} {status} {mutation.file}:{mutation.line}", flush=True)
            if status == "survived":
                print(f"    {change}", flush=True)
        time.sleep(0.01)
    print(f"{len(mutations)} mutants in {time.monotonic() - begin:.0f} s", flush=True)
    return outcomes


def _tests(root: Path, tests: Sequence[str]) -> Callable[[], int]:
    files = sorted({test.partition("::")[0] for test in tests})
    return lambda: run_tests(root, files, [Plugin(tests)])


def related(root: Path, package: str) -> list[Path]:
    """Return the tests of a package: its folder, and others that test it directly."""
    folders = [package.removeprefix("splc.").replace(".", "/"), *RELATED.get(package, ())]
    return [path for folder in folders if (path := root / "tests" / folder).exists()]


def main() -> None:
    """Test the packages that are given."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("packages", nargs="+", help="packages or modules, as splc.models")
    parser.add_argument("--sample", type=int, default=100, help="mutants of each package")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--tests", nargs="+", type=Path, help="folders or files of the related tests")
    parser.add_argument(
        "--survivors", action="store_true", help="only survivors of the sample, without writing results"
    )
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds of tests for each mutant")
    parser.add_argument("--patience", type=float, default=30, help="seconds for the start of a test run")
    parser.add_argument("--root", type=Path, default=ROOT, help="the folder of the packages")
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args()
    root = given.root.resolve()
    preload()
    for package in given.packages:
        folder = root / package.replace(".", "/")
        sources = sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
        path = given.results / f"{package}.toml"
        places, mutations = sample(root, sources, given.sample, given.seed)
        if given.survivors:
            kept = results.reasons(path)
            mutations = [m for m in mutations if kept.get((m.file, m.operator, m.change), "").startswith("open")]
        tests = [each.resolve() for each in given.tests or related(root, package)]
        begin = time.monotonic()
        executed = execution(root, sources, tests, root / "build" / "mutants")
        print(f"{package}: {len(executed.seconds)} tests in {time.monotonic() - begin:.0f} s", flush=True)
        outcomes = judge(root, mutations, executed, given.jobs, given.patience, given.budget)
        if not given.survivors:
            counts = results.write(path, package, given.seed, places, outcomes)
            print(
                f"{package}: {results.share(counts):.0f} % killed of those that are not equivalent; {counts}",
                flush=True,
            )


if __name__ == "__main__":
    main()
