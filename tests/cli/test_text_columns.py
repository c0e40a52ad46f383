"""Commands with tables whose options are columns of text."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.cli.conftest import Run


def test_columns_of_text_in_the_wrong_role(folder: Path, run: Run) -> None:
    """A table of contexts is refused with the option that makes all of them options, and it works as it stands."""
    (folder / "system.xml").unlink()
    rng = np.random.default_rng(1)
    rows = [f"{rng.choice(['zlib', 'lz4'])},{rng.choice(['fast', 'slow'])},{1 + rng.random():.3f}" for _ in range(30)]
    Path("measurements.csv").write_text("\n".join(["machine,input,time", *rows]) + "\n", encoding="utf-8")
    refused = run("learn")
    assert refused.exit_code == 2
    assert "--options machine,input" in refused.stderr
    assert run("learn", "--options", "machine,input").exit_code == 0
    numbers = [f"{number % 4}.5,{row}" for number, row in enumerate(rows)]
    Path("measurements.csv").write_text("\n".join(["x,machine,input,time", *numbers]) + "\n", encoding="utf-8")
    refused = run("learn", "--options", "x")
    assert "if all of them are options: --options x,machine,input" in refused.stderr
    assert run("learn", "--options", "x,machine,input").exit_code == 0
