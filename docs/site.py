"""The hook of `make docs`: it adds the pages of commands and notebooks, and what pages outside of docs show or link."""

from __future__ import annotations

import json
import posixpath
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files
from reference_pages import command_page, with_settings

from splc.cli.app import COMMANDS

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")
PICTURES = {".png", ".svg"}
COLAB = "https://colab.research.google.com/github/splc-project/splc/blob"
API = "reference/api.md"
CONFIGURATION = "reference/configuration.md"
PACKAGES = (
    "splc",
    "sampling",
    "splc.learning",
    "splc.scaling",
    "splc.calibration",
    "comparison",
    "splc.tuning",
    "splc.study",
)


def on_config(config: Any) -> Any:
    """Fill in the sections of the navigation that are lists of files."""
    decisions = sorted(path.name for path in (ROOT / "docs" / "decisions").glob("*.md"))
    lists = {
        "Commands": [f"reference/commands/{name}.md" for name in COMMANDS],
        "Decisions": [f"decisions/{name}" for name in decisions],
    }
    for section in config.nav:
        for content in section.values():
            for each in content if isinstance(content, list) else ():
                if isinstance(each, dict):
                    each.update({title: lists[title] for title in each if title in lists})
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add a page for each command, and the pictures outside of docs that pages show."""
    for name in COMMANDS:
        files.append(File.generated(config, f"reference/commands/{name}.md", content=command_page(name)))
    for notebook in [each for each in files if each.src_uri.endswith(".ipynb")]:
        page = str(Path(notebook.src_uri).with_suffix(".md"))
        files.append(File.generated(config, page, content=notebook_page(notebook.src_uri, notebook.content_string)))
    for page in [each for each in files if each.src_uri.endswith(".md") and each.generated_by is None]:
        for target in outside(page.src_uri, page.content_string):
            if Path(target).suffix in PICTURES and files.get_file_from_path(target) is None:
                files.append(File.generated(config, target, content=(ROOT / target).read_bytes()))
    return files


def notebook_page(file: str, content: str) -> str:
    """Return the page of a notebook: its cells, and links that open it."""
    cells = json.loads(content)["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    blocks = [
        f"```python\n{text}\n```" if cell["cell_type"] == "code" else text
        for cell, text in zip(cells, texts, strict=True)
    ]
    url, name = f"{COLAB}/main/docs/{file}", posixpath.basename(file)
    title, _, rest = blocks[0].partition("\n")
    buttons = f"[Open in Colab]({url}){{ .md-button }} [Download the notebook](./{name}){{ .md-button }}"
    return "\n\n".join([title, buttons, rest.strip(), *blocks[1:]])


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Let links lead out of docs to the repository, pictures to their copies, and insert what the code generates."""

    def replaced(match: re.Match[str]) -> str:
        sign, text, target, anchor = match[1], match[2], match[3], match[4] or ""
        found = resolved(page.file.src_uri, target)
        if found is None:
            # Notebooks of the tutorials have pages; the button on these is the only link to the file.
            linked = target.endswith(".ipynb") and not target.startswith("./")
            return f"[{text}]({target.removesuffix('.ipynb')}.md{anchor})" if linked else match[0]
        if Path(found).suffix in PICTURES and sign:
            return f"![{text}]({posixpath.relpath(found, posixpath.dirname(page.file.src_uri))})"
        kind = "tree" if (ROOT / found).is_dir() else "blob"
        return f"{sign}[{text}]({config.repo_url}/{kind}/main/{found}{anchor})"

    if page.file.src_uri == CONFIGURATION:
        markdown = with_settings(markdown)
    signatures = [reference_of(package) for package in PACKAGES] if page.file.src_uri == API else []
    return "\n\n".join([LINK.sub(replaced, markdown), *signatures])


def outside(page: str, text: str) -> list[str]:
    """Return what a page links outside of docs, from the root of the repository."""
    found = (resolved(page, match[3]) for match in LINK.finditer(text))
    return [target for target in found if target is not None]


def resolved(page: str, target: str) -> str | None:
    """Return the path of a linked file or folder of the repository outside of docs, None for all other links."""
    if "://" in target:
        return None
    path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), target))
    is_outside = not path.startswith("docs/") or (ROOT / path).is_dir()
    return path if is_outside and (ROOT / path).exists() else None


def reference_of(package: str) -> str:
    """Return the directives of mkdocstrings for the public functions and classes of a package."""
    module = import_module(package)
    values = {name: getattr(module, name) for name in module.__all__}
    blocks = [f"## Signatures of {package}"]
    for name, value in values.items():
        if isinstance(value, type) or callable(value):
            blocks.append(
                f"::: {value.__module__}.{value.__qualname__}\n    options:\n      heading: {package}.{name}"
                f"\n      toc_label: {package}.{name}"
            )
    return "\n\n".join(blocks) if len(blocks) > 1 else ""
