"""Small systems: options, alternative groups, all configurations, and other names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sampling import Space
from splc.data.configurations import Configurations
from splc.system.options import BinaryOption, Option
from splc.system.variability import VariabilityModel


def switches(count: int, name: str = "b") -> tuple[BinaryOption, ...]:
    """Return so many binary options b0, b1, and so on."""
    return tuple(BinaryOption(f"{name}{at}") for at in range(count))


def group(*names: str, parent: str | None = None) -> tuple[BinaryOption, ...]:
    """Return an alternative group."""
    others = {name: tuple((other,) for other in names if other != name) for name in names}
    return tuple(BinaryOption(name, parent, optional=False, excluded=excluded) for name, excluded in others.items())


def everything(*options: Option) -> Configurations:
    """Return all configurations of the system of these options."""
    return Space(VariabilityModel("system", options)).enumerate()


def renamed(system: VariabilityModel, names: Mapping[str, str]) -> VariabilityModel:
    """Return a system without stated constraints whose options have other names."""
    options = []
    for option in system.options:
        if isinstance(option, BinaryOption):
            excluded = tuple(tuple(names.get(each, each) for each in clause) for clause in option.excluded)
            implied = tuple(tuple(names.get(each, each) for each in clause) for clause in option.implied)
            option = replace(option, excluded=excluded, implied=implied)
        parent = option.parent and names.get(option.parent, option.parent)
        options.append(replace(option, name=names.get(option.name, option.name), parent=parent))
    return replace(system, options=tuple(options))
