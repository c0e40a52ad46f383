"""What `splc study --preset` does and shows: an evaluation of scaling models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from splc.study import Evaluation, EvaluationResult


def run_shown(
    evaluation: Evaluation,
    output: str | None,
    workers: Mapping[str, Any],
    *,
    force: bool,
    pictures: bool,
    json: bool,
) -> None:
    """Do an evaluation, and print what came out.

    Args:
        evaluation: the evaluation.
        output: the results folder, None for the default.
        workers: `jobs` and `scheduler`.
        force: see `run_evaluation`.
        pictures: see `run_evaluation`.
        json: whether an object is printed in the place of tables.

    Raises:
        SplcError: if the folder cannot be used.
    """
    from splc.cli.interruption import interruption
    from splc.cli.json_output import print_json
    from splc.cli.study_progress import STEPS, advance_by, end_if_interrupted, show_place, show_tables
    from splc.cli.terminal import note, progress
    from splc.study import run_evaluation
    from splc.study.doing import How

    with interruption("the runs in progress") as stop, progress("evaluating", STEPS) as advance:
        how = How(**workers, on_task=advance_by(advance), should_stop=stop)
        result = run_evaluation(evaluation, output, how, force=force, pictures=pictures)
    for text in result.notes:
        note(text)
    if json:
        print_json("study", as_json(result))
    elif not result.interrupted:
        show_tables(result)
        show_place(result)
    end_if_interrupted(result)


def as_json(result: EvaluationResult) -> dict[str, Any]:
    """Return the content of the JSON object."""
    path = result.evaluation.path
    return {
        "study": None if path is None else str(path),
        "preset": result.evaluation.preset,
        "settings": result.evaluation.settings(),
        "folder": str(result.folder),
        "tasks": result.tasks,
        "done": result.done,
        "done_before": result.found,
        "interrupted": result.interrupted,
        "refused": 0,
        "best": None,
        "runs": [],
        "analytical": None,
        "analytical_unscaled": None,
        "rows": [dict(row) for row in result.rows],
        "files": [*result.files, *([] if result.interrupted else ["manifest.json"])],
        "notes": list(result.notes),
    }
