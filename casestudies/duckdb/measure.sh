#!/bin/sh
# Measure two releases of DuckDB in turn: ./measure.sh PAIRS SEED OUTPUT (a second per pair; needs pip and splc).
set -e
pairs=${1:-20} seed=${2:-1} output=${3:-versions.new.csv}
for version in 0.9.2 1.1.3; do
    [ -d "duckdb-$version" ] || python3 -m pip install --quiet --target "duckdb-$version" "duckdb==$version"
done
splc sample --system system.uvl --pairs "$pairs" --seed "$seed" -o pairs.csv
options=
for name in large text insertion_order filter_pushdown join_order statistics_propagation unused_columns \
    common_subexpressions top_n expression_rewriter; do
    options="$options $name={$name}"
done
splc measure pairs.csv --system system.uvl --column version=0.9.2 --column version=1.1.3 \
    --command "env PYTHONPATH=duckdb-{version} python3 queries.py$options" --property cpu=json:cpu -o "$output"
splc changed --system system.uvl --measurements "$output" --by version
