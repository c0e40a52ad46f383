"""`splc run`: run scripts of SPL Conqueror."""

from __future__ import annotations

from typing import Annotated

import typer

from splc.cli.interruption import interruption
from splc.cli.json_output import print_object
from splc.cli.options import Json
from splc.cli.progress import progress
from splc.cli.show.run import ScriptRunObject, WrittenStudyObject, checked, command_of, log_line, show, written
from splc.cli.terminal import note, show_notes
from splc.io.files import STANDARD
from splc.splconqueror import run as workflow
from splc.splconqueror import run_study
from splc.workflows.fields import as_flag, given_fields

EXAMPLES = (
    "splc run script.a",
    "splc run script.a --check --json",
    "splc run script.a --to-study -o study-of-script.toml",
)


def run(
    request: workflow.Request,
    study: run_study.Request,
    to_study: Annotated[bool, as_flag("--to-study", "Write the script as a study, and do not run it.")] = False,
    json: Json = False,
) -> None:
    """Run scripts of SPL Conqueror: read, sample, learn, and write the logs that they name.

    All errors of all scripts are reported before anything runs. Without a command 'log' the log is printed.
    docs/howto/spl-conqueror.md lists the commands.
    """
    if request.check and to_study:
        raise typer.BadParameter("only one of them can be used", param_hint="--check, --to-study")
    if "output" in given_fields(study) and not to_study:
        raise typer.BadParameter("it needs --to-study", param_hint="--output")
    if to_study:
        written_study = run_study.run(study)
        show_notes(written_study.notes)
        if json:
            print_object(WrittenStudyObject, written_study)
        elif study.output != STANDARD:
            written(written_study)
        return
    with interruption("this round") as stop, progress("running") as advance:
        result = workflow.run(
            request, log_line(json), command_of(advance), lambda this, line: advance(0, None, line), stop
        )
    if json:
        print_object(ScriptRunObject, result)
    elif request.check:
        checked(result)
    else:
        show(result)
    show_notes(result.notes)
    if result.stopped:
        note("the run was interrupted; what was written until then is kept")
        raise typer.Exit(130)
