/* Signals from CSV files: the first column is time. */
#define _POSIX_C_SOURCE 200809L /* stat */
#include "file/file.h"
#include "reader.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_BYTES = 1 << 26 };

/* Reads times and one column of a csv file, at most 64 MiB, into the arena; errors name the node of the model file. */
phx_status phx_read_csv(phx_reader *reader, const phx_node *node, const char *path, const char *column,
                        phx_arena *arena, phx_file_table *table)
{
    struct stat info;
    phx_csv csv;
    if (stat(path, &info))
        return phx_reader_fail(reader, node, "cannot read '%s': %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode) || info.st_size > MAX_BYTES) /* a device or pipe may never end */
        return phx_reader_fail(reader, node, "cannot read '%s': a regular file of at most 64 MiB is expected", path);
    phx_status status = phx_csv_read(reader->context, path, column, &csv);
    if (status)
        return phx_reader_fail_again(reader, node, status);
    const size_t width = csv.n_columns > 1 && phx_csv_find(&csv, column) != 0 ? 2 : 1;
    table->count = (int)csv.n_rows;
    table->times = phx_arena_calloc(reader->context, arena, csv.n_rows, sizeof *table->times);
    table->values = phx_arena_calloc(reader->context, arena, csv.n_rows, sizeof *table->values);
    status = table->times && table->values ? PHX_OK : PHX_ERR_MEMORY;
    for (size_t k = 0; k < csv.n_rows && !status; k++) {
        table->times[k] = csv.values[k * width];
        table->values[k] = csv.values[k * width + width - 1];
    }
    phx_csv_free(&csv);
    return status;
}
