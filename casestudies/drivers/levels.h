/* What the levels of a BoomerAMG hierarchy are, and what a solve spends on each. */
#ifndef LEVELS_H
#define LEVELS_H

#include <strings.h> /* hypre's header calls ffs without it */

#include <_hypre_parcsr_ls.h>
#include <stdio.h>

#define LEVEL_WORK(part) part "_seconds," part "_compute_seconds," part "_messages," part "_bytes," part "_calls"

/* Symbols as in the baseline model of Gahvari et al. (2011), `hat` for those of interpolation. */
#define LEVEL_COLUMNS                                                                                                  \
    "level,levels,iterations,ranks,C,nnz,s,nnzP,shat,p,n,phat,nhat," LEVEL_WORK("smoothing") "," LEVEL_WORK(           \
        "residual") "," LEVEL_WORK("restriction") "," LEVEL_WORK("interpolation")

/* From now on add what hypre does on the levels of this hierarchy to what it has done; NULL: no longer. */
void watch_levels(hypre_ParAMGData *hierarchy);

/* Write a row per level, and forget what has been watched. `solves`: how many solves have been watched; `table` is
 * NULL on all ranks but the first. To be called by all ranks. */
void print_levels(hypre_ParAMGData *hierarchy, int iterations, int solves, const char *start, FILE *table);

/* Non-zeros of the matrix on a level. */
double level_non_zeros(hypre_ParAMGData *hierarchy, int level);

#endif
