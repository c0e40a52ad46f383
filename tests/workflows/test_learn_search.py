"""The values that a search of settings tries, from texts."""

from __future__ import annotations

import pytest

from splc.errors import RequestError
from splc.workflows.learn.search import search_values


@pytest.mark.parametrize("text", ["form=[sum,product]", """form = ["sum", "product"]""", "form=['sum','product']"])
def test_texts_with_and_without_quotes(text: str) -> None:
    """Texts have quotes as in TOML, or none."""
    assert search_values([text, "order=[1]"]) == ({"form": ["sum", "product"], "order": ["1"]}, {})


@pytest.mark.parametrize("text", ["form=", "form=[]", 'form=["sum", ""]', "=[1]"])
def test_empty_values_are_refused(text: str) -> None:
    """A setting has a name and values."""
    with pytest.raises(RequestError, match="is not NAME="):
        search_values([text])
