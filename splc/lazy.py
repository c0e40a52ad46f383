"""Public names whose modules are imported on first use (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType

# Not typing's: its import takes longer than everything else here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _LazyPackage(ModuleType):
    """A package whose public names and modules are imported on first use."""

    _homes: Mapping[str, str]
    _modules: Sequence[str]

    def __getattr__(self, name: str) -> Any:
        if name in self._modules:
            return import_module(f"{self.__name__}.{name}")
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
        return sorted({*special, *modules, *self._homes, *self._modules})


def attach(package: str, homes: Mapping[str, str], modules: Sequence[str] = ()) -> None:
    """Make the public names and modules of a package available without importing them.

    Args:
        package: the name of the package, `__name__`.
        homes: public name → name of the module that defines it.
        modules: public modules and packages in the package.
    """
    module = sys.modules[package]
    vars(module).update(_homes=dict(homes), _modules=tuple(modules))
    module.__class__ = _LazyPackage
