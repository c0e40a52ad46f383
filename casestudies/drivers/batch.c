#include "batch.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const option_names[OPTIONS] = {"px", "py", "pz", "nx", "ny", "nz"};

enum { MESSAGES_SHOWN = 20, COLUMNS_AT_MOST = 64 };

/* hypre as Debian builds it counts cells and non-zeros in 32-bit integers. */
static const double CELLS_AT_MOST = INT_MAX;
static const double CELLS_PER_RANK_AT_MOST = INT_MAX / 8.0; /* at most 7 non-zeros per row */

struct reader {
    const char *name; /* of the file, as messages have it */
    size_t line;
    size_t problems;
};

__attribute__((format(printf, 2, 3))) static void complain(struct reader *reader, const char *format, ...) {
    if (reader->problems++ < MESSAGES_SHOWN) {
        va_list arguments;
        va_start(arguments, format);
        fprintf(stderr, "%s:%zu: ", reader->name, reader->line);
        vfprintf(stderr, format, arguments);
        fputc('\n', stderr);
        va_end(arguments);
    }
}

/* Strip white space and the quotes that some programs put around every cell. */
static char *stripped(char *cell) {
    while (isspace((unsigned char)*cell)) {
        cell++;
    }
    size_t length = strlen(cell);
    while (length > 0 && isspace((unsigned char)cell[length - 1])) {
        cell[--length] = '\0';
    }
    if (length >= 2 && cell[0] == '"' && cell[length - 1] == '"') {
        cell[length - 1] = '\0';
        cell++;
    }
    return cell;
}

/* Split a line in place. Returns the number of cells, also where it is larger than COLUMNS_AT_MOST. */
static int split(char *line, char *cells[COLUMNS_AT_MOST]) {
    int count = 0;
    for (char *rest = line; rest != NULL; count++) {
        char *comma = strchr(rest, ',');
        if (comma != NULL) {
            *comma++ = '\0';
        }
        if (count < COLUMNS_AT_MOST) {
            cells[count] = stripped(rest);
        }
        rest = comma;
    }
    return count;
}

static bool has_column(const struct batch *batch, enum option option) {
    for (int i = 0; i < batch->column_count; i++) {
        if (batch->columns[i] == option) {
            return true;
        }
    }
    return false;
}

static void read_header(struct reader *reader, char *line, struct demands demands, struct batch *batch) {
    char *cells[COLUMNS_AT_MOST];
    const int count = split(line, cells);
    for (int i = 0; i < count && i < COLUMNS_AT_MOST; i++) {
        int option = 0;
        while (option < OPTIONS && strcmp(cells[i], option_names[option]) != 0) {
            option++;
        }
        if (option == OPTIONS) {
            complain(reader, "column %d: '%s' is not an option; the options are px, py, pz, nx, ny, nz", i + 1,
                     cells[i]);
        } else if (has_column(batch, (enum option)option)) {
            complain(reader, "column %d: duplicate '%s'", i + 1, cells[i]);
        } else {
            batch->columns[batch->column_count++] = (enum option)option;
        }
    }
    if (reader->problems > 0) {
        return; /* what is missing follows from what is misspelt */
    }
    if (!has_column(batch, PX) || !has_column(batch, NX)) {
        complain(reader, "there is no column '%s'; at least px and nx are needed", has_column(batch, PX) ? "nx" : "px");
    }
    batch->dimension = has_column(batch, PZ) ? 3 : has_column(batch, PY) ? 2 : 1;
    if (has_column(batch, PZ) && !has_column(batch, PY)) {
        complain(reader, "there is a column 'pz' but no column 'py'; add it (py = 1 is a valid choice)");
    }
    for (int axis = 1; axis < 3; axis++) {
        const enum option grid = (enum option)(NX + axis);
        const enum option topology = (enum option)(PX + axis);
        if (has_column(batch, grid) && !has_column(batch, topology)) {
            complain(
                reader,
                "there is a column '%s' but no column '%s'; the topology's columns say how many dimensions there are",
                option_names[grid], option_names[topology]);
        }
    }
    if (reader->problems == 0 && batch->dimension < demands.smallest_dimension) {
        complain(reader, "the problem is %d-dimensional here: the columns px, py and pz are needed",
                 demands.smallest_dimension);
    }
}

/* Return the positive whole number that a cell holds, 0 where it holds none. */
static int whole_number(const char *cell) {
    char *end = NULL;
    errno = 0;
    /* Programs that keep all columns as floating-point numbers write 4 as 4.0. */
    const double value = strtod(cell, &end);
    const bool read = end != cell && *end == '\0' && errno == 0;
    const bool whole = read && value >= 1.0 && value <= INT_MAX && value == floor(value);
    return whole ? (int)value : 0;
}

