/* Columns of a result that belong in one diagram. */
#include "column_groups.h"

#include <stdio.h>
#include <string.h>

enum { FIXED_COLUMNS = 4 };

/* The columns that every simulation has. */
static const struct {
    const char *title;
    const char *columns[FIXED_COLUMNS];
    bool logarithmic;
} fixed[] = {
    {"Energy", {"kinetic", "elastic", "potential", "energy"}, false},
    {"Work since the start", {"supplied", "dissipated"}, false},
    {"Residual of the energy balance", {"residual"}, true},
    {"Gaps of the joints", {"drift", "drift_rate"}, true},
};
enum { FIXED = sizeof fixed / sizeof *fixed };

static bool is_fixed(const char *name)
{
    for (int i = 0; i < FIXED; i++)
        for (int k = 0; k < FIXED_COLUMNS && fixed[i].columns[k]; k++)
            if (strcmp(fixed[i].columns[k], name) == 0)
                return true;
    return false;
}

/* Length of an output's name in the name of its column, "NAME.x". */
static size_t stem(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && dot > name && dot[1] ? (size_t)(dot - name) : strlen(name);
}

/* Columns one after the other are of one vector: the same output and unit. */
static bool same_vector(const phx_result *result, int a, int b)
{
    const char *name_a = phx_result_column_name(result, a), *name_b = phx_result_column_name(result, b);
    const size_t length = stem(name_a);
    return stem(name_b) == length && name_a[length] && name_b[length] && strncmp(name_a, name_b, length) == 0 &&
           strcmp(phx_result_column_unit(result, a), phx_result_column_unit(result, b)) == 0;
}

static void add(const phx_result *result, phx_column_group *group, int column, const char *label)
{
    const char *unit = phx_result_column_unit(result, column);
    group->unit = group->count == 0 || strcmp(unit, group->unit) == 0 ? unit : "";
    group->labels[group->count] = label;
    group->columns[group->count++] = column;
}

static void fixed_group(const phx_result *result, int which, phx_column_group *group)
{
    snprintf(group->title, sizeof group->title, "%s", fixed[which].title);
    group->logarithmic = fixed[which].logarithmic;
    for (int k = 0; k < FIXED_COLUMNS && fixed[which].columns[k]; k++) {
        const int column = phx_result_column_find(result, fixed[which].columns[k]);
        if (column > 0)
            add(result, group, column, fixed[which].columns[k]);
    }
}

static void output_group(const phx_result *result, int first, phx_column_group *group)
{
    const char *name = phx_result_column_name(result, first);
    int end = first + 1;
    while (end < phx_result_columns(result) && end - first < PHX_GROUP_COLUMNS && same_vector(result, first, end))
        end++;
    const size_t length = end > first + 1 ? stem(name) : strlen(name);
    snprintf(group->title, sizeof group->title, "%.*s", (int)length, name);
    for (int k = first; k < end; k++)
        add(result, group, k, end > first + 1 ? phx_result_column_name(result, k) + length + 1 : name);
}

bool phx_column_group_next(const phx_result *result, phx_column_group *group)
{
    group->count = 0;
    group->logarithmic = false;
    while (group->next < FIXED && group->count == 0)
        fixed_group(result, group->next++, group);
    for (int column = group->next - FIXED + 1; column < phx_result_columns(result) && group->count == 0; column++) {
        if (!is_fixed(phx_result_column_name(result, column)))
            output_group(result, column, group);
        group->next = FIXED + column - 1 + (group->count > 0 ? group->count : 1);
    }
    return group->count > 0;
}
