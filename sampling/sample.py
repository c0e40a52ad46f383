"""Samples: the configurations that a sampling spec selects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sampling.designs.product import All, FullFactorial, product
from sampling.space.parts import Parts
from sampling.space.space import Space
from sampling.spec import SamplingSpec, parse_spec
from splc.data.configurations import Configurations
from splc.errors import EmptySampleError, SpecError, plural
from splc.io.presentation import Presented
from splc.system.variability import VariabilityModel
from splc.types import Array


@dataclass(frozen=True, repr=False)
class Sample(Presented):
    """Sampled configurations and their provenance."""

    configurations: Configurations  # valid and distinct configurations, in a deterministic order
    spec: str  # the sampling spec in normal form
    seed: int  # the seed of the parts of the spec without a seed of their own
    notes: tuple[str, ...] = ()  # for the user: parts taken in full, aliased columns, excluded configurations
    removed: int = 0  # the number of selected configurations that are not valid
    extended: int | None = None  # the number of valid, distinct configurations of the sample that this one extends

    def summary(self) -> str:
        """Return the number of configurations, the spec, and the notes."""
        first = f"{self.configurations.summary()}, sampled by {self.spec} with seed {self.seed}"
        return "\n".join([first, *(f"note: {note}" for note in self.notes)])

    def to_columns(self) -> Mapping[str, Array]:
        """Return option → values of the sampled configurations."""
        return self.configurations.to_columns()


def draw_sample(
    system: VariabilityModel,
    spec: str | SamplingSpec,
    seed: int = 0,
    measured: Configurations | None = None,
    space: Space | None = None,
    existing: Configurations | None = None,
    apart: bool = False,
) -> Sample:
    """Return the sample that a spec selects, with notes.

    Args:
        system: the system.
        spec: the sampling spec, such as `pb:9,3` or `pairwise+random:20,seed=1` (see `sampling.spec`).
        seed: the seed of random parts of the spec without a seed of their own.
        measured: the measured configurations, for the specs `measured` and `measured:N`.
        space: the valid configurations of the system, to reuse its decision diagrams.
        existing: a sample to be extended: the result has none of its configurations. Designs that cover options or
            combinations of options add only what it does not cover, random designs add N new configurations. The
            result may be empty.
        apart: whether the result is a separate set, such as a validation set, that covers everything again.

    Raises:
        SpecError: if the spec is wrong, or the system has no options of the required kind.
        SpaceError: if the spec selects too many configurations, or none.
        VariabilityError: if the system has no valid configuration.

    Examples:
        >>> sampling.draw_sample(system, sampling.parse_spec("random:5"), seed=0)
        <Sample: 5 configurations of system, sampled by random:5 with seed 0>
    """
    if seed < 0:
        raise SpecError(f"the seed must not be negative, but is {seed}")
    spec = spec if isinstance(spec, SamplingSpec) else parse_spec(str(spec))
    space = Space(system) if space is None else space
    if existing is None:
        return _drawn(spec, seed, measured, Parts(space))
    existing = existing.unique()
    valid = space.check(existing)
    notes: tuple[str, ...] = ()
    if not valid.all():
        which = "of the existing sample"
        one, many = f"configuration {which} is not valid and does", f"configurations {which} are not valid and do"
        notes += (f"{plural(int((~valid).sum()), one, many)} not count",)
    existing = existing[valid]
    selected = _drawn(spec, seed, measured, Parts(space, existing, apart))
    new = existing.find(selected.configurations) < 0
    if not new.all():
        notes += (f"{int((~new).sum()):,} of the {len(new):,} selected configurations are in the existing sample",)
    if not new.any():
        notes += ("the existing sample lacks nothing",)
    return replace(
        selected, configurations=selected.configurations[new], notes=(*selected.notes, *notes), extended=len(existing)
    )


def _drawn(spec: SamplingSpec, seed: int, measured: Configurations | None, parts: Parts) -> Sample:
    removed, notes = 0, tuple[str, ...]()
    if spec.whole is not None:
        selected, remarks = spec.whole.configurations(parts, seed, measured)
    else:
        if spec.binary is None and parts.selectable:
            notes += ("no binary sampling is given: all valid binary parts are taken (all)",)
        if spec.numeric is None and parts.system.numeric_options:
            notes += ("no numeric sampling is given: all combinations of numeric values are taken (ff)",)
        selected, removed, remarks = product(parts, spec.binary or All(), spec.numeric or FullFactorial(), seed)
    if not len(selected) and parts.existing is None:
        # It is another error if no configuration is valid at all.
        parts.space.require_valid()
        if not removed:
            message = f"{spec.text} selects no configuration of {parts.system.name}"
            raise EmptySampleError(message, hint="use another sampling")
        what = "the only configuration it selects" if removed == 1 else f"all {removed:,} configurations it selects"
        hint = "use another sampling, such as random:N"
        raise EmptySampleError(f"{spec.text}: constraints exclude {what}", hint=hint)
    if removed:
        remarks += (f"constraints exclude {removed:,} of the {removed + len(selected):,} selected configurations",)
    return Sample(selected, spec.text, seed, (*notes, *remarks), removed)


def sample(
    system: VariabilityModel,
    spec: str | SamplingSpec,
    seed: int = 0,
    measured: Configurations | None = None,
    space: Space | None = None,
    existing: Configurations | None = None,
) -> Configurations:
    """Return the configurations that a sampling spec selects; `draw_sample` also returns notes.

    The arguments and errors are those of `draw_sample`. The same seed gives the same sample on every machine.

    Returns:
        n distinct valid configurations, in a deterministic order; `indices` has shape (n, options).

    Examples:
        >>> len(splc.sample(system, "random:5", seed=0))
        5
    """
    return draw_sample(system, spec, seed, measured, space, existing).configurations
