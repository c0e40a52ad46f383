"""The systems and measurements of scripts, read once although campaigns name the same files many times."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from sampling import Space
from splc.data.measurements import Measurements
from splc.formats.measurements.read import read_measurements
from splc.formats.system.splconqueror_xml import read_variability_model
from splc.io.files import read_source
from splc.splconqueror.scripts.paths import identity

# Room for the system, measurements and evaluation set of a script, and one more; scripts may use many systems.
# Measurements of 200,000 configurations take some 20 MB.
_KEPT = 4


@dataclass
class InputCache:
    """Files that were read, by their names and contents."""

    _cache: OrderedDict[Hashable, Any] = field(default_factory=OrderedDict)

    def space(self, path: str) -> Space:
        """Return the valid configurations of a system.

        Raises:
            InputError: if its description cannot be read.
        """
        space: Space = self._cached(
            (identity(path), read_source(path).sha256), lambda: Space(read_variability_model(path))
        )
        return space

    def measured(self, path: str, space: Space, nfp: str | None, check: bool = True) -> Measurements:
        """Return measurements; rows that are not valid are left out, and so are later rows of a configuration.

        Args:
            path: the file.
            space: the valid configurations of the system.
            nfp: the property in a table without a header.
            check: whether constraints are checked.

        Raises:
            InputError: if they cannot be read.
        """

        def read() -> Measurements:
            return read_measurements(
                path,
                space.system,
                invalid="drop",
                duplicates="first",
                nfp=nfp,
                check=space.check if check else None,
                explain=space.violations if check else None,
            )

        key = (identity(path), read_source(path).sha256, id(space), nfp, check)
        measurements: Measurements = self._cached(key, read, space)
        return measurements

    def _cached(self, key: Hashable, read: Callable[[], Any], *references: Any) -> Any:
        """Return the cached value of a key, or read it; `references` keeps objects alive whose ids are in the key."""
        if key not in self._cache:
            self._cache[key] = (read(), references)
        self._cache.move_to_end(key)
        while len(self._cache) > _KEPT:
            self._cache.popitem(last=False)
        return self._cache[key][0]
