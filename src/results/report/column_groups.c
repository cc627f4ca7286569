/* Columns of a result that belong in one diagram. */
#include "column_groups.h"

#include <stdio.h>
#include <string.h>

enum { FIXED_COLUMNS = 4 };

/* The columns that every simulation has. */
static const struct {
    const char *title;
    const char *columns[FIXED_COLUMNS];
    bool logarithmic, work;
} fixed[] = {
    {"Energy", {"kinetic", "elastic", "potential", "energy"}, false, false},
    {"Work since the start", {"supplied", "dissipated"}, false, true},
    {"Residual of the energy balance", {"residual"}, true, false},
    {"Drift of the joints", {"drift", "drift_rate"}, true, false},
};
enum { FIXED = sizeof fixed / sizeof *fixed };

bool phx_column_is_fixed(const char *name)
{
    for (int i = 0; i < FIXED; i++)
        for (int k = 0; k < FIXED_COLUMNS && fixed[i].columns[k]; k++)
            if (strcmp(fixed[i].columns[k], name) == 0)
                return true;
    return false;
}

/* Columns one after the other are of one vector: the same output and unit. */
static bool same_vector(const phx_plot_source *source, int a, int b)
{
    const char *name_a = phx_plot_source_name(source, a), *name_b = phx_plot_source_name(source, b);
    const size_t length = phx_plot_stem(name_a);
    return phx_plot_stem(name_b) == length && name_a[length] && name_b[length] &&
           strncmp(name_a, name_b, length) == 0 &&
           strcmp(phx_plot_source_unit(source, a), phx_plot_source_unit(source, b)) == 0;
}

static void column_groups_add(const phx_plot_source *source, phx_column_group *group, int column, const char *label)
{
    const char *unit = phx_plot_source_unit(source, column);
    group->unit = group->count == 0 || strcmp(unit, group->unit) == 0 ? unit : "";
    group->labels[group->count] = label;
    group->columns[group->count++] = column;
}

static void fixed_group(const phx_plot_source *source, int which, phx_column_group *group)
{
    snprintf(group->title, sizeof group->title, "%s", fixed[which].title);
    for (int k = 0; k < FIXED_COLUMNS && fixed[which].columns[k]; k++) {
        const int column = phx_plot_source_find(source, fixed[which].columns[k]);
        if (column > 0)
            column_groups_add(source, group, column, fixed[which].columns[k]);
    }
    group->logarithmic = group->count > 0 && fixed[which].logarithmic;
    group->work = group->count > 0 && fixed[which].work;
}

static void output_group(const phx_plot_source *source, int first, phx_column_group *group)
{
    const char *name = phx_plot_source_name(source, first);
    int end = first + 1;
    while (end < source->n_columns && end - first < PHX_GROUP_COLUMNS && same_vector(source, first, end))
        end++;
    const size_t length = end > first + 1 ? phx_plot_stem(name) : strlen(name);
    snprintf(group->title, sizeof group->title, "%.*s", (int)length, name);
    for (int k = first; k < end; k++)
        column_groups_add(source, group, k, end > first + 1 ? phx_plot_source_name(source, k) + length + 1 : name);
}

/* `next` counts the columns behind the time, then the groups that every simulation has. */
bool phx_column_group_next(const phx_plot_source *source, phx_column_group *group)
{
    const int columns = source->n_columns - 1; /* without the time */

    group->count = 0;
    group->logarithmic = group->work = false;
    while (group->next < columns && group->count == 0) {
        if (!phx_column_is_fixed(phx_plot_source_name(source, group->next + 1)))
            output_group(source, group->next + 1, group);
        group->next += group->count > 0 ? group->count : 1;
    }
    while (group->next < columns + FIXED && group->count == 0)
        fixed_group(source, group->next++ - columns, group);
    return group->count > 0;
}
