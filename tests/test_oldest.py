"""`.ci/oldest.txt` pins the lower bounds of `pyproject.toml`, which `make oldest` installs."""

from __future__ import annotations

import re
import tomllib

from tests.support.paths import ROOT

# Tools that check the code, build the site and the package, and PyTorch, which is gigabytes.
NOT_INSTALLED = {
    "atheris", "build", "cosmic-ray", "coverage", "import-linter", "mkdocs", "mkdocs-material", "mkdocstrings", "mypy",
    "optuna", "ruff", "scipy-stubs", "smac", "torch", "twine", "types-lxml",
}  # fmt: skip
# Pins of packages that splc does not name itself; the file states why.
FURTHER = {"pyparsing"}
REQUIREMENT = re.compile(r"([\w-]+)(?:\[.*\])?(?:[>=]=([\d.]+(?:dev\d+)?))?(?:,<[\d.]+)?")


def version(text: str) -> tuple[int, ...]:
    """Return a version without zeros at its end; python-sat has development versions only, such as `1.9.dev22`."""
    numbers = [int(part.removeprefix("dev")) for part in text.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def bounds() -> dict[str, tuple[int, ...]]:
    """Return name → lower bound of all requirements."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    texts = [*project["dependencies"], *(text for extra in project["optional-dependencies"].values() for text in extra)]
    found = {}
    for text in texts:
        match = REQUIREMENT.fullmatch(text.partition(";")[0])
        assert match is not None, text
        if match[2] is not None:
            found[match[1]] = version(match[2])
    return found


def test_lower_bounds_are_pinned() -> None:
    """Every lower bound of what is installed has a pin, and every pin is a lower bound."""
    lines = (ROOT / ".ci" / "oldest.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    wanted = {name: bound for name, bound in bounds().items() if name not in NOT_INSTALLED}
    assert {name: version(pin) for name, pin in pins.items() if name not in FURTHER} == wanted
