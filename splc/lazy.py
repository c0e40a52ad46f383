"""Public names whose modules are imported on first use (PEP 562)."""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

TYPE_CHECKING = False  # not typing's: its import takes longer than everything else here
if TYPE_CHECKING:
    from typing import Any


class _LazyPackage(ModuleType):
    """A package whose public names and modules are imported on first use."""

    _homes: dict[str, tuple[str, str]]

    def __getattr__(self, name: str) -> Any:
        if name not in self._homes:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self)
        home, own = self._homes[name]
        if home == self.__name__:
            return import_module(f"{home}.{own}")
        value = getattr(import_module(home), own)
        setattr(self, name, value)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        # The import system binds a submodule to its package. Where a public name equals the name of its module
        # (`sampling.sample`), the public name wins; otherwise `from sampling import sample` would depend on earlier
        # imports.
        if isinstance(value, ModuleType) and self._homes.get(name) == (value.__name__, name):
            value = getattr(value, name)
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        # Helpers that `__init__` imports are not public.
        bound = vars(self)
        special = {name for name in bound if name.startswith("__")}
        modules = {name for name in bound if f"{self.__name__}.{name}" in sys.modules}
        return sorted({*special, *modules, *self._homes})


def attach_stub(package: str) -> None:
    """Make the public names and modules of a package, its `__name__`, available without importing them.

    The stub `__init__.pyi` of the package lists them, for type checkers and for this function: `from MODULE import NAME
    as NAME`, where the module is the package itself for its public modules, and `OTHER = NAME` for another name.
    """
    module = sys.modules[package]
    stub = Path(module.__file__ or "").with_suffix(".pyi")
    homes: dict[str, tuple[str, str]] = {}
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            homes |= {each.asname or each.name: (node.module, each.name) for each in node.names}
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            homes |= {target.id: homes[node.value.id] for target in node.targets if isinstance(target, ast.Name)}
    homes = {name: home for name, home in homes.items() if name == "__version__" or not name.startswith("_")}
    public = sorted(name for name, (home, _) in homes.items() if home != package)
    vars(module).update(_homes=homes, __all__=public)
    module.__class__ = _LazyPackage
