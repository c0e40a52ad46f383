"""`splc learn`: learn a performance-influence model from measurements."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from splc import types
from splc.cli import options
from splc.cli.options import POLICIES, flag, option
from splc.learning.projection.settings import Form, ScaleChoice
from splc.learning.registry import BASELINES, DEFAULT, LEARNERS, PROJECTION

if TYPE_CHECKING:
    from collections.abc import Callable

    from splc.cli.interruption import Interruption
    from splc.learning import Round
    from splc.workflows import learn_by
    from splc.workflows.learn import Request

EXAMPLES = (
    "splc learn",
    "splc learn --sampling pb:9,3 -o model.json",
    "splc learn --learner pmnf --numeric ff",
)
LEARNING = "Learning"
PRINTED = f"Model of the learner {PROJECTION} (settings of the same names)"
RESULTS = "Results"
# Without -v.
MOST_NOTES = 5


def learn(
    learner: Annotated[
        str | None,
        option(
            "NAME",
            f"The learner: {', '.join(name for name in LEARNERS if name not in BASELINES)} (scaling models), or a "
            f"baseline: {', '.join(BASELINES)}. [default: {DEFAULT}, or the one of the preset]",
            LEARNING,
        ),
    ] = None,
    sampling: options.Sampling = None,
    binary: options.Binary = None,
    numeric: options.Numeric = None,
    missing: Annotated[
        types.Missing, option("error|drop|nearest", "Sampled configurations that were not measured.")
    ] = "error",
    seed: options.Seed = 0,
    preset: Annotated[
        str | None,
        option(
            "NAME",
            "The settings to start from: 'splconqueror' is SPL Conqueror's algorithm (the learner stepwise), "
            "'splconqueror-2019' that of published logs.",
            LEARNING,
        ),
    ] = None,
    first: Annotated[str | None, option("TERM", "The first term of the learner stepwise.", LEARNING)] = None,
    given_terms: Annotated[
        str | None, option("FILE", "Fit the influences of these terms, one per line.", LEARNING)
    ] = None,
    terms: Annotated[int | None, option("N", "The largest number of terms.", PRINTED, min=1)] = None,
    readable: Annotated[bool, flag("--readable", "At most 10 terms, for up to 10 % more error.", PRINTED)] = False,
    form: Annotated[
        Form | None, option("auto|sum|product", "A sum of terms or a product. [default: auto]", PRINTED)
    ] = None,
    scale: Annotated[
        ScaleChoice | None,
        option("auto|log|raw", "Scale of the full model: ln y, or y. [default: auto]", PRINTED),
    ] = None,
    order: Annotated[int | None, option("N", "The most options in a term. [default: 5 or 6]", PRINTED, min=1)] = None,
    settings: Annotated[
        list[str] | None,
        option(
            "NAME=VALUE",
            "A setting of the learner: 'terms=5', 'abortError=1'. Can be repeated. Overrides splc.toml and the preset.",
            LEARNING,
            names="--set",
        ),
    ] = None,
    search: Annotated[
        list[str] | None,
        option(
            "NAME=[V,V]",
            "Try these values of a setting, or those of a TOML file: the least error on folds wins. Can be repeated.",
            LEARNING,
        ),
    ] = None,
    samples: Annotated[int | None, option("N", "Draw N combinations of --search.", LEARNING, min=1)] = None,
    jobs: Annotated[int, option("N", "Processes of --search.", LEARNING, names="--jobs -j", min=1)] = 1,
    observed: Annotated[
        list[str] | None,
        option("PATTERN", "Observed variables to learn from besides the options: 'C_*'. Can be repeated.", LEARNING),
    ] = None,
    parts: Annotated[
        list[str] | None,
        option(
            "NFP[:WHERE]",
            "Learn this part of the property, and add up the models; WHERE is 1 where configurations have it. "
            "'seconds_{}:level_{}' is every level. Can be repeated.",
            LEARNING,
            names="--sum",
        ),
    ] = None,
    evaluate_on: Annotated[str | None, option("FILE", "Measurements to judge the model by.", LEARNING)] = None,
    validation: Annotated[
        str | None,
        option("SPEC", "Judge the model by this sample of measurements that are not learned from.", LEARNING),
    ] = None,
    folds: Annotated[
        int | None,
        option("K", "Cross-validate with K folds of the learning set.", LEARNING, min=2),
    ] = None,
    baselines: Annotated[
        bool, flag("--baselines", "Compare with baselines, learned from the same rows.", LEARNING)
    ] = False,
    output: Annotated[
        str | None,
        option(
            "FILE",
            "The only file of the model: .json (with the full model), .py, .tex, otherwise a log; of pmnf also .txt. "
            "[default: learned.log and learned.json; of pmnf learned.json]",
            RESULTS,
            names="--output -o",
        ),
    ] = None,
    plot: Annotated[
        str | None,
        option(
            "FILE",
            "A plot of predicted against measured values (.svg, .png, .pdf); with --by also one of what changed.",
            RESULTS,
        ),
    ] = None,
    path: Annotated[bool, flag("--path", "Print models from few terms to many with errors.", RESULTS)] = False,
    by: Annotated[
        str | None,
        option(
            "COLUMN",
            "Learn and compare one model per value of this context (a version), each in a file of its own.",
            LEARNING,
        ),
    ] = None,
    json: options.Json = False,
    verbose: Annotated[bool, flag("--verbose -v", "Print all notes, and every round on standard error.")] = False,
    system: options.System = None,
    measurements: options.MeasurementsFile = None,
    options: options.Options = None,
    nfp: options.Nfp = None,
    context: options.Context = None,
    ignore: options.Ignore = None,
    where: options.Where = None,
    invalid: options.Invalid = "error",
    duplicates: options.Duplicates = "error",
    aggregate: Annotated[
        types.Aggregate | None,
        option("mean|median|min", "The value that represents repetitions. [default: mean]", POLICIES),
    ] = None,
) -> None:
    """Learn a performance-influence model, and write it to learned.log and learned.json.

    Without a sampling all measured configurations are learned from, and only cross-validation judges the model.
    Scaling models of profiles have their own command, splc scale.
    """
    given = dict(locals())
    from splc.cli.arguments import request_of, texts_of
    from splc.cli.interruption import interruption
    from splc.cli.json_output import print_json
    from splc.cli.show.learn import as_json, show
    from splc.cli.terminal import end_if_negative, note, progress, show_notes
    from splc.workflows.learn import Request, run
    from splc.workflows.learn_inputs import profile_of

    named = {"terms": terms, "readable": readable or None, "form": form, "scale": scale, "order": order, "first": first}
    own = {name: value for name, value in named.items() if value is not None}
    all_settings = texts_of(settings, "--set") | own
    shown = (*named, "path", "json", "verbose")
    if by is not None:
        from splc.workflows import learn_by

        _learn_by(request_of(learn_by.Request, given, shown, settings=all_settings), json=json, verbose=verbose)
        return
    request = request_of(Request, given, (*shown, "by"), settings=all_settings)
    profile = profile_of(request)
    if profile is not None:
        _scale(request, profile, json)
        return
    with interruption("this step", kept=False) as stop, progress("learning") as advance:
        trial = partial(_after_trial, advance)
        after = _after_round(advance, verbose, stop)
        result = run(request, after, stop, on_trial=trial, on_learned=stop.end_at_once)
    show_notes(result.notes, None if verbose else MOST_NOTES)
    if json:
        print_json("learn", as_json(result))
    elif output != "-":
        show(result, path=path)
    if result.interrupted:
        note("learning was interrupted; what was learned until then is kept")
        raise typer.Exit(130)
    end_if_negative(result.notes)


def _learn_by(request: learn_by.Request, *, json: bool, verbose: bool) -> None:
    """Learn one model per value of a context."""
    from splc.cli.interruption import interruption
    from splc.cli.json_output import print_json
    from splc.cli.show.learn_by import as_json, show
    from splc.cli.terminal import end_if_negative, note, progress, show_notes, warn
    from splc.formats.measurements.columns import shown_value
    from splc.workflows.learn_by import run

    with interruption("this step", kept=False) as stop, progress("learning") as advance:
        result = run(request, _after_round(advance, verbose, stop), stop, stop.end_at_once)
    show_notes(result.notes)
    if json:
        print_json("learn", as_json(result))
    else:
        show(result)
    for value, reason in result.failed.items():
        warn(f"no model of {request.by} {shown_value(value)}: {reason}")
    if result.stopped:
        note("learning was interrupted; what was learned until then is kept")
        raise typer.Exit(130)
    if result.failed:
        raise typer.Exit(1)
    end_if_negative(result.notes)


def _scale(request: Request, profile: str, json: bool) -> None:
    """Do what `splc scale PROFILE` does, and say so."""
    from splc.cli.commands.scale import fit_profile
    from splc.cli.terminal import note
    from splc.workflows import scale
    from splc.workflows.learn_inputs import with_aggregate

    note(f"{profile} is a profile: this is 'splc scale {profile}'")
    settings = with_aggregate(request, request.settings)
    metrics = () if request.nfp is None else (request.nfp,)
    output = request.output or scale.DEFAULT_OUTPUT
    fit_profile(scale.Request(profile=profile, metrics=metrics, settings=settings, output=output), json, "learn")


def _after_trial(advance: Callable[[int, int | None, str], None], done: int, total: int) -> None:
    """Move the progress bar after a trial of settings."""
    advance(done, total, "trying settings")


def _after_round(
    advance: Callable[[int, int | None, str], None], verbose: bool, stop: Interruption
) -> Callable[[Round, str], None]:
    """Return the function that moves the progress bar after each round, and prints the round if `verbose`."""
    from splc.cli.terminal import complain

    def after(this: Round, line: str) -> None:
        stop.kept = True
        advance(this.number, None, line)
        if verbose:
            complain(line)

    return after
