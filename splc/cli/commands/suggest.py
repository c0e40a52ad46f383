"""`splc suggest`: suggest what to measure next, for a model of a described system or a scaling model."""

from __future__ import annotations

from dataclasses import fields

from splc.cli.json_output import print_json
from splc.cli.options import Json
from splc.cli.show import suggest as shown
from splc.cli.show import suggest_configurations as shown_configurations
from splc.cli.terminal import end_if_negative, show_notes
from splc.io.files import STANDARD
from splc.workflows.fields import given_fields
from splc.workflows.note import Notes
from splc.workflows.suggest import configurations as of_system
from splc.workflows.suggest import points as of_profile
from splc.workflows.suggest.kind import mode_of

EXAMPLES = (
    "splc suggest --measurements few.csv --property solve_seconds --budget 10 -o next.csv",
    "splc suggest --measurements few.csv --property solve_seconds --goal optimum --budget 5 --cost model",
    "splc suggest --measurements runs.csv --coordinates p,n --target p=64,n=8 --until 5% --cost 'value * p'",
)


def suggest(system: of_system.Request, profile: of_profile.Request, json: Json = False) -> None:
    """Suggest what to measure next.

    Of a described system: the configurations whose measurement reduces the variance of predictions most, or with
    --goal optimum those that may be better than the best measured one, as a CSV table for splc measure.

    Of a scaling model with a --target: the point, or the repetition of a measured point, that is expected to make the
    prediction there better at the least cost, until its interval is narrow enough or the budget is spent.

    Of a scaling model without one: the cheapest line of five points along each parameter comes first, then the cheapest
    other points (Ritter et al., Learning Cost-Effective Sampling Strategies).
    """
    shared = {each.name for each in fields(system)}
    mode = mode_of(system, [name for name in given_fields(profile) if name not in shared])
    if mode.system:
        found = of_system.run(system)
        show_notes(found.notes)
        if system.output is not None or not json:
            shown_configurations.write(found, STANDARD if system.output is None else system.output)
        if json:
            print_json(shown_configurations.as_json(found, system.output))
        end_if_negative(found.notes)
        return
    with Notes(mode.notes) as notes:
        result = of_profile.run(profile)
    if json:
        print_json(shown.as_json(result, profile.until, profile.budget))
    else:
        shown.show(result, profile.budget)
    show_notes((*notes, *result.notes))
