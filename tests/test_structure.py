"""The structure of source and tests: packages, file lengths, names, and paths of tests without an assertion."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

import pytest

from tests import budget
from tests.budget import length
from tests.budget import name_of as relative
from tests.support import cpu
from tests.support.paths import ROOT
from tests.support.tracked import DECISIONS, PAGES, tracked

PACKAGES = budget.PRODUCT
FILES = budget.files(*PACKAGES)
LONGEST = 450


def subpackages(package: str) -> list[str]:
    """Return the names of the packages in a package."""
    return [file.parent.name for file in tracked(ROOT / package, pattern=f"{package}/*/__init__.py")]


def test_modules_directly_in_splc() -> None:
    """Only what every package shares is directly in `splc/`."""
    allowed = {
        "__init__.py",
        "__init__.pyi",
        "__main__.py",
        "_version.py",
        "errors.py",
        "lazy.py",
        "types.py",
        "py.typed",
    }
    assert {file.name for file in tracked(ROOT / "splc", pattern="splc/*")} <= allowed | {"py.typed"}


def test_every_package_has_a_layer() -> None:
    """Each package of splc is in the layers of import-linter; there are at most 18."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    layers = next(each["layers"] for each in tool["importlinter"]["contracts"] if each["id"] == "layers")
    named = {name.strip("() ") for layer in layers for name in layer.split("|")}
    found = subpackages("splc")
    assert {f"splc.{name}" for name in found} <= named
    assert 12 <= len(found) <= 18


@pytest.mark.parametrize("folder", [*PACKAGES, "casestudies", "tests", "benchmarks"])
def test_no_file_is_too_long(folder: str) -> None:
    """A file is a chapter: it has at most 450 lines."""
    assert {relative(file) for file in budget.files(folder) if length(file) > LONGEST} == set()


def test_budget() -> None:
    """Packages, imports, small files and inner names that tests import cost at most what the table allows."""
    now = budget.cost()
    assert now.keys() == budget.table().keys()
    assert budget.above(now, budget.table()) == []


def test_one_door_to_real_data() -> None:
    """One file names the folder of the measurements of others; decisions are records."""
    named = re.compile(r"shared['\"/ ]+data")
    door = ROOT / "casestudies" / "real_data.py"
    others = (file for suffix in ("*.py", "*.md", "run", "Makefile") for file in tracked(pattern=suffix))
    found = [file for file in others if named.search(file.read_text(encoding="utf-8"))]
    assert [file for file in found if file not in DECISIONS] == [door]


def test_exceptions_from_the_limit_of_time() -> None:
    """At most 30 tests of `make test` may take longer than others, each for a reason; each exists."""
    assert len(cpu.EXCEPTIONS) <= 30
    for name, reason in cpu.EXCEPTIONS.items():
        file, *parts = name.split("::")
        assert all(re.search(rf"\b{part}\b", (ROOT / file).read_text(encoding="utf-8")) for part in parts), name
        assert reason


def test_module_and_package_names_differ() -> None:
    """No module has the name of a package beside it, which would hide it."""
    assert [relative(file) for file in FILES if file.with_suffix("").is_dir()] == []


def test_file_names_within_a_package_differ() -> None:
    """No module has the name of a module in a folder above it, within its package."""
    own = [file for file in FILES if not file.name.startswith("__")]
    above = {file: file.relative_to(ROOT).parts for file in own}
    depth = {name: 2 if name == "splc" else 1 for name in PACKAGES}
    found = [
        relative(file)
        for file, parts in above.items()
        for level in range(depth[parts[0]], len(parts) - 1)
        if ROOT.joinpath(*parts[:level], file.name).exists()
    ]
    assert found == []


def test_tests_mirror_the_packages() -> None:
    """Each folder of tests is that of a package of the source, but `support`, `fuzz`, `mutants` and `casestudies`."""
    packages = {file.parent.relative_to(ROOT) for file in FILES if file.name == "__init__.py"}
    source = packages | {folder.relative_to("splc") for folder in packages if folder.is_relative_to("splc")}
    mirrored = {file.parent.relative_to(ROOT / "tests") for file in tracked(ROOT / "tests", pattern="__init__.py")}
    others = {"support", "fuzz", "mutants", "casestudies"}
    assert {each for each in mirrored - source if each.parts[0] not in others} == set()
    assert {Path(name) for name in subpackages("splc")} <= mirrored


def test_modules_describe_themselves() -> None:
    """Every module begins with a docstring of one sentence on one line."""
    described = re.compile(r'r?"""\S.*\S(?:\n|""")')
    assert [relative(file) for file in FILES if not described.match(file.read_text(encoding="utf-8"))] == []


