"""Trees of logs as SPL Conqueror's program writes them, with their system, of any size."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from splc.types import Array

SETTINGS = "Current machine learning settings: lossFunction:RELATIVE abortError:10 numberOfRounds:70 blacklisted: \n"
# The sizes of alternative groups of a system with 216,000 configurations, as large as that of VP9.
GROUPS, OPTIONAL = (5, 5, 5, 3, 3, 3), 6


def write_log_tree(
    folder: Path,
    logs: int,
    rounds: int = 25,
    groups: Sequence[int] = GROUPS,
    optional: int = OPTIONAL,
    properties: Sequence[str] = ("Performance",),
    seed: int = 0,
) -> None:
    """Write a description, the measurements of all configurations, and logs of random models with their errors.

    `logs`: the number of logs, which are in the folder `logs`. `groups`: the sizes of alternative groups. `optional`:
    the number of optional options.
    """
    rng = np.random.default_rng(seed)
    names = [f"enable_option_{at}" for at in range(optional)]
    members = [[f"{parent_name(at)}_{member}" for member in range(size)] for at, size in enumerate(groups)]
    _write_system(folder, names, members)
    sizes = [2] * optional + list(groups)
    rows = np.indices(sizes).reshape(len(sizes), -1)
    columns = {name: rows[at].astype(float) for at, name in enumerate(names)}
    for at, own in enumerate(members):
        columns |= {name: (rows[optional + at] == member).astype(float) for member, name in enumerate(own)}
    values = 50 + sum(rng.uniform(0, 20) * column for column in columns.values()) + rng.random(rows.shape[1])
    _write_measurements(folder, columns, members, properties, values)
    (folder / "logs").mkdir()
    known = list(columns)
    for number in range(logs):
        # Half of the terms are products of two options.
        chosen = rng.choice(len(known), (rounds, 2)).tolist()
        terms = [sorted({known[one], known[other if at % 2 else one]}) for at, (one, other) in enumerate(chosen)]
        _write_log(folder / "logs" / f"out_{number}.log", terms, columns, values, rng)


def parent_name(at: int) -> str:
    """Return the name of the parent of an alternative group."""
    return f"parameter_{'abcdefghijklmnop'[at]}"


def _write_system(folder: Path, names: Sequence[str], members: Sequence[Sequence[str]]) -> None:
    options = [_option("base", "", False, ())]
    options += [_option(name, "", True, ()) for name in names]
    for at, own in enumerate(members):
        options.append(_option(parent_name(at), "", False, ()))
        options += [_option(name, parent_name(at), False, [other for other in own if other != name]) for name in own]
    text = f'<vm name="tree"><binaryOptions>{"".join(options)}</binaryOptions><numericOptions/></vm>'
    (folder / "FeatureModel.xml").write_text(text, encoding="utf-8")


def _option(name: str, parent: str, optional: bool, excluded: Sequence[str]) -> str:
    others = "".join(f"<options>{other}</options>" for other in excluded)
    return (
        f"<configurationOption><name>{name}</name><parent>{parent}</parent><impliedOptions/>"
        f"<excludedOptions>{others}</excludedOptions><optional>{optional}</optional></configurationOption>\n"
    )


def _write_measurements(
    folder: Path, columns: dict[str, Array], members: Sequence[Sequence[str]], properties: Sequence[str], values: Array
) -> None:
    parents = ["base", *(parent_name(at) for at in range(len(members)))]
    selected = np.array(list(columns.values())).T.astype(bool)
    names = np.array(list(columns))
    with (folder / "measurements.xml").open("w", encoding="utf-8") as file:
        file.write("<results>\n")
        for row, value in zip(selected, values.tolist(), strict=True):
            listed = ",".join([*parents, *names[row]])
            file.write(f'  <row>\n    <data columname="Configuration">{listed},</data>\n')
            for at, name in enumerate(properties):
                file.write(f'    <data columname="{name}">{value * (at + 1):.15g}</data>\n')
            file.write("  </row>\n")
        file.write("</results>\n")


def _write_log(
    path: Path, terms: Sequence[Sequence[str]], columns: dict[str, Array], values: Array, rng: np.random.Generator
) -> None:
    lines = []
    predicted = np.full(len(values), 50.0)
    model = "50 * base"
    for number, names in enumerate(terms, 1):
        influence, name = float(f"{rng.uniform(1, 20):.15g}"), " * ".join(names)
        predicted += influence * np.prod([columns[each] for each in names], axis=0)
        model += f" + {influence:.15g} * {name}"
        error = 100 * float(np.mean(np.abs(predicted - values) / values))
        lines.append(f"{number};{model};9;9;9;9;0.1;{number + 1};{influence:.15g} * {name};1;1;{error:.15g}")
    head = "command: nfp Performance\ncommand: binary random numConfigs:50 seed:1\ncommand: learn-splconqueror\n"
    size = "Learning: NumberOfConfigurationsLearning:50 NumberOfConfigurationsValidation:50\nLearning progress:\n"
    tail = "command: analyze-learning\nRound, Model, LearningError\nModels:\nTermination reason: abortError\n"
    path.write_text(SETTINGS + head + size + tail + "\n".join(lines) + "\nAnalyze finished\n", encoding="utf-8")
