"""Run the commands of a page: `python readme.py PAGE BIN FOLDER`, in FOLDER, with the programs of BIN first.

It needs the standard library only. `tests/test_documentation.py` compares what the commands print; here they only have
to end well, with an installed wheel.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

# What sets up an environment or a checkout.
SETTING_UP = re.compile(r"(make|python3? -m venv|pip|source|git)\b")


def main(page: str, programs: str, folder: str) -> int:
    """Run each `$ command` of the console blocks; return 1 after the first one that fails."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment["PATH"] = programs + os.pathsep + environment["PATH"]
    text = Path(page).read_text(encoding="utf-8")
    for block in re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for command in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
            if SETTING_UP.match(command):
                continue
            if command.startswith("cd "):
                folder = str(Path(folder, command[3:]))
                continue
            print("$", command, flush=True)
            done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, check=False)
            if done.returncode != 0:
                print(f"exit code {done.returncode}", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
