"""One configuration that a request names, as text or as a file of one row."""

from __future__ import annotations

from pathlib import Path

from sampling import Space
from splc.data.configurations import Configurations, beyond_text
from splc.errors import ConfigurationError, InputError, Problem, listed
from splc.formats.measurements.assignment import parse_configuration
from splc.formats.measurements.configurations_csv import read_configurations
from splc.formats.measurements.unlisted import with_unlisted
from splc.io.files import STANDARD, is_file, read_source
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows.note import Note


def one_configuration(given: str, space: Space) -> Configurations:
    """Return a valid configuration: `NAME=VALUE,NAME,…`, or a CSV file with one distinct row (`-`: standard input)."""
    system = space.system
    if given == STANDARD or (is_file(given) and given not in system.spellings):
        source = read_source(given)
        table = read_configurations(source, with_unlisted(source, system)).unique()
        if len(table) != 1:
            text = "no configuration" if len(table) == 0 else f"{len(table):,} different configurations"
            raise InputError(Problem(f"the file has {text}, one is needed", given, hint="keep the header and one row"))
    else:
        try:
            table = parse_configuration(given, system)
        except ConfigurationError as error:
            if Path(given).suffix in (".csv", ".gz"):
                raise InputError(Problem("there is no such file", given)) from None
            raise ConfigurationError([_placed(problem, given) for problem in error.problems]) from None
    space = space if table.system is space.system else Space(table.system)
    if not space.check(table)[0]:
        violated = "; ".join(space.violations(table, 0)) or "the constraints"
        hint = "splc describe shows the constraints; options that are not named are not selected"
        raise ConfigurationError(
            Problem(f"the configuration is not valid, it violates: {violated}", text=given, hint=hint)
        )
    return table


def further_notes(known: VariabilityModel, used: VariabilityModel) -> tuple[Note, ...]:
    """Return a note about the values of options in use that are beyond the known ones, none if there are none."""
    pairs = ((option, used.option(option.name)) for option in known.options)
    texts = [beyond_text(option, other.values) for option, other in pairs if isinstance(other, NumericOption)]
    beyond = [text for text in texts if text]
    return (Note(f"predictions are extrapolated: {listed(beyond)}", warning=True),) if beyond else ()


def _placed(problem: Problem, text: str) -> Problem:
    return Problem(problem.message, text=text, hint=problem.hint)
