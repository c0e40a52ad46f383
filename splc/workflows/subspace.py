"""The configurations that a request names, fixes, or leaves out because they fail, and JSON objects of these facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sampling import Space
from splc.data.configurations import Configurations, beyond_remark
from splc.data.measurements import Failures, Measurements
from splc.errors import ConfigurationError, InputError, Problem, RequestError, VariabilityError, listed, plural
from splc.formats.inference import Inference
from splc.formats.measurements.configurations import read_configurations, with_unlisted
from splc.formats.measurements.constraints import failures_of, failures_of_object
from splc.formats.measurements.selections import assignment_text, parse_configuration
from splc.io.files import STANDARD, is_file, read_source
from splc.io.json import picked
from splc.system.variability import VariabilityModel, restricted
from splc.workflows.note import Note, Rank

VALID = "valid configurations"
MANY = 20  # more values of an option are of a continuous one, unless they are evenly spaced


def all_of(system: VariabilityModel) -> str:
    """Return what the configurations of a system are: of continuous options a table has the values that were drawn."""
    sizes = (np.diff(option.values) for option in system.numeric_options if option.size > MANY and system.inferred)
    is_continuous = any(not np.allclose(steps, steps[0], rtol=1e-6, atol=0) for steps in sizes)
    return "combinations of the measured values" if is_continuous else VALID


def one_configuration(given: str, space: Space) -> Configurations:
    """Return a valid configuration: `NAME=VALUE,NAME,…`, or a CSV file with one distinct row (`-`: standard input)."""
    system = space.system
    if given == STANDARD or (is_file(given) and given not in system.spellings):
        source = read_source(given)
        table = read_configurations(source, with_unlisted(source, system)).unique()
        if len(table) != 1:
            text = f"{len(table):,} different configurations" if len(table) else "no configuration"
            raise InputError(Problem(f"the file has {text}, one is needed", given, hint="keep the header and one row"))
    else:
        try:
            table = parse_configuration(given, system)
        except ConfigurationError as error:
            if Path(given).suffix in (".csv", ".gz"):
                raise InputError(Problem("there is no such file", given)) from None
            problems = [Problem(problem.message, text=given, hint=problem.hint) for problem in error.problems]
            raise ConfigurationError(problems) from None
    space = space if table.system is space.system else Space(table.system)
    if not space.check(table)[0]:
        violated = "; ".join(space.violations(table, 0)) or "the constraints"
        hint = "splc describe shows the constraints; options that are not named are not selected"
        text = f"the configuration is not valid, it violates: {violated}"
        raise ConfigurationError(Problem(text, text=given, hint=hint))
    return table


def further_notes(known: VariabilityModel, used: VariabilityModel) -> tuple[Note, ...]:
    """Return a note about the values of options in use that are beyond the known ones, none if there are none."""
    remark = beyond_remark(known, used)
    return (Note(remark, warning=True),) if remark else ()


# How a combination that fails is excluded for good.
CURE = "splc init TABLE --property NAME --from-failures writes constraints that exclude them"

# What failures mean for a model.
UNKNOWN = "the model knows nothing of configurations that fail; splc optimize leaves them out"
WITHOUT_FAILURE = "effects there are those without the failure"


def fixed_space(space: Space, fixed: Mapping[str, int]) -> Space:
    """Return the valid configurations with fixed values of options."""
    if not fixed:
        return space
    subspace = Space(restricted(space.system, fixed))
    try:
        subspace.require_valid()
    except VariabilityError as error:
        space.require_valid()
        text = assignment_text(fixed, space.system)
        texts = {constraint.text for constraint in subspace.system.constraints[len(space.system.constraints) :]}
        against = [problem.text for problem in error.problems if problem.text and problem.text not in texts]
        hint = f"it contradicts: {'; '.join(against)}" if against else None
        problem = Problem(f"no valid configuration has {text}", space.system.source, hint=hint)
        raise RequestError(problem, "fix") from None
    return subspace


def working_space(space: Space, failures: Failures | None, fixed: Mapping[str, int]) -> Space:
    """Return the valid configurations without the combinations of which every run failed; `fixed`: their values."""
    if failures is None or not failures.rules:
        return space
    system = space.system
    subspace = Space(replace(system, constraints=(*system.constraints, *failures.constraints)))
    try:
        subspace.require_valid()
    except VariabilityError:
        space.require_valid()
        text = f" with {assignment_text(fixed, system)}" if fixed else ""
        message = f"no configuration{text} is left: {'; '.join(failures.texts)}"
        raise RequestError(message, *(("fix",) if fixed else ())) from None
    return subspace


def known_failures(
    measured: Measurements | None, provenances: Iterable[Mapping[str, Any]], system: VariabilityModel
) -> Failures | None:
    """Return the failures beside measurements, or else those known when models were learned that have no value yet."""
    if measured is not None and measured.failures is not None:
        return measured.failures
    known = next(filter(None, (failures_of_object(facts.get("failures"), system) for facts in provenances)), None)
    if known is None or measured is None:
        return known
    runs = Configurations(system, np.repeat(known.configurations.indices, known.runs, axis=0))
    return failures_of(runs, measured.configurations)


def failing_notes(configurations: Configurations, failures: Failures | None) -> tuple[Note, ...]:
    """Return a warning about predicted configurations that never worked, or have a combination that failed."""
    if failures is None or {*configurations.system.names} != {*failures.configurations.system.names}:
        return ()
    failures = failures.of_system(configurations.system)
    rows, count = configurations, int(failures.expected(configurations).sum())
    if not count:
        return ()
    some = f"{count:,} of {plural(len(rows), 'configuration', 'configurations')} fail, as far as is known"
    text = f"{'this configuration fails' if len(rows) == 1 else some}: {'; '.join(failures.texts)}"
    return (Note(f"{text}; predictions are those without the failure", warning=True),)


def failure_notes(failures: Failures | None, consequence: str) -> tuple[Note, ...]:
    """Return a note on what failed and its consequence, none without failures."""
    if failures is None:
        return ()
    details = (*failures.texts[1:], *((CURE,) if failures.rules else ()))
    return (Note(f"{failures.texts[0]}: {consequence}", details=details, about=Rank.LIMIT),)


def notes_of_failures(parts: Sequence[Measurements]) -> tuple[Note, ...]:
    """Return a note on the configurations of which every run failed; of several contexts it has their numbers."""
    if len(parts) == 1:
        return failure_notes(parts[0].failures, "splc optimize leaves them out")
    texts = [f"{len(part.failures):,} ({', '.join(part.contexts.values())})" for part in parts if part.failures]
    return (Note(f"configurations of which every run failed: {listed(texts)}"),) if texts else ()


def inference_as_json(inference: Inference) -> dict[str, Any]:
    """Return the JSON object of a system description that was inferred from a table.

    In those of constraints, `rows` is the number of distinct rows that could have contradicted it, `expected` how many
    would contradict it if the options were independent.
    """
    system = inference.system
    found = {"constraints": inference.mined.constraints, "unseen": inference.mined.unseen}
    facts = "kind, rows, expected"
    mined = {key: [{"text": str(one), **picked(one, facts)} for one in rules] for key, rules in found.items()}
    return {
        "source": system.source,
        "binary_options": [option.name for option in system.binary_options],
        "numeric_options": {option.name: option.values for option in system.numeric_options},
        "alternative_groups": system.alternative_groups,
        "uncertain_groups": inference.uncertain,
        **picked(inference, "properties, contexts, ignored, assumptions"),
        **mined,
    }


def failures_as_json(failures: Failures | None) -> dict[str, Any] | None:
    """Return the JSON object of the configurations that never worked, and of the combinations that always fail."""
    if failures is None:
        return None
    return {"configurations": len(failures.configurations), "runs": failures.runs.sum(), "rules": failures.rules}
