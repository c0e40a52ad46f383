#!/bin/sh
# Tune the solver itself: ./tune.sh SEEDS OUTPUT RUNS: a search for each seed, 16 cells along each axis, anisotropy 30.
# OUTPUT has what each search states as its best.
. "$(dirname "$0")/solver.sh"
seeds=${1:-20} output=${2:-tuned.new.csv} runs=${3:-60}
echo runs,seed,work_units >"$output"
for seed in $(seq 0 $((seeds - 1))); do
    folder=$(mktemp -d)
    splc tune $settings --budget "$runs" --seed "$seed" --command "$solver anisotropy=30" --property work_units=csv:work_units \
        -o "$folder/tuned.csv" --json >"$folder/result.json" || true
    python3 -c "import json, sys; print(*sys.argv[1:3], json.load(open(sys.argv[3]))['best']['value'], sep=',')" \
        "$runs" "$seed" "$folder/result.json" >>"$output"
    rm -r "$folder"
done
