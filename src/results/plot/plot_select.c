/* The columns of a result chosen for a picture. */
#include "plot.h"

#include <stdio.h>
#include <string.h>

enum { LISTED = 240 };

/* ---- finding ---- */
static phx_status select_unknown(const phx_plot_source *source, const char *path, const char *word)
{
    phx_nearest nearest = phx_nearest_to(word);
    char list[LISTED] = "";
    size_t used = 0;
    for (int k = 0; k < source->n_names; k++) {
        const char *name = phx_plot_source_name(source, k);
        phx_nearest_offer(&nearest, name);
        if (used + strlen(name) + 8 < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", name);
        else if (used + 5 < sizeof list && (k + 1 == source->n_names || used + 8 < sizeof list))
            used = strlen(strcat(list, k + 1 == source->n_names ? ", ..." : ""));
    }
    return phx_fail(source->context, PHX_ERR_INPUT, "%s: it has no column %s%s; its columns are %s", path,
                    phx_shown_text(word).text, phx_nearest_hint(&nearest).text, list);
}

phx_status phx_selection_find(const phx_plot_source *source, const char *path, const char *name, int *column)
{
    *column = phx_plot_source_find(source, name);
    return *column >= 0 ? PHX_OK : select_unknown(source, path, name);
}

static phx_status select_add(const phx_plot_source *source, phx_selection *selection, int column, int panel)
{
    struct phx_selected *grown =
        phx_realloc(source->context, selection->items, (size_t)selection->count + 1, sizeof *grown);
    if (!grown)
        return PHX_ERR_MEMORY;
    selection->items = grown;
    for (int k = 0; k < selection->count; k++) /* in one panel once */
        if (grown[k].column == column && grown[k].panel == panel)
            return PHX_OK;
    grown[selection->count++] = (struct phx_selected){column, panel};
    return PHX_OK;
}

/* `name` starts the list: it ends there or a comma follows. */
static bool starts(const char *list, const char *name, size_t length)
{
    return length > 0 && strncmp(list, name, length) == 0 && (list[length] == ',' || !list[length]);
}

/* The columns that the list starts with: the longest name that fits, as names may have commas, of a column or of all
 * that have it before their last dot. Returns its length; 0: there is none. */
static phx_status add_first(const phx_plot_source *source, const char *list, int panel, phx_selection *selection,
                            size_t *length)
{
    size_t longest = 0;
    bool whole = false;
    phx_status status = PHX_OK;
    for (int k = 0; k < source->n_names; k++) {
        const char *name = phx_plot_source_name(source, k);
        const size_t all = strlen(name), stem = phx_plot_stem(name);
        if (all >= longest && starts(list, name, all)) {
            whole = true;
            longest = all;
        } else if (stem > longest && starts(list, name, stem)) {
            whole = false;
            longest = stem;
        }
    }
    for (int k = 0; k < source->n_names && longest > 0 && !status; k++) {
        const char *name = phx_plot_source_name(source, k);
        const size_t taken = whole ? strlen(name) : phx_plot_stem(name);
        if (taken == longest && strncmp(list, name, longest) == 0)
            status = select_add(source, selection, k, panel);
    }
    *length = longest;
    return status;
}

/* ---- panels ---- */

/* Columns of different units in a panel go to panels of their own, in the order in which the units come. */
static void split_units(const phx_plot_source *source, phx_selection *selection)
{
    int panels = 0;
    for (int first = 0, end; first < selection->count; first = end) {
        const int panel = selection->items[first].panel;
        for (end = first; end < selection->count && selection->items[end].panel == panel;)
            end++;
        for (int at = first; at < end; panels++) { /* those of the unit of `at` move forward to it */
            const char *unit = phx_plot_source_unit(source, selection->items[at].column);
            for (int k = at; k < end; k++) {
                const struct phx_selected item = selection->items[k];
                if (strcmp(unit, phx_plot_source_unit(source, item.column)) != 0)
                    continue;
                memmove(selection->items + at + 1, selection->items + at, (size_t)(k - at) * sizeof item);
                selection->items[at++] = (struct phx_selected){item.column, panels};
            }
        }
    }
    selection->n_panels = panels;
}

/* Reads the lists of columns into panels, one for each list and unit; an unknown column fails with the nearest name. */
phx_status phx_selection_make(const phx_plot_source *source, const phx_plot_options *options, const char *path,
                              phx_selection *selection)
{
    *selection = (phx_selection){0};
    for (int p = 0; p < options->n_columns; p++) {
        const char *list = options->columns[p];
        while (*list) {
            char word[PHX_PLOT_TEXT];
            size_t length = 0;
            const phx_status status = add_first(source, list, p, selection, &length);
            if (status)
                return status;
            if (length == 0) {
                snprintf(word, sizeof word, "%.*s", (int)strcspn(list, ","), list);
                return select_unknown(source, path, word);
            }
            list += length + (list[length] == ',');
        }
    }
    if (selection->count == 0)
        return phx_fail(source->context, PHX_ERR_INPUT, "%s: no columns were given to draw", path);
    split_units(source, selection);
    return PHX_OK;
}

void phx_selection_free(phx_selection *selection)
{
    phx_free(selection->items);
    *selection = (phx_selection){0};
}

/* The quantity that a unit measures. */
static const char *quantity(const char *unit)
{
    static const char *const quantities[][2] = {{"s", "Time"},
                                                {"m", "Length"},
                                                {"m/s", "Speed"},
                                                {"m/s^2", "Acceleration"},
                                                {"rad", "Angle"},
                                                {"rad/s", "Angular speed"},
                                                {"rad/s^2", "Angular acceleration"},
                                                {"N", "Force"},
                                                {"N m", "Torque"},
                                                {"J", "Energy"},
                                                {"W", "Power"},
                                                {"kg m/s", "Momentum"},
                                                {"Pa", "Stress"},
                                                {"kg", "Mass"},
                                                {"Hz", "Frequency"}};
    for (size_t k = 0; k < sizeof quantities / sizeof *quantities; k++)
        if (strcmp(quantities[k][0], unit) == 0)
            return quantities[k][1];
    return "Value";
}

/* Columns, labels and title of a panel; a common stem such as `tip` becomes its title. Returns their number. */
int phx_selection_panel(const phx_selection *selection, const phx_plot_source *source, int panel, char *title,
                        size_t size, int *columns, const char **labels)
{
    int count = 0;
    bool one_stem = true;
    for (int k = 0; k < selection->count; k++)
        if (selection->items[k].panel == panel)
            columns[count++] = selection->items[k].column;
    const char *first = phx_plot_source_name(source, columns[0]);
    const size_t stem = phx_plot_stem(first);
    for (int k = 0; k < count; k++) {
        labels[k] = phx_plot_source_name(source, columns[k]);
        one_stem = one_stem && first[stem] && phx_plot_stem(labels[k]) == stem && labels[k][stem] &&
                   strncmp(labels[k], first, stem) == 0;
    }
    if (count == 1)
        snprintf(title, size, "%s", first);
    else if (one_stem)
        snprintf(title, size, "%.*s", (int)stem, first);
    else
        snprintf(title, size, "%s", quantity(phx_plot_source_unit(source, columns[0])));
    for (int k = 0; k < count && count > 1 && one_stem; k++)
        labels[k] += stem + 1;
    return count;
}
