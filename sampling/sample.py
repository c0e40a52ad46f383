"""From a spec to a sample: the one way in which configurations to measure are picked."""

from __future__ import annotations

from dataclasses import dataclass

from sampling.designs.binary.all import All
from sampling.designs.numeric.ff import FullFactorial
from sampling.designs.product import product
from sampling.space.parts import Parts
from sampling.space.space import Space
from sampling.spec import SamplingSpec, parse_spec
from splc.data.configurations import Configurations
from splc.errors import SpaceError, SpecError
from splc.system.variability import VariabilityModel


@dataclass(frozen=True)
class Sample:
    """Configurations and what picked them.

    Attributes:
        configurations: valid and distinct, in a deterministic order.
        spec: the sampling as read.
        seed: the seed of those parts of the spec that name none.
        notes: what the user should know: parts taken in full, aliased columns, what constraints removed.
        removed: how many configurations the designs asked for that are not valid.
    """

    configurations: Configurations
    spec: str
    seed: int
    notes: tuple[str, ...] = ()
    removed: int = 0


def draw_sample(
    model: VariabilityModel,
    spec: str | SamplingSpec,
    seed: int = 0,
    measured: Configurations | None = None,
    space: Space | None = None,
) -> Sample:
    """Return the sample that a spec picks.

    Args:
        model: the system.
        spec: such as `pb:9,3` or `pairwise+random:20,seed=1` (see `sampling.spec`).
        seed: for parts of the spec that draw and name no seed of their own.
        measured: the measured configurations, for the spec `measured`.
        space: the system's space, if there is one already.

    Raises:
        SpecError: if the spec is wrong, or asks for what the system does not have.
        SpaceError: if it picks too many configurations, or none.
        VariabilityError: if the system has no valid configuration.
    """
    if seed < 0:
        raise SpecError(f"the seed must not be negative, as {seed} is")
    if isinstance(spec, str):
        spec = parse_spec(spec)
    parts = Parts(Space(model) if space is None else space)
    if spec.whole is not None:
        found, notes = spec.whole.configurations(parts, seed, measured)
        if not len(found):
            raise _nothing(spec, parts, 0)
        return Sample(found, spec.text, seed, notes)
    notes = ()
    if spec.binary is None and parts.selectable:
        notes += ("no binary sampling is given: all valid binary parts are taken (all)",)
    if spec.numeric is None and parts.model.numeric_options:
        notes += ("no numeric sampling is given: all combinations of numeric values are taken (ff)",)
    found, removed, said = product(parts, spec.binary or All(), spec.numeric or FullFactorial(), seed)
    if not len(found):
        raise _nothing(spec, parts, removed)
    if removed:
        said += (f"constraints exclude {removed:,} of the {removed + len(found):,} configurations picked",)
    return Sample(found, spec.text, seed, (*notes, *said), removed)


def _nothing(spec: SamplingSpec, parts: Parts, removed: int) -> SpaceError:
    """Return the error for a spec that picks nothing, or raise that of a system in which nothing is valid."""
    parts.space.require_valid()
    if removed:
        return SpaceError(
            f"{spec.text}: constraints exclude "
            + ("the only configuration that it picks" if removed == 1 else f"all {removed:,} configurations it picks"),
            hint="use another sampling, such as random:N",
        )
    return SpaceError(f"{spec.text} picks no configuration of {parts.model.name}", hint="use another sampling")


def sample(
    model: VariabilityModel,
    spec: str | SamplingSpec,
    seed: int = 0,
    measured: Configurations | None = None,
    space: Space | None = None,
) -> Configurations:
    """Return the configurations that a spec picks: `draw_sample` without what there is to say about them."""
    return draw_sample(model, spec, seed, measured, space).configurations
