"""`splc suggest`: suggest what to measure next, for a model of a described system or a scaling model."""

from __future__ import annotations

from splc.cli.json_output import print_object
from splc.cli.next_steps import show_next_steps
from splc.cli.options import Json
from splc.cli.progress import progress
from splc.cli.show import suggest as shown
from splc.cli.show import suggest_configurations as shown_configurations
from splc.cli.show.suggest_next import next_steps
from splc.cli.terminal import end_if_negative, show_notes
from splc.io.files import STANDARD
from splc.workflows.suggest import configurations as of_system
from splc.workflows.suggest import points as of_profile
from splc.workflows.suggest.kind import is_about_profile

EXAMPLES = (
    "splc suggest --measurements few.csv --property solve_seconds --budget 10 -o next.csv",
    "splc suggest --measurements few.csv --property solve_seconds --goal optimum --fix px=4 --budget 5",
    "splc suggest runs.csv --coordinates p,n --target p=64,n=8 --until 5% --cost 'value * p'",
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
    if not is_about_profile(system, profile):
        with progress("searching for configurations"):
            suggested = of_system.run(system)
        if system.output is not None or not json:
            shown_configurations.write(suggested, STANDARD if system.output is None else system.output)
        if json:
            print_object(
                shown_configurations.ConfigurationSuggestionsObject,
                suggested,
                **shown_configurations.given(suggested, system.output),
            )
        show_notes(suggested.notes)
        show_next_steps(next_steps(system))
        end_if_negative(suggested.notes)
        return
    with progress("searching for points"):
        result = of_profile.run(profile)
    if json:
        print_object(shown.PointSuggestionsObject, result, until=profile.until, budget=profile.budget)
    else:
        shown.show(result, profile.budget)
    show_notes(result.notes)
