"""Lazy public names: a package imports the module of a name when the name is first used (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


class _LazyPackage(ModuleType):
    """A package whose public names are imported from their modules on first use."""

    _homes: Mapping[str, str]

    def __getattr__(self, name: str) -> Any:
        if name not in self._homes:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self)
        value = getattr(import_module(self._homes[name]), name)
        setattr(self, name, value)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        # The import system binds a submodule to its package. Where a public name equals the name of its module
        # (`sampling.sample`), the public name wins; otherwise `from sampling import sample` would depend on earlier
        # imports.
        if isinstance(value, ModuleType) and self._homes.get(name) == value.__name__:
            value = getattr(value, name)
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        # Helpers that `__init__` imports (`attach`, `annotations`, `TYPE_CHECKING`) are not public.
        bound = vars(self)
        special = {name for name in bound if name.startswith("__")}
        modules = {name for name in bound if f"{self.__name__}.{name}" in sys.modules}
        return sorted({*special, *modules, *self._homes})


def attach(package: str, homes: Mapping[str, str]) -> None:
    """Make the public names of a package available without importing their modules.

    Args:
        package: the name of the package, `__name__`.
        homes: public name → name of the module that defines it.
    """
    module = sys.modules[package]
    vars(module)["_homes"] = dict(homes)
    module.__class__ = _LazyPackage
