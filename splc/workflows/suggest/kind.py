"""The kind of suggestions that a request asks for: configurations of a system, or points of a scaling model."""

from __future__ import annotations

import shlex
from dataclasses import fields

from splc.errors import InputError, Problem, RequestError
from splc.formats.detect import experiment_format, is_xml, kind_of
from splc.io.files import STANDARD, read_source
from splc.workflows.fields import given_fields
from splc.workflows.suggest import configurations, points


def is_about_profile(system: configurations.Request, profile: points.Request) -> bool:
    """Return whether suggestions are points of a scaling model: a profile is named.

    Args:
        system: the request, read as one about a system.
        profile: the same request, read as one about a profile.

    Raises:
        InputError: if the measurements of a system are a profile.
        RequestError: if some fields are about a system and others about a profile.
    """
    both = {field.name for field in fields(system)} & {field.name for field in fields(profile)}
    of_system = [name for name in given_fields(system) if name not in both]
    of_profile = [name for name in given_fields(profile) if name not in both and name != "profile"]
    if profile.profile is not None:
        if of_system:
            raise RequestError("only configurations of a system have it, not points of a profile", of_system[0])
        return True
    if of_profile:
        hint = "name the profile: splc suggest PROFILE"
        raise RequestError("only points of a profile have it, not configurations of a system", of_profile[0], hint=hint)
    project = system.project()
    if project.has_measurements and (file := project.measurements_file) != STANDARD:
        source = read_source(file)
        if (
            source.data.strip()
            and not is_xml(source)
            and kind_of(source) != "measurements"
            and experiment_format(source) != "csv"
        ):
            hint = f"splc suggest {shlex.quote(file)} suggests points of a scaling model"
            raise InputError(Problem("this is a profile, not measurements of a system", file, hint=hint))
    return False
