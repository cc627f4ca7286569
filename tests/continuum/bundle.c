#define _XOPEN_SOURCE 700 /* ftruncate */
#include "bundle.h"

#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char mark[] = "#!file ";

/* The name behind the mark; false: it is none for a file of its own here. */
static bool read_name(const char *line, size_t length, char name[BUNDLE_NAME])
{
    if (length < sizeof mark || length - sizeof mark + 1 >= BUNDLE_NAME)
        return false;
    memset(name, 0, BUNDLE_NAME);
    for (size_t k = 0; k < length - sizeof mark + 1; k++) {
        const char c = line[sizeof mark - 1 + k];
        if (!isalnum((unsigned char)c) && (k == 0 || !strchr("._-", c)))
            return false;
        name[k] = c;
    }
    return true;
}

void bundle_split(const char *data, size_t size, bundle *files)
{
    bool kept = false;
    *files = (bundle){0};
    for (const char *line = data; line < data + size;) {
        const char *end = memchr(line, '\n', (size_t)(data + size - line));
        const size_t length = end ? (size_t)(end - line) : (size_t)(data + size - line);
        const char *next = line + length + (end != NULL);
        if (length >= sizeof mark - 1 && !memcmp(line, mark, sizeof mark - 1)) {
            kept = files->n_files < BUNDLE_MOST_FILES && read_name(line, length, files->name[files->n_files]);
            if (kept)
                files->data[files->n_files++] = next;
        } else if (kept) {
            files->size[files->n_files - 1] += (size_t)(next - line);
        }
        line = next;
    }
}

/* Over what is there, then cut to size: file systems that flush a file which is emptied and written anew would take
 * milliseconds for each. */
void bundle_write(const bundle *files)
{
    for (int k = 0; k < files->n_files; k++) {
        const int file = open(files->name[k], O_WRONLY | O_CREAT, 0666);
        if (file < 0)
            continue;
        if (write(file, files->data[k], files->size[k]) < 0 || ftruncate(file, (off_t)files->size[k]))
            remove(files->name[k]);
        close(file);
    }
}

void bundle_remove(const bundle *files)
{
    for (int k = 0; k < files->n_files; k++)
        remove(files->name[k]);
}

phx_status bundle_import(phx_context *context, const bundle *files, phx_elastic_model **model)
{
    const char *names[BUNDLE_MOST_FILES];
    phx_import_def def = phx_import_def_default();
    for (int k = 0; k < files->n_files; k++)
        names[k] = files->name[k];
    def.n_files = files->n_files;
    def.files = names;
    def.length = 1e-3;
    return phx_import_create(context, &def, model);
}

/* ---- what every model has ---- */
static const char *matrix_fault(const phx_csr *a, int n)
{
    if (a->rows != n || a->cols != n || a->ptr[0] != 0)
        return "a matrix of another size";
    for (int i = 0; i < n; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            if (a->idx[k] < 0 || a->idx[k] >= n || (k > a->ptr[i] && a->idx[k] <= a->idx[k - 1]))
                return "columns out of order";
            if (!isfinite(a->val[k]))
                return "an entry that is not finite";
            const int mirror = phx_csr_find(a, a->idx[k], i);
            if (mirror < 0 || a->val[mirror] != a->val[k])
                return "a matrix that is not symmetric";
        }
    return NULL;
}

static const char *unknown_fault(const phx_elastic_model *model)
{
    for (int i = 0; i < model->n; i++) {
        const int c = model->component[i];
        if (c < PHX_UNKNOWN_UX || c > PHX_UNKNOWN_OTHER)
            return "an unknown component";
        if (c == PHX_UNKNOWN_OTHER ? model->node[i] != -1 : model->node[i] < 0 || model->node[i] >= model->n_nodes)
            return "an unknown of no node";
    }
    for (int i = 0; i < 6 * model->n; i++)
        if (!isfinite(model->rigid[i]))
            return "a rigid motion that is not finite";
    return NULL;
}

const char *bundle_model_fault(const phx_elastic_model *model)
{
    const char *fault = NULL;
    if (model->n < 1 || model->n_nodes < 1)
        return "no unknowns";
    for (int i = 0; i < 3 * model->n_nodes; i++)
        if (!isfinite(model->x[i]))
            return "a place that is not finite";
    for (int i = 0; i < model->n * model->n_modes; i++)
        if (!isfinite(model->modes[i]))
            return "a mode that is not finite";
    fault = unknown_fault(model);
    if (!fault)
        fault = matrix_fault(&model->M, model->n);
    return fault ? fault : matrix_fault(&model->K, model->n);
}
