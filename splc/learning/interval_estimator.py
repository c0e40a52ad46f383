"""The interface of estimators whose predictions have intervals, and may be of several groups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal, overload

from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from splc.types import Array


class IntervalRegressor(RegressorMixin, BaseEstimator, ABC):
    """A regressor whose `predict` can return intervals."""

    @overload
    def predict(self, X: Any, return_interval: Literal[False] = False) -> Array: ...

    @overload
    def predict(self, X: Any, return_interval: Literal[True]) -> tuple[Array, Array, Array]: ...

    def predict(self, X: Any, return_interval: bool = False) -> Array | tuple[Array, Array, Array]:
        """Return predictions, shape (n,), for X of shape (n, features)."""
        check_is_fitted(self)
        X = self._numbers(X)
        predicted = self._predicted(X)
        return (predicted, *self._interval(X)) if return_interval else predicted

    def _numbers(self, X: Any) -> Array:
        """Return the rows to predict as numbers, shape (n, features)."""
        numbers: Array = validate_data(self, X, reset=False).astype(float)
        return numbers

    @abstractmethod
    def _predicted(self, X: Array) -> Array:
        """Return predictions, shape (n,)."""

    @abstractmethod
    def _interval(self, X: Array) -> tuple[Array, Array]:
        """Return the lower and upper ends of prediction intervals, each of shape (n,)."""
