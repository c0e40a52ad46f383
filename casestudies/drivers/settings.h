/* The command line of the drivers. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>

struct settings {
    int repeat;
    int warmup;
    double tolerance;   /* of the relative residual */
    double min_seconds; /* where a solve takes less, several runs are averaged */
    const char *levels; /* the file for the levels' table, NULL for none */
    const char *path;   /* of the configurations, "-" for standard input */
};

enum reading { READY, HELP_SHOWN, WRONG_USAGE };

/* Read the command line; `with_levels` says whether the driver has --levels. Only the rank that is to `speak`
 * prints what is wrong (stderr), or the help (stdout). */
enum reading read_settings(int argc, char **argv, const char *name, const char *summary, bool with_levels, bool speak,
                           struct settings *settings);

#endif
