"""An order of configurations that depends on their options and values only, not on the order of rows or options.

With measured values it does not depend on the names of members of alternative groups either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection.variables import Variable
from splc.types import Array

_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))

# Option → the constant that its values are mixed with; other options have one that is made of the name.
Constants = Mapping[str, np.uint64]


def hashes(configurations: Configurations, constants: Constants | None = None) -> Array:
    """Return a hash of each configuration, 64-bit integers of shape (n,).

    Constants of the options are mixed with their values and added up, so that the order of options does not matter.
    Options that have the same value in every configuration do not matter either.
    """
    return _mixed(_sums(configurations, configurations.system.names, constants or {}))


def hash_order(configurations: Configurations, constants: Constants | None = None) -> Array:
    """Return the positions of configurations in the order of their hashes, shape (n,)."""
    return np.argsort(hashes(configurations, constants), kind="stable")


def member_constants(configurations: Configurations, y: Array) -> Constants:
    """Return constants of the members of alternative groups that do not depend on their names.

    A constant is made of the rows where the member is selected: of the ranks of their values, and the other options.
    Members that are selected in no row have one constant.

    Args:
        configurations: the measured configurations.
        y: their values, shape (n,).
    """
    system = configurations.system
    members = {name for group in system.alternative_groups for name in group}
    rows = _sums(configurations, [name for name in system.names if name not in members], {})
    rows = _mixed(rows + _mixed(np.unique(y, return_inverse=True)[1].astype(np.uint64)))
    return {name: _mixed(rows[configurations.value(name) == 1].sum(dtype=np.uint64)[None])[0] for name in members}


def canonical_order(variables: Iterable[Variable], constants: Constants) -> tuple[Variable, ...]:
    """Return variables in an order that does not depend on the names of members of groups: groups are the last ones.

    Members, and groups, are in the order of their constants; other variables in that of their names.
    """
    found: list[tuple[list[int], str, Variable]] = []
    for variable in variables:
        key: list[int] = []
        if variable.kind == "group":
            known = [int(constants.get(name, 0)) for name in variable.members]
            places = sorted(range(len(known)), key=known.__getitem__)
            members = tuple(variable.members[place] for place in places)
            values = tuple(variable.values[place] for place in places) if variable.values else ()
            key, variable = sorted(known), replace(variable, members=members, values=values)
        found.append((key, variable.name, variable))
    return tuple(variable for _, _, variable in sorted(found, key=lambda each: each[:2]))


def _sums(configurations: Configurations, names: Sequence[str], constants: Constants) -> Array:
    """Return the sums of the mixed values of options, shape (n,)."""
    system = configurations.system
    total = np.zeros(len(configurations), dtype=np.uint64)
    for name in names:
        if name in system.mandatory or system.option(name).size == 1:
            continue
        own = np.frombuffer(blake2b(name.encode(), digest_size=8).digest(), dtype="<u8")[0]
        # + 0.0 turns -0.0 into 0.0; deselected options are NaN, of which there are several.
        values = np.nan_to_num(configurations.value(name) + 0.0, nan=-1.5e300)
        total += _mixed(values.view(np.uint64) ^ constants.get(name, own))
    return total


def _mixed(values: Array) -> Array:
    """Return values whose bits depend on all bits of the input (the finaliser of splitmix64)."""
    found = values ^ (values >> np.uint64(30))
    found = found * _MIX[0]
    found = (found ^ (found >> np.uint64(27))) * _MIX[1]
    mixed: Array = found ^ (found >> np.uint64(31))
    return mixed
