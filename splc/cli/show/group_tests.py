"""Statistical comparisons of groups as JSON objects."""

from __future__ import annotations

from splc.io.json_object import JsonObject, at


class GroupObject(JsonObject):
    """A group: the number of its values, and their median."""

    group: str
    values: int
    median: float


class PairTestObject(JsonObject):
    """Two groups compared by Dunn's test and by A12, the probability that a value of the first group is larger."""

    first: str
    second: str
    p_value: float
    a12: float
    magnitude: str


class GroupTestObject(JsonObject):
    """Several groups compared by the test of Kruskal and Wallis."""

    groups: list[GroupObject] = at(
        lambda test: [
            {"group": name, "values": size, "median": test.medians[name]} for name, size in test.sizes.items()
        ]
    )
    kruskal_wallis: float | None = at("statistic")
    p_value: float | None
    correction: str
    pairs: list[PairTestObject]
