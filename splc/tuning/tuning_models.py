"""The models of a tuning run: of all runs to search with, and of the measured values alone to judge by."""

from __future__ import annotations

from splc.learning.active.search_model import SearchModel
from splc.learning.projection import Variable
from splc.tuning.history import History
from splc.tuning.objective import TuningObjective


class TuningModels:
    """The models of the properties of a tuning run, each of which starts from the last one.

    The search needs values of failed runs, so that it leaves their surroundings. These are no measurements: they make
    the predictions of what was measured near them worse, so that the best configuration is judged without them.

    Args:
        history: the runs.
        objective: what is looked for.
        variables: the variables of the system.

    Attributes:
        searched: property → the last model to search with.
        judged: property → the last model to judge by.
    """

    def __init__(self, history: History, objective: TuningObjective, variables: tuple[Variable, ...]) -> None:
        self.history, self.objective, self.variables = history, objective, variables
        self.searched: dict[str, SearchModel] = {}
        self.judged: dict[str, SearchModel] = {}

    def search(self) -> SearchModel | None:
        """Return the model of the property given the values of all runs; None before there are values."""
        self.searched = self._models(self.searched, imputed=True)
        return self.searched.get(self.objective.nfp)

    def judge(self) -> SearchModel | None:
        """Return the model of the property given its measured values; None before there are values."""
        if not self.history.has_unmeasured:
            self.search()
            self.judged = self.searched
        else:
            self.judged = self._models(self.judged, imputed=False)
        return self.judged.get(self.objective.nfp)

    def _models(self, before: dict[str, SearchModel], *, imputed: bool) -> dict[str, SearchModel]:
        models = {}
        for nfp in self.objective.properties:
            large = self.objective.wants_large(nfp)
            runs = self.history.runs(nfp, large, imputed=imputed)
            if runs is not None:
                models[nfp] = SearchModel.of(runs, self.variables, large, before.get(nfp))
        return models
