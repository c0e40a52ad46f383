"""The effect of each value of the most important options."""

from __future__ import annotations

import numpy as np

from splc.plotting.charts.effects import effects_chart
from splc.report.page import Section
from splc.report.subject import ModelSubject
from splc.workflows.explain.pictures import effect_of

# Options with a smaller share of the variance are not drawn.
MIN_SHARE = 0.002


def effects_section(subject: ModelSubject) -> Section | None:
    """Return the effects of options; None where no option matters."""
    rows = subject.rows
    measured = np.zeros(0) if rows is None else rows.measured
    options = [option for option in subject.overview.options if option.share >= MIN_SHARE and len(option.values) > 1]
    if not options:
        return None
    product = subject.stored.model.link == "log"
    effects = [effect_of(option, None if rows is None else rows.configurations, product=product) for option in options]
    return Section("effects", "The effect of each option", (effects_chart(effects, measured, subject.quantity),))
