"""`splc run`: run scripts of SPL Conqueror."""

from __future__ import annotations

from typing import Annotated

import typer

from splc.cli.options import Json, flag, option

EXAMPLES = (
    "splc run script.a",
    "splc run script.a --check --json",
    "splc run script.a --to-study -o study-of-script.toml",
)


def run(
    scripts: Annotated[list[str], typer.Argument(metavar="SCRIPT…", help="The scripts (.a), run one after the other.")],
    check: Annotated[bool, flag("--check", "Only check the scripts, and all that they call.")] = False,
    to_study: Annotated[bool, flag("--to-study", "Write the script as a study, and do not run it.")] = False,
    output: Annotated[
        str | None, option("FILE", "The study to write. Default: 'study.toml'.", names="--output -o")
    ] = None,
    preset: Annotated[str, option("NAME", "The settings that those of the scripts change.")] = "splconqueror",
    json: Json = False,
) -> None:
    """Run scripts of SPL Conqueror: read, sample, learn, and write the logs that they name.

    All errors of all scripts are reported before anything runs. Without a command 'log' the log is printed.
    docs/splconqueror.md lists the commands.
    """
    from splc.cli.interruption import interruption
    from splc.cli.json_output import print_json
    from splc.cli.show.run import as_json, checked, command_of, log_line, show, study_as_json, written
    from splc.cli.terminal import note, progress, show_notes
    from splc.workflows import run as workflow
    from splc.workflows import run_study

    if check and to_study:
        raise typer.BadParameter("choose one of them", param_hint="--check, --to-study")
    if output is not None and not to_study:
        raise typer.BadParameter("only a study has one, add --to-study", param_hint="--output")
    if json and output == "-":
        raise typer.BadParameter("standard output has the JSON object already", param_hint="--output")
    if to_study:
        study = run_study.run(run_study.Request(scripts=tuple(scripts), output=output or "study.toml", preset=preset))
        show_notes(study.notes)
        if json:
            print_json("run", study_as_json(study))
        elif output != "-":
            written(study)
        return
    request = workflow.Request(scripts=tuple(scripts), check=check, preset=preset)
    with interruption("this round") as stop, progress("running") as advance:
        result = workflow.run(
            request, log_line(json), command_of(advance), lambda this, line: advance(0, None, line), stop
        )
    show_notes(result.notes)
    if json:
        print_json("run", as_json(result))
    elif check:
        checked(result)
    else:
        show(result)
    if result.stopped:
        note("the run was interrupted; what was written until then is kept")
        raise typer.Exit(130)
