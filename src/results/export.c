/* Results for other programs: which format, of which file. */
#include "h5.h"
#include "plot.h"

#include <string.h>

typedef phx_status exporter(phx_context *context, const char *path, const char *output, int most_frames);

/* What of the formats there is of each kind of file. */
typedef struct export_row {
    phx_export_format format;
    exporter *simulation;
} export_row;

static const export_row rows[] = {
    {{"vtk", "_vtk", "motion.pvd"}, phx_export_vtk},
    {{"xdmf", "_xdmf", "motion.xmf"}, phx_export_xdmf},
};
enum { ROWS = sizeof rows / sizeof *rows };

int phx_export_formats(void)
{
    return ROWS;
}

const phx_export_format *phx_export_format_at(int k)
{
    return &rows[k].format;
}

static const export_row *find(const char *format)
{
    for (int k = 0; k < ROWS; k++)
        if (strcmp(rows[k].format.name, format) == 0)
            return &rows[k];
    return NULL;
}

phx_status phx_export(phx_context *context, const char *path, const char *format, const char *output, int most_frames)
{
    const export_row *row = find(format);
    if (!row)
        return phx_fail(context, PHX_ERR_INPUT, "'%s' is no format to export to", format);
    return row->simulation(context, path, output, most_frames);
}
