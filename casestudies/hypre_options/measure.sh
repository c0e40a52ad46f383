#!/bin/sh
# Measure this case study again: ./measure.sh CELLS CONFIGURATIONS OUTPUT: on a grid of CELLS cells along each axis, for three
# anisotropies.
. "$(dirname "$0")/solver.sh"
cells=${1:-16} configurations=${2:-2000} output=${3:-measurements-$cells.new.csv}
exec splc measure $settings --sampling "random:$configurations,seed=1" --order random \
    --column anisotropy=1 --column anisotropy=30 --column anisotropy=1000 --column "cells=$cells" \
    --command "$solver nx={cells} ny={cells} nz={cells} anisotropy={anisotropy}" \
    --property work_units=csv:work_units --property iterations=csv:iterations \
    --property operator_complexity=csv:operator_complexity --property setup_seconds=csv:setup_seconds \
    --property solve_seconds=csv:solve_seconds -o "$output"
