#include "settings.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct settings defaults = {
    .repeat = 1, .warmup = 1, .tolerance = 1e-6, .min_seconds = 0.005, .levels = NULL, .path = "-"};

static void print_help(const char *name, const char *summary, bool with_levels) {
    printf("Usage: mpirun -n RANKS %s [OPTION]... [CONFIGURATIONS]\n\n%s\n\n", name, summary);
    printf("CONFIGURATIONS is a CSV file with a column for each option (px, py, pz, nx, ny, nz), all with\n"
           "px * py * pz = RANKS; without it, or for -, it is read from standard input. Prints one row of CSV per\n"
           "configuration and repetition as soon as it is measured; all configurations are measured once before\n"
           "the first one is measured again.\n\n");
    printf("  --repeat N        measurements of each configuration (%d)\n", defaults.repeat);
    printf("  --warmup N        unrecorded runs of the first configuration before all others (%d)\n", defaults.warmup);
    printf("  --tolerance T     relative residual at which a solve is done (%g)\n", defaults.tolerance);
    printf("  --min-seconds S   a configuration solved faster is run again until S are used up (%g)\n",
           defaults.min_seconds);
    if (with_levels) {
        printf("  --levels FILE     write what the levels of the hierarchy are, and cost, as CSV\n");
    }
    printf("  --help            print this\n\n");
    printf("Exit status: 0 done, 1 done but some solve did not reach the tolerance, 2 wrong input: nothing was "
           "measured.\n");
}

/* Read a whole number from `least` on. */
static bool read_count(const char *text, int least, int *count) {
    char *end = NULL;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < least || value > INT_MAX) {
        return false;
    }
    *count = (int)value;
    return true;
}

static bool read_number(const char *text, double *number) {
    char *end = NULL;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*number);
}

enum reading read_settings(int argc, char **argv, const char *name, const char *summary, bool with_levels, bool speak,
                           struct settings *settings) {
    static const struct option known[] = {
        {"repeat", required_argument, NULL, 'r'},
        {"warmup", required_argument, NULL, 'w'},
        {"tolerance", required_argument, NULL, 't'},
        {"min-seconds", required_argument, NULL, 'm'},
        {"help", no_argument, NULL, 'h'},
        {"levels", required_argument, NULL, 'l'},
        {NULL, 0, NULL, 0},
    };
    *settings = defaults;
    opterr = 0; /* or every rank would print getopt's messages */
    const char *wrong = NULL;
    for (int option; wrong == NULL && (option = getopt_long(argc, argv, ":", known, NULL)) != -1;) {
        switch (option) {
        case 'r':
            wrong = read_count(optarg, 1, &settings->repeat) ? NULL : "--repeat takes a whole number from 1 on";
            break;
        case 'w':
            wrong = read_count(optarg, 0, &settings->warmup) ? NULL : "--warmup takes a whole number from 0 on";
            break;
        case 't':
            if (!read_number(optarg, &settings->tolerance) || settings->tolerance <= 0.0 ||
                settings->tolerance >= 1.0) {
                wrong = "--tolerance takes a number between 0 and 1";
            }
            break;
        case 'm':
            if (!read_number(optarg, &settings->min_seconds) || settings->min_seconds < 0.0) {
                wrong = "--min-seconds takes a number of seconds, 0 for no repetition";
            }
            break;
        case 'l':
            settings->levels = optarg;
            wrong = with_levels ? NULL : "--levels: this solver has no levels to tell about, only amg has";
            break;
        case 'h':
            if (speak) {
                print_help(name, summary, with_levels);
            }
            return HELP_SHOWN;
        case ':':
            if (speak) {
                fprintf(stderr, "%s: the option '%s' lacks its value\n", name, argv[optind - 1]);
            }
            return WRONG_USAGE;
        default:
            if (speak) {
                fprintf(stderr, "%s: unknown option '%s'; --help lists the known ones\n", name, argv[optind - 1]);
            }
            return WRONG_USAGE;
        }
    }
    if (wrong == NULL && argc - optind > 1) {
        wrong = "there is more than one file of configurations";
    }
    if (wrong != NULL) {
        if (speak) {
            fprintf(stderr, "%s: %s\n", name, wrong);
        }
        return WRONG_USAGE;
    }
    if (optind < argc) {
        settings->path = argv[optind];
    }
    return READY;
}
