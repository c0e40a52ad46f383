from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

PACKAGES = ("splc", "splc.learning", "splc.scaling", "sampling", "comparison")


def run(code: str) -> None:
    """Run code in a fresh interpreter, in which nothing of the project is imported yet."""
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "before",
    [
        "",
        "import sampling.sample",
        "import sampling.spec",
        "from sampling.sample import draw_sample",
        "from sampling import draw_sample",
        "import sampling; sampling.sample",
        "from importlib import import_module; import_module('sampling.sample')",
    ],
)
def test_a_name_wins_over_its_module(before: str) -> None:
    """`sampling.sample` is the function, whatever was imported before and after."""
    run(
        f"""
        {before}
        import sampling
        from sampling import sample
        import sampling.sample
        from sampling import sample as again
        assert callable(sample), sample
        assert sample is again is sampling.sample
        assert sample.__module__ == "sampling.sample"
        """
    )


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names(package: str) -> None:
    """`dir` lists public names before their first use, and no helpers; each is the object defined under that name."""
    run(
        f"""
        import sys, types, {package}
        package = sys.modules["{package}"]
        listed = dir(package)
        assert set(package.__all__) <= set(listed)
        assert "__name__" in listed and "__path__" in listed
        for name in listed:
            public = name in package.__all__ or name.startswith("__") or "{package}." + name in sys.modules
            assert public or isinstance(getattr(package, name), types.ModuleType), name
        assert not {{"attach_stub", "annotations", "_homes"}} & set(listed)
        for name in package.__all__:
            value = getattr(package, name)
            assert not isinstance(value, types.ModuleType), name
            assert getattr(value, "__name__", name) == {{"scale": "fit"}}.get(name, name), (name, value)
        namespace = {{}}
        exec("from {package} import *", namespace)
        assert set(package.__all__) <= namespace.keys()
        """
    )


@pytest.mark.parametrize("package", PACKAGES)
def test_unknown_names(package: str) -> None:
    """An unknown name is an AttributeError that names the package."""
    module = __import__(package, fromlist=["__name__"])
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'no_such_name'"):
        module.no_such_name  # noqa: B018
    assert not hasattr(module, "no_such_name")


@pytest.mark.parametrize(
    "module",
    ["splc.learning", "splc.scaling", "splc.calibration", "splc.workflows", "splc.study", "splc.workflows.learn"],
)
def test_modules_are_imported_on_first_use(module: str) -> None:
    """`import splc` is enough to use its public packages, which `dir` lists before they are imported."""
    package, _, name = module.rpartition(".")
    run(
        f"""
        import sys
        import splc
        assert "{name}" in dir({package})
        assert "{module}" not in sys.modules
        assert {module} is sys.modules["{module}"]
        """
    )