TEXTS = (*PAGES, ROOT / "CONTRIBUTING.md", *DECISIONS)
FOLDERS = "splc|sampling|comparison|tests|docs|casestudies|benchmarks"


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.name)
def test_pages_name_existing_files(page: Path) -> None:
    """Every path of this project that a page sets as code exists; names in capitals are placeholders."""
    text = page.read_text(encoding="utf-8")
    named = {path for path in re.findall(rf"`((?:{FOLDERS})/[\w./-]*)`", text) if not re.search(r"[A-Z]{2}", path)}
    assert {path for path in named if not (ROOT / path).exists()} == set()


def test_map_of_packages() -> None:
    """CONTRIBUTING's map has a row for each layer, and names existing files of it."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = pyproject["tool"]["importlinter"]["contracts"][0]["layers"]
    packages = {name.strip("( )").replace(".", "/") for layer in layers for name in layer.split("|")}
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `((?:splc|sampling|comparison)[\w/.]*)` \|(.*)\|$", page, re.MULTILINE))
    assert packages <= {name.removesuffix(".py") for name in rows}
    named = {
        f"{package}/{file}" for package in packages for file in re.findall(r"`([\w/]+\.py)`", rows.get(package, ""))
    }
    assert {file for file in named if not (ROOT / file).exists()} == set()


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.name)
def test_pages_name_existing_modules(page: Path) -> None:
    """Every module, and every name of one, that a page sets as code can be imported."""
    named = re.findall(r"`((?:splc|sampling|comparison)\.[A-Za-z_.]*\w)`", page.read_text(encoding="utf-8"))
    modules = {name for name in named if not name.endswith((".toml", ".py")) and not re.search(r"[A-Z]{2}", name)}
    assert {name for name in modules if not can_import(name)} == set()


def can_import(name: str) -> bool:
    """Return whether a module, or a name of one, can be imported."""
    try:
        resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def test_one_meaning_per_class_name() -> None:
    """No two public classes have the same name, but the request and the result of each workflow."""
    homes: dict[str, list[str]] = {}
    for file in FILES:
        for name in re.findall(r"^class ([A-Z]\w*)", file.read_text(encoding="utf-8"), re.MULTILINE):
            homes.setdefault(name, []).append(relative(file))
    assert {name: files for name, files in homes.items() if len(files) > 1 and name not in {"Request", "Result"}} == {}
    allowed = {"report", "study", "workflows", "splconqueror"}
    assert {Path(file).parts[1] for name in ("Request", "Result") for file in homes[name]} == allowed


# What fails, or ends a test, besides `assert`.
PYTEST = {"raises", "warns", "deprecated_call", "fail", "skip", "xfail"}
# How a path without an assertion leaves statements.
END, RETURN = {"end"}, {"return"}
CHECKS: dict[tuple[Path, str], bool] = {}


def hollow_tests(file: Path) -> list[str]:
    """Return the tests of a file with a path without an assertion, or whose last line assigns what nothing reads."""
    named = ((name, each) for name, found in read(file)[0].items() for each in found if name.startswith("test_"))
    return [name for name, each in named if leaves(each.body, file) or isinstance(each.body[-1], ast.Assign)]


@cache
def read(file: Path) -> tuple[dict[str, list[ast.FunctionDef]], dict[str, Path]]:
    """Return the functions of a file by name, and where it imports names from."""
    functions: dict[str, list[ast.FunctionDef]] = {}
    origins: dict[str, Path] = {}
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if file.is_file() else ():
        if isinstance(node, ast.FunctionDef):
            functions.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.ImportFrom) and str(node.module).startswith("tests."):
            origin = ROOT.joinpath(*str(node.module).split(".")).with_suffix(".py")
            origins |= dict.fromkeys((alias.name for alias in node.names), origin)
    return functions, origins


def is_check(name: str, file: Path) -> bool:
    """Return whether a name is a function that asserts something on every path, and is not called for its value."""
    if (file, name) not in CHECKS:
        # A function that calls itself has to assert something itself.
        CHECKS[file, name] = False
        fixtures = (folder / "conftest.py" for folder in file.parents)
        places = [place for place in (file, read(file)[1].get(name, file), *fixtures) if name in read(place)[0]]
        CHECKS[file, name] = (
            not any(leaves(each.body, places[0]) or returns(each) for each in read(places[0])[0][name])
            if places
            # A parameter, or a function of a library.
            else name.startswith(("check", "assert", "reject"))
        )
    return CHECKS[file, name]


def returns(function: ast.FunctionDef) -> bool:
    """Return whether a function returns a value: it is called for that, not for what it asserts."""
    functions = [each for each in ast.walk(function) if isinstance(each, ast.FunctionDef) and each is not function]
    inner = {node for each in functions for node in ast.walk(each)}
    returned = (node for node in ast.walk(function) if isinstance(node, ast.Return) and node not in inner)
    return any(node.value is not None for node in returned)


def asserts(node: ast.AST, file: Path) -> bool:
    """Return whether an expression or a plain statement asserts something."""
    for each in ast.walk(node):
        match each:
            case ast.Attribute(value=ast.Name(id="pytest"), attr=name) if name in PYTEST:
                return True
            case ast.Attribute(attr=name) if name.startswith(("assert_", "test_")):
                return True
            case ast.Attribute(value=ast.Name(id="self"), attr=name) | ast.Name(id=name) if is_check(name, file):
                return True
            case ast.keyword(arg="check", value=ast.Constant(value=True)):
                return True
    return False


def leaves(body: Sequence[ast.stmt], file: Path) -> set[str]:
    """Return how paths without an assertion leave statements: loops run, and what is in `try` may raise."""
    found = END
    for statement in body:
        if found & END:
            found = found - END | left(statement, file)
    return found


def left(statement: ast.stmt, file: Path) -> set[str]:
    """Return how paths without an assertion leave a statement."""
    heads: list[ast.expr] = []
    match statement:
        case ast.FunctionDef() | ast.ClassDef():
            return END
        case ast.If(test=head, body=body, orelse=other):
            heads, bodies = [head], [body, other]
        case ast.For(iter=head, body=body) | ast.While(test=head, body=body):
            heads, bodies = [head], [body]
        case ast.Match(cases=cases):
            bodies = [[], *(case.body for case in cases)]
        case ast.With(items=items, body=body):
            heads = [item.context_expr for item in items]
            bodies = [body, []] if any("suppress(" in ast.unparse(head) for head in heads) else [body]
        case ast.Try(body=body, handlers=handlers, orelse=other, finalbody=last):
            bodies = [[*body, *other, *last], *([*handler.body, *last] for handler in handlers)]
        case _ if isinstance(statement, ast.Assert) or asserts(statement, file):
            return set()
        case _:
            return RETURN if isinstance(statement, ast.Return | ast.Raise) else END
    if any(asserts(head, file) for head in heads):
        return set()
    return set().union(*(leaves(body, file) for body in bodies))


TESTS = tracked(ROOT / "tests", pattern="test_*.py")
HELPERS = """
from tests.support.refusal import check_read_or_refused

