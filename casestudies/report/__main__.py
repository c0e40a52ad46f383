"""`python -m casestudies.report`: run all studies, and write the pages and the figures with their results."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from casestudies.report.communication import PICTURE, PICTURED, counts_picture
from casestudies.report.figures import FIGURES, name_of, picture
from casestudies.report.page import with_blocks
from casestudies.report.report import pages
from casestudies.report.studies import HERE, KINDS, done
from splc.io.files import write_whole


def main() -> int:
    """Write the pages, or check that they agree with the studies."""
    from joblib import cpu_count

    parser = argparse.ArgumentParser(prog="python -m casestudies.report", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a page is another one")
    parser.add_argument("--jobs", type=int, default=cpu_count(), help="processes that learn; default: one per core")
    chosen = parser.parse_args()

    def tell(text: str) -> None:
        print(text, file=sys.stderr)

    cases = [done(kind, jobs=chosen.jobs, tell=tell) for kind in KINDS]
    others = 0
    for name, blocks in pages(cases).items():
        path = HERE / name
        before = path.read_text(encoding="utf-8")
        page = with_blocks(before, blocks)
        others += page != before
        if chosen.check:
            tell(f"{path}: {'as the studies give it' if page == before else 'differs from what the studies give'}")
        elif page != before:
            write_whole(path, page)
        if not chosen.check:
            tell(str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path))
    if chosen.check:
        return int(others > 0)
    folder = HERE / "figures"
    folder.mkdir(exist_ok=True)
    by_folder = {case.kind.folder: case for case in cases}
    for figure in FIGURES:
        write_whole(folder / name_of(figure), picture(figure, by_folder))
    write_whole(folder / PICTURE, counts_picture(by_folder[PICTURED]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
