"""The command line that evaluations share: run one, and print its tables or one JSON object."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from casestudies.evaluation.evaluation import Evaluation
from casestudies.evaluation.run import EvaluationResult, run_evaluation
from casestudies.report.page import Page
from splc.cli.signature import TerminalWatch, print_view
from splc.errors import SplcError
from splc.io.json import picked, plain_values
from splc.study.folder import TasksResult
from splc.workflows.views import End, Message, View

E = TypeVar("E", bound=Evaluation)
PAGE = "page"


@dataclass(frozen=True)
class Attribute:
    """An option that sets an attribute of an evaluation."""

    name: str  # the option and the attribute
    metavar: str  # what stands for its value
    help: str  # what it is

    def value(self, text: str) -> Any:
        """Return the value of a text: names, or a number."""
        return tuple(text.split(",")) if "NAME" in self.metavar else int(text)


SYSTEMS = Attribute("systems", "NAME,…", "names of systems; default: all that are present")
SEEDS = Attribute("seeds", "N", "the number of seeds")


def as_json(result: EvaluationResult) -> dict[str, Any]:
    """Return the JSON object of an evaluation: its rows, and where its files are."""
    evaluation = result.evaluation
    return {
        "schema": "casestudies.evaluation/1",
        "study": evaluation.path and str(evaluation.path),
        "preset": evaluation.preset,
        "settings": evaluation.settings(),
        "folder": str(result.folder),
        **picked(result, "tasks, done, done_before = found, interrupted, rows"),
        "files": [*result.files, *([] if result.interrupted else ["manifest.json"])],
        "notes": result.notes,
    }


def add_options(parser: ArgumentParser) -> None:
    """Add the options of every evaluation to a parser."""
    from joblib import cpu_count

    parser.add_argument("-o", "--output", metavar="FOLDER", help="the results; default: a folder of the preset's name")
    parser.add_argument("-j", "--jobs", type=int, default=cpu_count(), help="processes; default: one per core")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="run on the workers of this dask scheduler")
    parser.add_argument("--force", action="store_true", help="replace results of another evaluation")
    parser.add_argument("--no-pictures", action="store_true", help="write no pictures")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")


def run_command(make: Callable[[], Evaluation], chosen: Namespace) -> int:
    """Run an evaluation as the command line asks; return the exit code."""
    watch = TerminalWatch()
    try:
        with watch.patient("the runs in progress"), watch.progress("evaluating"):
            result = run_evaluation(
                make(),
                chosen.output,
                jobs=chosen.jobs,
                scheduler=chosen.scheduler,
                watch=watch,
                force=chosen.force,
                pictures=not chosen.no_pictures,
            )
    except SplcError as error:
        print(error, file=sys.stderr)
        return 2
    return print_view(view(result), plain_values(as_json(result)) if chosen.json else None)


def view(result: TasksResult) -> View:
    """Yield the notes, the tables and the place of the files."""
    yield from map(Message, result.notes)
    if result.interrupted:
        yield result.interruption
        yield End(130)
        return
    for table in result.tables:
        yield from (table, "")
    yield from result.files_view()


def run_presets(
    about: str,
    presets: Mapping[str, type[E]],
    page: Page,
    arguments: Sequence[str] | None,
    attributes: Sequence[Attribute] = (SYSTEMS, SEEDS),
    attribute_of: Callable[[type[E], str], str] = lambda kind, option: option,
) -> int:
    """Run one of several evaluations, or write the page about them, as a command line asks; return the exit code.

    `about` says what the command does, and begins with it in backquotes. `attributes` are those that options can set.
    """
    parser = ArgumentParser(prog=about.split("`")[1].split(" PRESET", maxsplit=1)[0], description=about)
    parser.add_argument("preset", choices=[*presets, PAGE], help=f"{PAGE}: write the tables of README.md")
    for each in attributes:
        parser.add_argument(f"--{each.name}", type=each.value, metavar=each.metavar, help=each.help)
    add_options(parser)
    chosen = parser.parse_args(arguments)
    if chosen.preset == PAGE:
        page.write()
        return 0
    kind, given = presets[chosen.preset], dict[str, Any]()
    known = {each.name for each in fields(kind)}
    for each in attributes:
        if (value := getattr(chosen, each.name)) is None:
            continue
        if (name := attribute_of(kind, each.name)) not in known:
            parser.error(f"the preset {chosen.preset} has no --{each.name}: leave it out")
        given[name] = value
    return run_command(lambda: kind(**given), chosen)