def compare(one, other):
    assert one == other

def value(text):
    assert text
    return float(text)

def broken():
    raise KeyError

"""
# Bodies of tests, and whether a path through them has no assertion.
BODIES = [
    ("f()", True),
    ("assert f()", False),
    ("if f():\n  assert 1", True),
    ("if f():\n  assert 1\nelse:\n  compare(1, 2)", False),
    ("if f():\n  return\nassert 1", True),
    ("if f():\n  assert 1\n  return\nassert 2", False),
    ("for x in f():\n  if x:\n    assert x", True),
    ("for x in f():\n  assert x", False),
    ("try:\n  assert 1\nexcept KeyError:\n  return", True),
    ("try:\n  f()\nexcept KeyError:\n  reject()\nassert 1", False),
    ("with suppress(KeyError):\n  assert f()", True),
    ("with pytest.raises(KeyError):\n  f()", False),
    ("match f():\n  case 1:\n    assert 1", True),
    ("value('1')", True),
    ("f(broken)", True),
    ("check_read_or_refused(f)", False),
    ("check(f)", False),
    ("space.check(f)", True),
    ("subprocess.run('a', check=True)", False),
    ("np.testing.assert_allclose(1, 2)", False),
    ("assert f()\nx = f()", True),
]


@pytest.mark.parametrize("folder", sorted({file.parent for file in TESTS}), ids=lambda folder: str(folder.name))
def test_every_path_asserts(folder: Path) -> None:
    """No path through a test ends without an assertion."""
    files = [file for file in TESTS if file.parent == folder]
    assert {file.name: found for file in files if (found := hollow_tests(file))} == {}


def test_paths(tmp_path: Path) -> None:
    """Branches, early returns, exceptions and calls for a value have paths without an assertion."""
    file = tmp_path / "test_paths.py"
    tests = [f"def test_{at}():\n  {body.replace(chr(10), chr(10) + '  ')}\n" for at, (body, _) in enumerate(BODIES)]
    file.write_text(HELPERS + "\n".join(tests), encoding="utf-8")
    assert hollow_tests(file) == [f"test_{at}" for at, (_, wrong) in enumerate(BODIES) if wrong]
