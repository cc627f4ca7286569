/* Patterns of the matrices of a linear model. */
#include "plot.h"
#include "results/exchange/exchange.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_MATRICES = 12 };

static bool is_entry(const phx_bundle_item *item, size_t k)
{
    return item->re[k] != 0.0 || (item->im && item->im[k] != 0.0);
}

/* Entries that are not zero, into the pattern unless it is NULL. */
static size_t each_entry(const phx_bundle_item *item, phx_pattern *pattern)
{
    size_t count = 0;
    for (int row = 0; row < item->rows; row++) {
        const bool sparse = item->kind == PHX_BUNDLE_SPARSE;
        const int start = sparse ? item->sparse.ptr[row] : 0, end = sparse ? item->sparse.ptr[row + 1] : item->cols;
        for (int k = start; k < end; k++) {
            const size_t at = sparse ? (size_t)k : (size_t)row * (size_t)item->cols + (size_t)k;
            if (sparse ? item->sparse.val[at] == 0.0 : !is_entry(item, at))
                continue;
            if (pattern) {
                pattern->row[count] = row;
                pattern->col[count] = sparse ? item->sparse.idx[k] : k;
                pattern->value[count] = sparse ? item->sparse.val[at] : item->re[at];
            }
            count++;
        }
    }
    return count;
}

/* ---- names of blocks ---- */

static bool is_rate(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, "_dot") == 0;
}

/* Length of the name of a body or joint in the name of a state: what is before the first '.' or '@', else what is
 * before its number: "lambda12", "mode3_dot". */
static size_t owner(const char *name)
{
    size_t length = strcspn(name, ".@");
    if (name[length])
        return length;
    length -= is_rate(name) ? 4 : 0;
    while (length > 1 && name[length - 1] >= '0' && name[length - 1] <= '9')
        length--;
    return length;
}

/* Bands of the names: neighbours that belong to one body or joint, places and rates apart. */
static phx_status add_bands(phx_chart *chart, phx_pattern *pattern, bool of_rows, int count, const char *const *names)
{
    phx_status status = PHX_OK;
    for (int k = 0; k < count && !status; k++) {
        char label[PHX_PLOT_TEXT];
        const size_t length = owner(names[k]);
        if (k + 1 < count && owner(names[k + 1]) == length && strncmp(names[k], names[k + 1], length) == 0 &&
            is_rate(names[k]) == is_rate(names[k + 1]))
            continue;
        snprintf(label, sizeof label, "%.*s%s", (int)length, names[k], is_rate(names[k]) ? " rate" : "");
        status = phx_pattern_add_band(chart, pattern, of_rows, label, k + 1);
    }
    return status;
}

/* The lists of names along the sides of the matrices that Phlexor writes; the first that has the length holds. */
static const struct {
    const char *matrices, *rows, *cols;
} sides[] = {
    {" E J R Q A ", "states", "states"},
    {" B P ", "states", "inputs"},
    {" B P ", "states", "ports"},
    {" C ", "outputs", "states"},
    {" D Y_u ", "outputs", "inputs"},
    {" S N ", "ports", "ports"},
    {" M D K ", "coordinates", "coordinates"},
    {" F ", "coordinates", "inputs"},
    {" G ", "multipliers", "coordinates"},
    {" H ", "", "coordinates"},
    {" Y_q Y_v Y_a ", "outputs", "coordinates"},
    {" Y_l Y_h ", "outputs", ""},
};

/* Whether the matrix stands in a list with a space on either side of each. */
static bool is_one_of(const char *list, const char *matrix)
{
    const size_t length = strlen(matrix);
    for (const char *at = strstr(list, matrix); at && length > 0; at = strstr(at + 1, matrix))
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

static const phx_bundle_item *names_along(const phx_bundle *bundle, const char *matrix, bool of_rows, int count)
{
    for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
        const phx_bundle_item *item = phx_bundle_find(bundle, of_rows ? sides[k].rows : sides[k].cols);
        if (is_one_of(sides[k].matrices, matrix) && item && item->kind == PHX_BUNDLE_NAMES && item->rows == count)
            return item;
    }
    return NULL;
}

/* ---- matrices ---- */
static bool is_matrix(const phx_bundle_item *item)
{
    return (item->kind == PHX_BUNDLE_MATRIX || item->kind == PHX_BUNDLE_SPARSE) && item->rows > 0 && item->cols > 0 &&
           item->pages == 0;
}

