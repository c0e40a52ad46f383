"""Run five queries with settings of DuckDB, and print the CPU seconds of a pass as JSON.

`python queries.py NAME=VALUE…`, with 1 or 0 for each option of `system.uvl`.
"""

import json
import sys
import time

import duckdb  # type: ignore[import-not-found]

PASSES = 3
OPTIMIZERS = (
    "filter_pushdown",
    "join_order",
    "statistics_propagation",
    "unused_columns",
    "common_subexpressions",
    "top_n",
    "expression_rewriter",
)
QUERIES = (
    "SELECT city, kind, sum(price * amount), avg(price * amount) FROM sales GROUP BY city, kind ORDER BY 3",
    "SELECT c.region, sum(s.price) FROM sales s, cities c WHERE s.city = c.city AND c.region < 5 AND s.amount > 3 "
    "GROUP BY c.region",
    "SELECT * FROM sales ORDER BY price DESC LIMIT 20",
    "SELECT count(DISTINCT note), max(length(note)) FROM sales WHERE note LIKE '%7%'",
    "SELECT kind, count(*) FROM sales WHERE kind IN (1, 3, 5) AND amount BETWEEN 2 AND 8 GROUP BY kind",
)


def main() -> None:
    """Create the tables, and run the queries."""
    given = {name: value == "1" for name, _, value in (text.partition("=") for text in sys.argv[1:])}
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    connection.execute(f"SET preserve_insertion_order = {str(given['insertion_order']).lower()}")
    rows = 600_000 if given["large"] else 300_000
    note = "concat('note ', (i * 7919) % 50000)" if given["text"] else "(i * 7919) % 50000"
    connection.execute(
        "CREATE TABLE sales AS SELECT (i * 31) % 500 AS city, i % 7 AS kind, ((i * 7919) % 10007) / 10 AS price, "
        f"i % 11 AS amount, CAST({note} AS VARCHAR) AS note FROM range({rows}) t(i)"
    )
    connection.execute("CREATE TABLE cities AS SELECT i AS city, i % 20 AS region FROM range(500) t(i)")
    off = [name for name in OPTIMIZERS if not given[name]]
    connection.execute(f"SET disabled_optimizers = '{','.join(off)}'")
    seconds = []
    for _ in range(PASSES):
        start = time.process_time()
        for query in QUERIES:
            connection.execute(query).fetchall()
        seconds.append(time.process_time() - start)
    print(json.dumps({"cpu": min(seconds)}))


if __name__ == "__main__":
    main()
