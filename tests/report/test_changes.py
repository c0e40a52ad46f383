"""Reports of two models: the options whose effects changed, and no others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from lxml import html

from splc.errors import SplcError
from splc.report import Request, run
from splc.workflows import learn


@pytest.fixture
def learned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return a function that learns from a made table of 16 configurations and names the file of the model."""
    monkeypatch.chdir(tmp_path)

    def learned(name: str, nfp: str = "time", noise: float = 0.01, **influences: float) -> str:
        rng = np.random.default_rng(len(name))
        lines = [f"{','.join('abcd')},{nfp}"]
        for row in range(16):
            values = dict(zip("abcd", (row >> at & 1 for at in range(4)), strict=True))
            total = 100 + sum(influences.get(option, 5.0) * value for option, value in values.items())
            lines.append(f"{','.join(map(str, values.values()))},{total * (1 + noise * rng.standard_normal())}")
        Path(f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        learn.run(learn.Request(measurements=f"{name}.csv", output=f"{name}.json"))
        return f"{name}.json"

    return learned


def changed(*models: str) -> list[str]:
    """Return the options whose effects changed, as the report lists them."""
    run(Request(models=models))
    page = html.document_fromstring(Path("report.html").read_text(encoding="utf-8"))
    return [str(row[0].text).split(":")[0] for row in page.cssselect("table[data-name=changes] tbody tr")]


def test_one_changed_effect(learned: Callable[..., str]) -> None:
    """Only the option whose influence changed is listed; the mean of both models is the answer."""
    assert changed(learned("one", b=5.0), learned("second", b=25.0)) == ["b"]
    answer = html.document_fromstring(Path("report.html").read_text(encoding="utf-8")).cssselect(".answer .first")[0]
    assert "one.json" in str(answer.text)
    assert "second.json" in str(answer.text)


def test_without_change(learned: Callable[..., str]) -> None:
    """Two samples of one system differ in no effect."""
    assert changed(learned("one"), learned("second")) == []


def test_other_properties(learned: Callable[..., str]) -> None:
    """Models of different properties are refused."""
    with pytest.raises(SplcError, match="the models predict different properties: time and size"):
        changed(learned("one", nfp="time"), learned("second", nfp="size"))
