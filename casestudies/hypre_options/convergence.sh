#!/bin/sh
# Measure how fast solves converge, also of those that do not: ./convergence.sh CONFIGURATIONS OUTPUT.
. "$(dirname "$0")/solver.sh"
configurations=${1:-2000} output=${2:-convergence-16.new.csv}
exec splc measure $settings --sampling "random:$configurations,seed=1" --order random \
    --column anisotropy=30 --column cells=16 \
    --command "sh -c '$solver nx={cells} ny={cells} nz={cells} anisotropy={anisotropy} || true'" \
    --property reduction=csv:reduction --property iterations=csv:iterations -o "$output"
