"""Sampling specs, such as `pb:9,3`, `pairwise+cci`, `random:50,seed=3`, and the table of designs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from typing import Any, Literal, TypeVar

from sampling.designs.design import Arguments, PartDesign, WholeDesign
from splc.errors import SpecError, nearest

D = TypeVar("D")
# The options that a part is restricted to, after its name or its arguments.
_DOMAIN = re.compile(r"([^\[\]]*)\[([^\[\]]*)\]([^\[\]]*)")
Table = Mapping[str, tuple[str, Callable[[Arguments], D]]]


def _parser(qualified_name: str, *first: Any) -> Callable[[Arguments], Any]:
    """Return what parses by `MODULE:NAME`, imported when it is called: a parser, or a class without arguments."""
    module, _, name = qualified_name.partition(":")

    def parse(arguments: Arguments) -> Any:
        design = attrgetter(name)(import_module(f"sampling.designs.{module}"))
        if not isinstance(design, type):
            return design(*first, arguments)
        arguments.expect(0, 0)
        return design(*first)

    return parse


_RANDOM = "random:N[,compat[=2018]][,seed=S][,from=FILE]"
_PB = "pb:M,L[,compat]; M,L is one of 9,3  27,3  81,3  25,5  125,5  49,7"
_DISTANCE = "distance:N[,weight=W]"
_DISTAWARE = (
    "distaware:N[,distribution=uniform|binomial|geometric|normal][,selection=random|solver]"
    "[,optimization=none|local|global][,weights=T|T-U][,seed=S]"
)
_DIVDISTANCE = "divdistance:N[,distribution=D][,weights=T|T-U][,seed=S]"
_DISTPRESERVING = "distpreserving:N[,distribution=D][,seed=S]"

# Name → usage, parser of its arguments. To add a design, write it in the module of its family and add a line here.
BINARY: Table[PartDesign] = {
    "all": ("all", _parser("product:All")),
    "optionwise": ("optionwise", _parser("binary:TWise", "optionwise", 1)),
    "negoptionwise": ("negoptionwise[:first]", _parser("binary:NegativeOptionWise.parse")),
    "pairwise": ("pairwise", _parser("binary:TWise", "pairwise", 2)),
    "twise": ("twise:T", _parser("binary:TWise.parse")),
    "covering": ("covering:T[,seed=S]", _parser("coverage:Covering.parse")),
    "random": (_RANDOM, _parser("whole:RandomPart.of_kind", "binary")),
    "distance": (_DISTANCE, _parser("distance:DistanceMaximizing.parse", "binary")),
    "divdistance": (_DIVDISTANCE, _parser("distance:DistanceAware.parse", "binary")),
    "solver": ("solver:N[,seed=S]", _parser("binary:SolverOrder.parse")),
    "henard": ("henard:N[,seed=S]", _parser("binary:Henard.parse")),
    "distaware": (_DISTAWARE, _parser("distance:DistanceAware.parse", "binary")),
    "distpreserving": (_DISTPRESERVING, _parser("distance:DistanceAware.parse", "binary")),
}
NUMERIC: Table[PartDesign] = {
    "ff": ("ff", _parser("product:FullFactorial")),
    "random": (_RANDOM, _parser("whole:RandomPart.of_kind", "numeric")),
    "pb": (_PB, _parser("numeric:PlackettBurman.parse")),
    "cci": ("cci[:compat|:rotatable]", _parser("numeric:CentralComposite.parse")),
    "bbd": ("bbd[:compat]", _parser("numeric:BoxBehnken.parse")),
    "ofat": ("ofat:K[,compat]", _parser("numeric:OneFactor.parse")),
    "factorial": ("factorial:K[,compat]", _parser("numeric:Factorial.parse")),
    "hyper": ("hyper:P[,compat]", _parser("numeric:Hypersampling.parse")),
    "dopt": ("dopt:N[,capped][,k=K][,seed=S]", _parser("numeric_draws:DOptimal.parse")),
    "lhs": ("lhs:N[,seed=S]", _parser("numeric_draws:LatinHypercube.parse")),
    "sobol": ("sobol:N[,seed=S]", _parser("numeric_draws:Sobol.parse")),
    "distaware": (_DISTAWARE, _parser("distance:DistanceAware.parse", "numeric")),
    "distpreserving": (_DISTPRESERVING, _parser("distance:DistanceAware.parse", "numeric")),
}
WHOLE: Table[WholeDesign] = {
    "random": (_RANDOM, _parser("whole:RandomWhole.parse")),
    "distaware": (_DISTAWARE, _parser("distance:DistanceAware.parse", "whole")),
    "distpreserving": (_DISTPRESERVING, _parser("distance:DistanceAware.parse", "whole")),
    "distance": (_DISTANCE, _parser("distance:DistanceMaximizing.parse", "whole")),
    "measured": ("measured[:N|:P%][,seed=S]", _parser("whole:Measured.parse")),
    "suggest": ("suggest:N[,seed=S]", _parser("whole:Suggested.parse")),
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
        sources = (getattr(part, "source", None) for part in (self.whole, self.binary, self.numeric))
        return tuple(source for source in sources if source is not None)


def known() -> str:
    """Return the names of all designs, for messages: a wrong argument has a message with the usage of its design."""
    kinds = (("binary", BINARY), ("numeric", NUMERIC), ("whole configurations", WHOLE))
    return "; ".join(f"{kind}: {' '.join(table)}" for kind, table in kinds)


def parse_spec(text: str | None) -> SamplingSpec:
    """Return the designs of a sampling spec.

    A single `random` draws whole configurations. Joined by `+` it is binary or numeric, unlike the other part; in
    `random:M+random:N` the first part is binary.

    Args:
        text: a spec of one or, joined by `+`, two parts; None if a user gave none, which is refused.

    Raises:
        SpecError: if a name is unknown or its arguments are wrong.

    Examples:
        >>> sampling.parse_spec("pairwise+pb:9,3").text
        'pairwise+pb:9,3'
    """
    if text is None:
        raise SpecError("no sampling is given", hint=f"known are {known()}")
    # A plus sign within brackets belongs to the name of an option.
    hidden = re.sub(r"\[[^\[\]]*\]", lambda match: match[0].replace("+", "\0"), text)
    parts = [part.replace("\0", "+") for part in hidden.split("+")]
    names = [_split(part)[0] for part in parts]
    for part, name in zip(parts, names, strict=True):
        if not name:
            raise SpecError(f"{part!r} names no sampling", hint=f"known are {known()}")
        if name not in BINARY and name not in NUMERIC and name not in WHOLE:
            near = nearest(name, [*BINARY, *NUMERIC, *WHOLE])
            message = f"unknown sampling {name!r}" + (f"; {near}" if near else "")
            raise SpecError(message, hint=f"known are {known()}")
    if len(parts) == 1 and names[0] in WHOLE:
        if "[" in text:
            hint = "restrict a binary or a numeric part: random:5[a]+ff, all+random:5[x]"
            raise SpecError(f"{text}: a sampling of whole configurations cannot be restricted to options", hint=hint)
        whole = _read(text, WHOLE)
        return SamplingSpec(whole.text, whole=whole)
    if len(parts) == 1:
        is_binary = names[0] in BINARY
        design = _part(text, BINARY, "binary") if is_binary else _part(text, NUMERIC, "numeric")
        return SamplingSpec(design.text, binary=design if is_binary else None, numeric=None if is_binary else design)
    if len(parts) > 2:
        raise SpecError(f"{text}: a spec has at most two parts", hint="a binary and a numeric one, joined by +")
    for first, second in ((0, 1), (1, 0)):
        if names[first] in BINARY and names[second] in NUMERIC:
            binary, numeric = _part(parts[first], BINARY, "binary"), _part(parts[second], NUMERIC, "numeric")
            return SamplingSpec(f"{binary.text}+{numeric.text}", binary=binary, numeric=numeric)
    alone = next((name for name in names if name not in BINARY and name not in NUMERIC), None)
    raise SpecError(
        f"{text}: {alone} selects whole configurations and cannot be joined with another part"
        if alone
        else f"{text}: both parts are {'binary' if names[0] in BINARY else 'numeric'}",
        hint="join a binary and a numeric part; " + f"known are {known()}",
    )


def _part(part: str, table: Table[PartDesign], kind: Literal["binary", "numeric"]) -> PartDesign:
    """Return the design of a binary or numeric part, restricted to the options in brackets, if there are any."""
    match = _DOMAIN.fullmatch(part)
    design = _read(part if match is None else match[1] + match[3], table)
    if match is None:
        return design
    names = tuple(name.strip() for name in match[2].split(","))
    if not all(names) or len(set(names)) < len(names):
        raise SpecError(f"{part.strip()}: a name is missing or a duplicate", hint=f"write {design.text}[NAME,NAME]")
    from sampling.designs.product import Restricted

    return Restricted(kind, design, names)


def _split(part: str) -> tuple[str, list[str]]:
    match = _DOMAIN.fullmatch(part)
    name, colon, arguments = (part if match is None else match[1] + match[3]).strip().partition(":")
    return name.strip(), [argument.strip() for argument in arguments.split(",")] if colon else []


def _read(part: str, table: Table[D]) -> D:
    name, texts = _split(part)
    usage, read = table[name]
    positional: list[str] = []
    named: dict[str, str] = {}
    arguments = Arguments(name, usage, (), {})
    for argument in texts:
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