static void check_sizes(struct reader *reader, const struct configuration *row, struct demands demands) {
    const double ranks = (double)row->value[PX] * row->value[PY] * row->value[PZ];
    const double cells = (double)row->value[NX] * row->value[NY] * row->value[NZ];
    if (ranks != demands.ranks) {
        complain(reader, "px * py * pz = %.0f, but the number of ranks is %d: start it by 'mpirun -n %.0f'", ranks,
                 demands.ranks, ranks);
    } else if (cells > CELLS_PER_RANK_AT_MOST || cells * ranks > CELLS_AT_MOST) {
        complain(reader, "%.0f cells on each of %.0f ranks are too many: hypre counts in 32-bit integers", cells,
                 ranks);
    }
}

static void read_row(struct reader *reader, char *line, struct demands demands, struct batch *batch, size_t *capacity) {
    char *cells[COLUMNS_AT_MOST];
    const int count = split(line, cells);
    if (count != batch->column_count) {
        complain(reader, "there are %d cells, but the header has %d columns", count, batch->column_count);
        return;
    }
    const size_t before = reader->problems;
    struct configuration row = {.value = {1, 1, 1, 0, 0, 0}};
    for (int i = 0; i < count; i++) {
        const enum option option = batch->columns[i];
        row.value[option] = whole_number(cells[i]);
        if (row.value[option] == 0) {
            complain(reader, "column %d (%s): '%s' is not a whole number from 1 to %d", i + 1, option_names[option],
                     cells[i], INT_MAX);
        }
    }
    if (reader->problems > before) {
        return;
    }
    /* The grid is as large in y and z as it is in x, unless columns say otherwise; a dimension less is one cell thick.
     */
    for (int axis = 1; axis < 3; axis++) {
        if (row.value[NX + axis] == 0) {
            row.value[NX + axis] = axis < batch->dimension ? row.value[NX] : 1;
        }
    }
    check_sizes(reader, &row, demands);
    if (batch->count == *capacity) {
        *capacity = *capacity > 0 ? 2 * *capacity : 64;
        struct configuration *larger = realloc(batch->rows, *capacity * sizeof *larger);
        if (larger == NULL) {
            fprintf(stderr, "there is not enough memory for the configurations\n");
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        batch->rows = larger;
    }
    batch->rows[batch->count++] = row;
}

/* Read the table. Returns the number of problems, which have been said. */
static size_t read_table(const char *path, struct demands demands, struct batch *batch) {
    const bool standard_input = strcmp(path, "-") == 0;
    FILE *file = standard_input ? stdin : fopen(path, "r");
    if (file == NULL) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return 1;
    }
    struct reader reader = {.name = standard_input ? "<stdin>" : path};
    char *line = NULL;
    size_t size = 0;
    size_t capacity = 0;
    bool header = false;
    for (ssize_t length; (length = getline(&line, &size, file)) >= 0;) {
        reader.line++;
        char *text = line;
        if (reader.line == 1 && strncmp(text, "\xEF\xBB\xBF", 3) == 0) {
            text += 3; /* the byte order mark of some editors */
        }
        if (strlen(line) != (size_t)length) {
            complain(&reader, "there is a NUL byte: this is no text file");
            break;
        }
        if (*stripped(text) == '\0') {
            continue;
        }
        if (header) {
            read_row(&reader, text, demands, batch, &capacity);
        } else {
            read_header(&reader, text, demands, batch);
            header = true;
            if (reader.problems > 0) {
                break; /* rows cannot be read without knowing their columns */
            }
        }
    }
    if (ferror(file)) {
        fprintf(stderr, "%s: %s\n", reader.name, strerror(errno));
        reader.problems++;
    } else if (!header && reader.problems == 0) {
        fprintf(stderr, "%s: the table is empty; its first line has to name the columns, such as px,py,pz,nx\n",
                reader.name);
        reader.problems++;
    } else if (reader.problems > MESSAGES_SHOWN) {
        fprintf(stderr, "%s: and %zu more\n", reader.name, reader.problems - MESSAGES_SHOWN);
    }
    free(line);
    if (!standard_input) {
        fclose(file);
    }
    return reader.problems;
}

bool read_batch(const char *path, struct demands demands, struct batch *batch) {
    *batch = (struct batch){0};
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* Only the first rank has standard input, and the ranks need not share a file system. */
    int right = 1;
    if (rank == 0) {
        right = read_table(path, demands, batch) == 0;
    }
    PMPI_Bcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!right) {
        free_batch(batch);
        return false;
    }
    struct configuration *rows = batch->rows;
    PMPI_Bcast(batch, sizeof *batch, MPI_BYTE, 0, MPI_COMM_WORLD);
    batch->rows = rows;
    if (rank != 0) {
        batch->rows = malloc((batch->count > 0 ? batch->count : 1) * sizeof *batch->rows);
        if (batch->rows == NULL) {
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    for (size_t i = 0; i < batch->count; i++) {
        PMPI_Bcast(&batch->rows[i], sizeof batch->rows[i], MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    return true;
}

void free_batch(struct batch *batch) {
    free(batch->rows);
    *batch = (struct batch){0};
}
