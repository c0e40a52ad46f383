"""The files that scaling models are written to; the suffix says the form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from splc.data.experiment import Key
    from splc.scaling import ScalingModel

SUFFIXES = (".json", ".txt", ".log", ".py", ".tex")


def output_form(output: str) -> str:
    """Return the suffix that says in which form models are written; `-` is model text.

    Raises:
        typer.BadParameter: for another one.
    """
    from splc.errors import listed

    if output == "-":
        return ".txt"
    name = output.removesuffix(".gz").casefold()
    for suffix in SUFFIXES:
        if name.endswith(suffix):
            return suffix
    raise typer.BadParameter(
        f"{output!r} does not say the format: use one of {listed(SUFFIXES)}", param_hint="--output"
    )


def written(
    models: Mapping[Key, ScalingModel],
    form: str,
    origin: str,
    further: Mapping[Key, Mapping[str, Any]],
    facts: Mapping[str, Any],
) -> str:
    """Return the content of the output file."""
    from splc import __version__
    from splc.data.experiment import DEFAULT_METRIC
    from splc.errors import plural
    from splc.formats.models.entries import scaling_latex, scaling_python, scaling_text
    from splc.formats.models.json_writer import scaling_json_text
    from splc.formats.models.log_writer import model_log_text

    first = next(iter(models.values()))
    about = f"{plural(len(models), 'scaling model', 'scaling models')} of {origin}, "
    about += f"by splc {__version__} (pmnf, method {first.method})"
    if form == ".json":
        return scaling_json_text(models, further, **facts)
    if form == ".py":
        return scaling_python(models, about)
    if form == ".tex":
        return scaling_latex(models, about)
    if form == ".txt":
        return scaling_text(models, about)
    if first.below is not None:
        from splc.errors import OutputError

        raise OutputError("a log cannot say a model of two segments", hint="write it as .json, .txt or .py")
    (key,) = models
    return model_log_text(first.model, nfp=None if key[1] == DEFAULT_METRIC else key[1])
