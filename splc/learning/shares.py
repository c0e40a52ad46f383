"""The shares of the terms of a model in its predictions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splc.data.configurations import Configurations
from splc.io.presentation import Bars
from splc.models.influence import InfluenceModel

# Larger shares, in percent, mean that terms cancel.
_WHOLE = 100 + 1e-6


@dataclass(frozen=True)
class TermShares:
    """The shares of the terms of a model."""

    # mean contribution / mean prediction of each term, in percent (negative for a term that lowers it); None where the
    # mean prediction is 0, and for a model whose terms do not add up to the prediction (a log link)
    values: tuple[float | None, ...]
    # whether they are mean |contribution| / sum of these over all terms instead, with the sign of the mean
    # contribution: terms cancel, so that the others would be above 100 %
    absolute: bool = False


def term_shares(model: InfluenceModel, configurations: Configurations) -> TermShares:
    """Return the share of each term in the mean prediction."""
    sums, sizes = np.zeros(len(model.terms)), np.zeros(len(model.terms))
    for _, contributions in model.contribution_blocks(configurations):
        sums += contributions.sum(axis=0)
        sizes += np.abs(contributions).sum(axis=0)
    total = float(sums.sum())
    if model.link != "identity" or total == 0:
        return TermShares((None,) * len(model.terms))
    shares = sums / total * 100
    absolute = bool((np.abs(shares) > _WHOLE).any())
    if absolute:
        shares = np.where(sums < 0, -1.0, 1.0) * sizes / sizes.sum() * 100
    return TermShares(tuple(shares.tolist()), absolute)


def share_bars(model: InfluenceModel, configurations: Configurations) -> Bars:
    """Return the shares of the terms as bars; of a product, its influences."""
    shares = term_shares(model, configurations)
    rows = [(term.text(model.order), share) for (term, _), share in zip(model.terms, shares.values, strict=True)]
    bars = [(text, share) for text, share in rows if share is not None]
    if not bars:
        return model.bars
    whole_text = "all contributions" if shares.absolute else "the mean prediction"
    return Bars(f"share of {whole_text} on the configurations learned from, in percent", bars)
