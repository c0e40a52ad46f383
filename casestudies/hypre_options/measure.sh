#!/bin/sh
# Measure this case study again: ./measure.sh CELLS CONFIGURATIONS OUTPUT: on a grid of CELLS cells along each axis, for three
# anisotropies. Needs the drivers (make drivers).
set -e
cd "$(dirname "$0")"
cells=${1:-16} configurations=${2:-600} output=${3:-measurements-$cells.new.csv}
options=
for name in coarsening interpolation smoother cycle pmax truncation threshold row_sum aggressive weight down up; do
    options="$options $name={$name}"
done
exec splc measure --system system.uvl --sampling "random:$configurations,seed=1" --order random \
    --column anisotropy=1 --column anisotropy=30 --column anisotropy=1000 --column "cells=$cells" \
    --command "../drivers/build/amg_options pcg={pcg?1|0} order={order?1|0}$options nx={cells} ny={cells} nz={cells} anisotropy={anisotropy}" \
    --env OPENBLAS_NUM_THREADS=1 --env OMPI_ALLOW_RUN_AS_ROOT=1 --env OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    --env OMPI_MCA_ess_singleton_isolated=1 --env OMPI_MCA_btl=self --env OMPI_MCA_pml=ob1 --keep-going \
    --property work_units=csv:work_units --property iterations=csv:iterations \
    --property operator_complexity=csv:operator_complexity --property setup_seconds=csv:setup_seconds \
    --property solve_seconds=csv:solve_seconds -o "$output"
