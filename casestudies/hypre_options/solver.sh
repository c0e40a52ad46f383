# The command of the solver and how it is run, for the other scripts. Needs the drivers (make drivers).
set -e
cd "$(dirname "$0")"
options=
for name in coarsening interpolation smoother cycle pmax truncation threshold row_sum aggressive weight down up; do
    options="$options $name={$name}"
done
solver="../drivers/build/amg_options pcg={pcg?1|0} order={order?1|0}$options"
# One process without mpirun.
settings="--system system.uvl --keep-going --env OPENBLAS_NUM_THREADS=1 --env OMPI_ALLOW_RUN_AS_ROOT=1
    --env OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 --env OMPI_MCA_ess_singleton_isolated=1 --env OMPI_MCA_btl=self --env OMPI_MCA_pml=ob1"
