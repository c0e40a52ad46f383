"""The description of a generated system, as SPL Conqueror's XML."""

from __future__ import annotations

import random
from xml.sax.saxutils import escape

from tests.fuzz.commands.systems import Option, System


def as_description(system: System, rng: random.Random) -> str:
    """Write the description; a few numeric options are optional, or have a step function instead of a list."""
    groups = system.groups()
    binary = "\n".join(_binary(each, groups) for each in system.options if each.binary)
    numeric = "\n".join(_numeric(each, rng) for each in system.options if not each.binary)
    boolean = "".join(
        f"<constraint>!{escape(needs)} | {escape(needed)}</constraint>" for needs, needed in system.constraints
    )
    other = ""
    if system.most is not None:
        first, second, most = system.most
        other = f"<constraint>{escape(first)} * {escape(second)} &lt;= {most:.12g}</constraint>"
    return (
        f'<vm name="app">\n<binaryOptions>\n{binary}\n</binaryOptions>\n'
        f"<numericOptions>\n{numeric}\n</numericOptions>\n"
        f"<booleanConstraints>{boolean}</booleanConstraints>\n"
        f"<nonBooleanConstraints>{other}</nonBooleanConstraints>\n</vm>\n"
    )


def _binary(option: Option, groups: dict[str, list[str]]) -> str:
    others = [name for name in groups.get(option.group or "", []) if name != option.name]
    excluded = "".join(f"<options>{escape(name)}</options>" for name in others)
    return (
        f"<configurationOption><name>{escape(option.name)}</name><outputString>--{escape(option.name)}</outputString>"
        f"<prefix></prefix><postfix></postfix><parent>{escape(option.parent or '')}</parent><impliedOptions/>"
        f"<excludedOptions>{excluded}</excludedOptions><optional>{option.optional}</optional></configurationOption>"
    )


def _numeric(option: Option, rng: random.Random) -> str:
    steps = [b - a for a, b in zip(option.values, option.values[1:], strict=False)]
    values = f"<values>{';'.join(f'{each:.12g}' for each in option.values)}</values>"
    if steps and len(set(steps)) == 1 and rng.random() < 0.7:
        values = _range(option, f"{option.name if rng.random() < 0.5 else 'n'} + {steps[0]:.12g}")
    elif len(option.values) > 2 and min(option.values) > 0 and rng.random() < 0.7:
        factors = {b / a for a, b in zip(option.values, option.values[1:], strict=False)}
        if len(factors) == 1:
            values = _range(option, f"n * {factors.pop():.12g}")
    if rng.random() < 0.1:
        values += "<deselectedFlag>-99</deselectedFlag>"
    return f"<configurationOption><name>{escape(option.name)}</name>{values}</configurationOption>"


def _range(option: Option, step: str) -> str:
    return (
        f"<minValue>{option.values[0]:.12g}</minValue><maxValue>{option.values[-1]:.12g}</maxValue>"
        f"<stepFunction>{escape(step)}</stepFunction>"
    )