/* Adds the pattern of a matrix with the names of its rows and columns as bands. */
static phx_status add_matrix(phx_chart *chart, const phx_bundle *bundle, const phx_bundle_item *item)
{
    char title[PHX_PLOT_TEXT];
    const size_t count = each_entry(item, NULL);
    snprintf(title, sizeof title, "%s: %d \xC3\x97 %d, %zu entr%s", item->name, item->rows, item->cols, count,
             count == 1 ? "y" : "ies");
    phx_pattern *pattern = phx_chart_add_pattern(chart, title, item->rows, item->cols, count);
    if (!pattern)
        return PHX_ERR_MEMORY;
    each_entry(item, pattern);
    phx_status status = PHX_OK;
    for (int side = 0; side < 2 && !status; side++) {
        const phx_bundle_item *names = names_along(bundle, item->name, side == 0, side == 0 ? item->rows : item->cols);
        if (names)
            status = add_bands(chart, pattern, side == 0, names->rows, names->names);
    }
    return status;
}

/* Adds the patterns of the matrices that the options name; an unknown one fails with the nearest name. */
static phx_status add_chosen(phx_context *context, const char *path, const phx_plot_options *options,
                             const phx_bundle *bundle, phx_chart *chart)
{
    phx_status status = PHX_OK;
    for (int k = 0; k < options->n_matrices && !status; k++) {
        phx_nearest nearest = phx_nearest_to(options->matrices[k]);
        for (int i = 0; i < phx_bundle_count(bundle); i++)
            if (is_matrix(phx_bundle_item_at(bundle, i)))
                phx_nearest_offer(&nearest, phx_bundle_item_at(bundle, i)->name);
        const phx_bundle_item *item = phx_bundle_find(bundle, options->matrices[k]);
        status = item && is_matrix(item)
                     ? add_matrix(chart, bundle, item)
                     : phx_fail(context, PHX_ERR_INPUT, "%s: it has no matrix %s%s", path,
                                phx_shown_text(options->matrices[k]).text, phx_nearest_hint(&nearest).text);
    }
    return status;
}

/* All square or sparse matrices that have an entry. */
static phx_status spy_add_all(phx_context *context, const char *path, const phx_bundle *bundle, phx_chart *chart)
{
    phx_status status = PHX_OK;
    for (int i = 0; i < phx_bundle_count(bundle) && chart->n_panels < MOST_MATRICES && !status; i++) {
        const phx_bundle_item *item = phx_bundle_item_at(bundle, i);
        if (is_matrix(item) && (item->kind == PHX_BUNDLE_SPARSE || item->rows == item->cols) &&
            each_entry(item, NULL) > 0)
            status = add_matrix(chart, bundle, item);
    }
    if (!status && chart->n_panels == 0)
        status = phx_fail(context, PHX_ERR_FILE,
                          "%s: it has no matrices; give a file of 'phlexor linearize -o' or "
                          "'phlexor titop -o', or a model",
                          path);
    return status;
}

phx_status phx_plot_spy(phx_context *context, const char *path, const char *picture_path,
                        const phx_plot_options *options)
{
    phx_bundle *bundle = NULL;
    const phx_status status = phx_exchange_read(context, path, &bundle);
    if (status)
        return status;
    const phx_status drawn = phx_plot_bundle(context, bundle, path, picture_path, options);
    phx_bundle_destroy(bundle);
    return drawn;
}

/* Draws patterns of the matrices in a bundle: of the chosen ones, else of all that are not empty. */
phx_status phx_plot_bundle(phx_context *context, const phx_bundle *bundle, const char *name, const char *picture_path,
                           const phx_plot_options *options)
{
    if (!bundle || !picture_path)
        return phx_fail_null(context, __func__, "bundle or picture_path");
    const char *slash = strrchr(name, '/');
    const phx_bundle_item *title = phx_bundle_find(bundle, "title");
    phx_chart chart = {0};
    phx_status status = phx_chart_create(context,
                                         title && title->text ? title->text
                                         : slash              ? slash + 1
                                                              : name,
                                         options->page.grey ? "black: entries above zero, grey: below zero"
                                                            : "blue: entries above zero, orange: below zero",
                                         &chart);
    chart.page = options->page;
    if (!status)
        status = options->matrices ? add_chosen(context, name, options, bundle, &chart)
                                   : spy_add_all(context, name, bundle, &chart);
    phx_files_begin(context);
    if (!status)
        status = phx_bundle_protect(context, bundle);
    if (!status)
        status = phx_chart_write(&chart, picture_path);
    phx_files_end(context);
    phx_chart_free(&chart);
    return phx_conclude(context, status);
}
