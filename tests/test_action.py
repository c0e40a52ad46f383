"""The GitHub Action: its steps are run in a repository with a slow commit and one that changes nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.golden import PROJECTS
from tests.support.golden_messages import check_lines
from tests.support.paths import ROOT
from tests.support.programs import script, untraced

yaml = pytest.importorskip("yaml", reason="comes with the extra cluster")
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
PROJECT = PROJECTS / "action"
INPUTS = {
    "system": "system.uvl",
    "command": "./{version}/program {tls?tls} {cache?cache}",
    "property": r"work=regex:work (\S+)",
    "pairs": "16",
    "repeat": "2",
}


def git(folder: Path, *words: str) -> str:
    """Run git, and return what it prints."""
    command = ["git", "-c", "user.name=one", "-c", "user.email=one@example.org", *words]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with the program and its description, beside what stands for splc and gh."""
    for name in ("repository", "bin"):
        (tmp_path / name).mkdir()
    shutil.copy(PROJECT / "gh", tmp_path / "bin")
    script(tmp_path / "bin", f'PYTHONPATH={ROOT} exec {sys.executable} -m splc "$@"', "/bin/sh")
    (tmp_path / "bin" / "program").rename(tmp_path / "bin" / "splc")
    git(tmp_path / "repository", "init", "--quiet")
    shutil.copy(PROJECT / "system.uvl", tmp_path / "repository")
    commit(tmp_path / "repository", 300)
    return tmp_path / "repository"


def commit(folder: Path, tls: int, text: str = "") -> str:
    """Commit a version of the program, and return the commit before it."""
    shutil.copy(PROJECT / "program", folder)
    code = (PROJECT / "program").read_text(encoding="utf-8")
    (folder / "program").write_text(code.replace("tls=300", f"tls={tls}") + text, encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "a version")
    return git(folder, "rev-list", "--max-count=1", "--skip=1", "HEAD")


def run_action(repository: Path, base: str) -> tuple[int, str]:
    """Run the steps but the installation; return the exit code of the last one, and the text of the comment."""
    place, output = repository.parent, repository.parent / "output"
    runner = {"RUNNER_TEMP": str(place), "GITHUB_STEP_SUMMARY": str(place / "summary"), "GITHUB_OUTPUT": str(output)}
    runner |= {"GITHUB_REPOSITORY": "one/program", "PATH": f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    given = {**INPUTS, "base": base, "token": ""}
    known = {f"inputs.{name}": given.get(name, facts.get("default")) for name, facts in ACTION["inputs"].items()}
    known["github.event.pull_request.number"] = "5"
    code = 0
    for step in ACTION["runs"]["steps"][1:]:
        own = {name: known[text.strip("${} ")] for name, text in step["env"].items()}
        # As GitHub runs a step of bash.
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        folder = place if step["id"] == "comment" else repository
        done = subprocess.run(
            command, cwd=folder, env={**untraced(), **runner, **own}, capture_output=True, text=True, check=False
        )
        code = done.returncode
        assert step["id"] == "fail" or code == 0, f"{step['id']}: {done.stdout}{done.stderr}"
        pairs = [line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines()]
        known |= {f"steps.{step['id']}.outputs.{name}": value for name, value in pairs}
    return code, Path(known["steps.compare.outputs.comment"]).read_text(encoding="utf-8")


def test_a_slow_commit_fails_and_says_where(repository: Path) -> None:
    """The comment names each slower option with its interval; a later run rewrites it, and an equal commit passes."""
    place = repository.parent
    code, slow = run_action(repository, commit(repository, 600))
    assert code == 1
    assert (place / "comment").read_text(encoding="utf-8") == slow
    code, equal = run_action(repository, commit(repository, 600, "# nothing"))
    assert code == 0
    assert (place / "comment").read_text(encoding="utf-8") == equal
    assert (place / "summary").read_text(encoding="utf-8") == slow + equal
    calls = (place / "calls").read_text(encoding="utf-8").splitlines()
    assert calls == ["POST repos/one/program/issues/5/comments", "PATCH repos/one/program/issues/comments/7"]
    check_lines("action", [*slow.splitlines(), *equal.splitlines()])


def test_inputs_are_data() -> None:
    """No script has an expression in it, so that an input cannot add commands; every input is used or documented."""
    scripts = [step["run"] for step in ACTION["runs"]["steps"]]
    assert not [text for text in scripts if "${{" in text]
    page = (ROOT / "docs" / "howto" / "ci.md").read_text(encoding="utf-8")
    assert [name for name in ACTION["inputs"] if f"`{name}`" not in page] == []
