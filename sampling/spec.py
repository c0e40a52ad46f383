"""Sampling specs, such as `pb:9,3`, `pairwise+cci`, `random:50,seed=3`, and the table of designs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeVar

from sampling.designs.binary.all import All
from sampling.designs.binary.covering import Covering
from sampling.designs.binary.henard import Henard
from sampling.designs.binary.negoptionwise import NegativeOptionWise
from sampling.designs.binary.optionwise import OptionWise
from sampling.designs.binary.solver import SolverOrder
from sampling.designs.binary.twise import TWise
from sampling.designs.design import Arguments, PartDesign, WholeDesign
from sampling.designs.distance import DistanceMaximizing
from sampling.designs.distance_aware import DistanceAware
from sampling.designs.domain import Restricted
from sampling.designs.numeric.bbd import BoxBehnken
from sampling.designs.numeric.cci import CentralComposite
from sampling.designs.numeric.dopt import DOptimal
from sampling.designs.numeric.factorial import Factorial
from sampling.designs.numeric.ff import FullFactorial
from sampling.designs.numeric.hyper import Hypersampling
from sampling.designs.numeric.lhs import LatinHypercube
from sampling.designs.numeric.ofat import OneFactor
from sampling.designs.numeric.pb import PlackettBurman
from sampling.designs.numeric.sobol import Sobol
from sampling.designs.random_part import RandomPart
from sampling.designs.whole.measured import Measured
from sampling.designs.whole.random import RandomWhole
from sampling.designs.whole.suggested import Suggested
from splc.errors import SpecError, nearest

D = TypeVar("D")
# The options that a part is restricted to, after its name or its arguments.
_DOMAIN = re.compile(r"([^\[\]]*)\[([^\[\]]*)\]([^\[\]]*)")
Table = Mapping[str, tuple[str, Callable[[Arguments], D]]]


def _plain(design: Callable[[], D]) -> Callable[[Arguments], D]:
    """Return the parser of a design without arguments."""

    def parse(arguments: Arguments) -> D:
        arguments.expect(0, 0)
        return design()

    return parse


_RANDOM = "random:N[,compat][,seed=S][,from=FILE]"
_DISTANCE = "distance:N[,weight=W]"
_DISTAWARE = (
    "distaware:N[,distribution=uniform|binomial|geometric|normal][,selection=random|solver]"
    "[,optimization=none|local|global][,weights=T|T-U][,seed=S]"
)
_DISTPRESERVING = "distpreserving:N[,distribution=D][,seed=S]"

# Name → usage, parser of its arguments. To add a design, write its module and add a line here.
BINARY: Table[PartDesign] = {
    "all": ("all", _plain(All)),
    "optionwise": ("optionwise", _plain(OptionWise)),
    "negoptionwise": ("negoptionwise[:first]", NegativeOptionWise.parse),
    "pairwise": ("pairwise", _plain(partial(TWise, "pairwise", 2))),
    "twise": ("twise:T", TWise.parse),
    "covering": ("covering:T[,seed=S]", Covering.parse),
    "random": (_RANDOM, partial(RandomPart.parse, "binary")),
    "distance": (_DISTANCE, partial(DistanceMaximizing.parse, "binary")),
    "divdistance": ("divdistance:N[,distribution=D][,weights=T|T-U][,seed=S]", DistanceAware.parse_diversified),
    "solver": ("solver:N[,seed=S]", SolverOrder.parse),
    "henard": ("henard:N[,seed=S]", Henard.parse),
    "distaware": (_DISTAWARE, partial(DistanceAware.parse, "binary")),
    "distpreserving": (_DISTPRESERVING, partial(DistanceAware.parse_preserving, "binary")),
}
NUMERIC: Table[PartDesign] = {
    "ff": ("ff", _plain(FullFactorial)),
    "random": (_RANDOM, partial(RandomPart.parse, "numeric")),
    "pb": ("pb:M,L[,compat]", PlackettBurman.parse),
    "cci": ("cci[:compat|:rotatable]", CentralComposite.parse),
    "bbd": ("bbd[:compat]", BoxBehnken.parse),
    "ofat": ("ofat:K[,compat]", OneFactor.parse),
    "factorial": ("factorial:K[,compat]", Factorial.parse),
    "hyper": ("hyper:P[,compat]", Hypersampling.parse),
    "dopt": ("dopt:N[,compat][,k=K][,seed=S]", DOptimal.parse),
    "lhs": ("lhs:N[,seed=S]", LatinHypercube.parse),
    "sobol": ("sobol:N[,seed=S]", Sobol.parse),
    "distaware": (_DISTAWARE, partial(DistanceAware.parse, "numeric")),
    "distpreserving": (_DISTPRESERVING, partial(DistanceAware.parse_preserving, "numeric")),
}
WHOLE: Table[WholeDesign] = {
    "random": (_RANDOM, RandomWhole.parse),
    "distaware": (_DISTAWARE, partial(DistanceAware.parse, "whole")),
    "distpreserving": (_DISTPRESERVING, partial(DistanceAware.parse_preserving, "whole")),
    "distance": (_DISTANCE, partial(DistanceMaximizing.parse, "whole")),
    "measured": ("measured[:N|:P%][,seed=S]", Measured.parse),
    "suggest": ("suggest:N[,seed=S]", Suggested.parse),
}


@dataclass(frozen=True)
class SamplingSpec:
    """A design of whole configurations, or designs of the binary and numeric part (None: taken in full)."""

    text: str
    whole: WholeDesign | None = None
    binary: PartDesign | None = None
    numeric: PartDesign | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """The files of populations (`from=FILE`) that the sample depends on."""
        found = (getattr(part, "source", None) for part in (self.whole, self.binary, self.numeric))
        return tuple(source for source in found if source is not None)


def known() -> str:
    """Return the usage of all designs, for messages and help."""
    kinds = (("binary", BINARY), ("numeric", NUMERIC), ("whole configurations", WHOLE))
    return "; ".join(f"{kind}: {' '.join(usage for usage, _ in table.values())}" for kind, table in kinds)


def parse_spec(text: str | None = None, *, binary: str | None = None, numeric: str | None = None) -> SamplingSpec:
    """Return the designs of a sampling spec.

    A single `random` draws whole configurations. Joined by `+` it is binary or numeric, unlike the other part; in
    `random:M+random:N` the first part is binary.

    Args:
        text: a spec of one or, joined by `+`, two parts.
        binary: instead, a spec of the binary part.
        numeric: instead, a spec of the numeric part.

    Raises:
        SpecError: if a name is unknown or its arguments are wrong.
    """
    if text is None:
        if binary is None and numeric is None:
            raise SpecError("no sampling is given", hint=f"known are {known()}")
        return _joined(
            None if binary is None else _part(binary, BINARY, "binary"),
            None if numeric is None else _part(numeric, NUMERIC, "numeric"),
        )
    if binary is not None or numeric is not None:
        raise SpecError(
            f"{text}: the sampling is given twice", hint="give either a whole spec, or a binary and a numeric one"
        )
    # A plus sign within brackets belongs to the name of an option.
    hidden = re.sub(r"\[[^\[\]]*\]", lambda found: found[0].replace("+", "\0"), text)
    parts = [part.replace("\0", "+") for part in hidden.split("+")]
    names = [_split(part)[0] for part in parts]
    for part, name in zip(parts, names, strict=True):
        if name not in BINARY and name not in NUMERIC and name not in WHOLE:
            raise _unknown(part, name, [*BINARY, *NUMERIC, *WHOLE])
    if len(parts) == 1:
        if names[0] in WHOLE:
            if "[" in text:
                hint = f"restrict a binary or a numeric part, as in --binary {text.strip()!r}"
                raise SpecError(
                    f"{text}: a sampling of whole configurations cannot be restricted to options", hint=hint
                )
            whole = _read(text, WHOLE, "whole")
            return SamplingSpec(whole.text, whole=whole)
        if names[0] in BINARY:
            return _joined(_part(text, BINARY, "binary"), None)
        return _joined(None, _part(text, NUMERIC, "numeric"))
    if len(parts) > 2:
        raise SpecError(f"{text}: a spec has at most two parts", hint="a binary and a numeric one, joined by +")
    for one, other in ((0, 1), (1, 0)):
        if names[one] in BINARY and names[other] in NUMERIC:
            return _joined(_part(parts[one], BINARY, "binary"), _part(parts[other], NUMERIC, "numeric"))
    alone = next((name for name in names if name not in BINARY and name not in NUMERIC), None)
    raise SpecError(
        f"{text}: {alone} selects whole configurations and cannot be joined with another part"
        if alone
        else f"{text}: both parts are {'binary' if names[0] in BINARY else 'numeric'}",
        hint="join a binary and a numeric part; " + f"known are {known()}",
    )


def _joined(binary: PartDesign | None, numeric: PartDesign | None) -> SamplingSpec:
    text = "+".join(part.text for part in (binary, numeric) if part is not None)
    return SamplingSpec(text, binary=binary, numeric=numeric)


def _part(part: str, table: Table[PartDesign], kind: Literal["binary", "numeric"]) -> PartDesign:
    """Return the design of a binary or numeric part, restricted to the options in brackets, if there are any."""
    match = _DOMAIN.fullmatch(part)
    design = _read(part if match is None else match[1] + match[3], table, kind)
    if match is None:
        return design
    names = tuple(name.strip() for name in match[2].split(","))
    if not all(names) or len(set(names)) < len(names):
        raise SpecError(f"{part.strip()}: a name is missing or a duplicate", hint=f"write {design.text}[NAME,NAME]")
    return Restricted(kind, design, names)


def _split(part: str) -> tuple[str, list[str]]:
    match = _DOMAIN.fullmatch(part)
    name, colon, rest = (part if match is None else match[1] + match[3]).strip().partition(":")
    return name.strip(), [argument.strip() for argument in rest.split(",")] if colon else []


def _read(part: str, table: Table[D], kind: str) -> D:
    """Return the design of one part."""
    name, given = _split(part)
    if name not in table:
        raise _unknown(part, name, list(table), f"{kind} ")
    usage, read = table[name]
    positional: list[str] = []
    named: dict[str, str] = {}
    arguments = Arguments(name, usage, (), {})
    for argument in given:
        key, equals, value = (piece.strip() for piece in argument.partition("="))
        if not argument or (equals and not (key and value)):
            raise arguments.error(f"empty argument in {part.strip()!r}")
        if not equals:
            positional.append(argument)
        elif key in named:
            raise arguments.error(f"{key!r} is given twice")
        else:
            named[key] = value
    return read(Arguments(name, usage, tuple(positional), named))


def _unknown(part: str, name: str, names: list[str], kind: str = "") -> SpecError:
    if not name:
        return SpecError(f"{part!r} names no {kind}sampling", hint=f"known are {known()}")
    near = nearest(name, names)
    return SpecError(f"unknown {kind}sampling {name!r}" + (f"; {near}" if near else ""), hint=f"known are {known()}")
