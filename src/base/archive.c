/* Archives: values one after the other in memory, written and read by the same functions. */
#include "base/base.h"

#include <string.h>

struct phx_archive {
    phx_context *context;
    bool reads;
    phx_status status; /* the first failure */
    unsigned char *bytes;
    const unsigned char *from; /* of what is read, borrowed */
    size_t size, capacity, at;
    int n_parameters;
    const double *parameters; /* of programs that are read, borrowed */
    int n_others;             /* of a sum: all that are read, `from` the first of them */
    const void *const *others;
    const double *weight;
};

phx_status phx_archive_create(phx_context *context, phx_archive **archive)
{
    *archive = phx_calloc(context, 1, sizeof **archive);
    if (!*archive)
        return PHX_ERR_MEMORY;
    (*archive)->context = context;
    return PHX_OK;
}

phx_status phx_archive_open(phx_context *context, size_t size, const void *bytes, phx_archive **archive)
{
    const phx_status status = phx_archive_create(context, archive);
    if (status)
        return status;
    (*archive)->reads = true;
    (*archive)->from = bytes;
    (*archive)->size = size;
    return PHX_OK;
}

phx_status phx_archive_open_sum(phx_context *context, int n, size_t size, const void *const *bytes,
                                const double *weight, phx_archive **archive)
{
    const phx_status status = phx_archive_open(context, size, n > 0 ? bytes[0] : NULL, archive);
    if (status)
        return status;
    (*archive)->n_others = n;
    (*archive)->others = bytes;
    (*archive)->weight = weight;
    return PHX_OK;
}

void phx_archive_destroy(phx_archive *archive)
{
    if (!archive)
        return;
    phx_free(archive->bytes);
    phx_free(archive);
}

const void *phx_archive_bytes(const phx_archive *archive, size_t *size)
{
    *size = archive->size;
    return archive->bytes;
}

bool phx_archives_agree(const phx_archive *one, const phx_archive *other)
{
    return one->size == other->size && (one->size == 0 || memcmp(one->bytes, other->bytes, one->size) == 0);
}

phx_context *phx_archive_context(const phx_archive *archive)
{
    return archive->context;
}

bool phx_archive_reads(const phx_archive *archive)
{
    return archive->reads;
}

void phx_archive_take_parameters(phx_archive *archive, int count, const double *values)
{
    archive->n_parameters = count;
    archive->parameters = values;
}

const double *phx_archive_parameters(const phx_archive *archive, int *count)
{
    *count = archive->n_parameters;
    return archive->parameters;
}

phx_status phx_archive_status(const phx_archive *archive)
{
    return archive->status;
}

void phx_archive_fail(phx_archive *archive, phx_status status)
{
    if (!archive->status)
        archive->status = status;
}

static void archive_damaged(phx_archive *archive, const char *what)
{
    phx_archive_fail(archive, phx_fail(archive->context, PHX_ERR_INPUT, "%s (at byte %zu of %zu)", what, archive->at,
                                       archive->size));
}

/* The bytes of a value; zeros after a failure. */
static void bytes(phx_archive *archive, size_t size, void *value)
{
    if (archive->reads) {
        if (!archive->status && size > archive->size - archive->at)
            archive_damaged(archive, "the data end too early");
        if (archive->status) {
            memset(value, 0, size);
            return;
        }
        if (size > 0)
            memcpy(value, archive->from + archive->at, size);
        for (int k = 1; k < archive->n_others; k++)
            if (size > 0 && memcmp((const unsigned char *)archive->others[k] + archive->at, value, size) != 0)
                phx_archive_fail(archive, phx_fail(archive->context, PHX_ERR_UNSUPPORTED,
                                                   "archives of different things have no sum"));
        archive->at += size;
        return;
    }
    if (archive->status || size == 0)
        return;
    if (size > archive->capacity - archive->size) {
        const size_t wider = 2 * (archive->capacity + size);
        unsigned char *bigger = phx_realloc(archive->context, archive->bytes, wider, 1);
        if (!bigger) {
            archive->status = PHX_ERR_MEMORY;
            return;
        }
        archive->bytes = bigger;
        archive->capacity = wider;
    }
    memcpy(archive->bytes + archive->size, value, size);
    archive->size += size;
}

void phx_archive_int(phx_archive *archive, int *value)
{
    bytes(archive, sizeof *value, value);
}

void phx_archive_long(phx_archive *archive, long *value)
{
    bytes(archive, sizeof *value, value);
}

void phx_archive_bool(phx_archive *archive, bool *value)
{
    int number = archive->reads ? 0 : *value;
    phx_archive_int(archive, &number);
    if (archive->reads && number != 0 && number != 1)
        archive_damaged(archive, "neither yes nor no is read");
    *value = number == 1;
}

void phx_archive_double(phx_archive *archive, double *value)
{
    phx_archive_doubles(archive, 1, value);
}

void phx_archive_ints(phx_archive *archive, size_t count, int *values)
{
    bytes(archive, count * sizeof *values, values);
}

/* Of a sum, sum weight_k times the numbers of archive k. */
void phx_archive_doubles(phx_archive *archive, size_t count, double *values)
{
    const size_t at = archive->at;
    const int n = archive->n_others;
    double other;

    archive->n_others = 0; /* numbers may differ */
    bytes(archive, count * sizeof *values, values);
    archive->n_others = n;
    for (size_t i = 0; i < count && n > 0 && !archive->status; i++) {
        values[i] = 0.0;
        for (int k = 0; k < n; k++) {
            memcpy(&other, (const unsigned char *)archive->others[k] + at + i * sizeof other, sizeof other);
            values[i] += archive->weight[k] * other;
        }
    }
}

void phx_archive_block(phx_archive *archive, size_t size, void *block)
{
    bytes(archive, size, block);
}

void phx_archive_choice(phx_archive *archive, int most, int *value)
{
    phx_archive_int(archive, value);
    if (archive->reads && (*value < 0 || *value > most)) {
        archive_damaged(archive, "a number is out of range");
        *value = 0;
    }
}

void phx_archive_count(phx_archive *archive, int *count)
{
    phx_archive_int(archive, count);
    if (!archive->reads)
        return;
    if (!archive->status && (*count < 0 || (size_t)*count > archive->size - archive->at))
        archive_damaged(archive, "a count is larger than what is left");
    if (archive->status)
        *count = 0;
}

/* Whether there is an array; of one that is read, memory for it. */
static bool there(phx_archive *archive, size_t count, size_t size, void **array)
{
    bool is = !archive->reads && *array;

    phx_archive_bool(archive, &is);
    if (!archive->reads || !is) {
        if (archive->reads)
            *array = NULL;
        return is;
    }
    *array = NULL;
    if (count > (archive->size - archive->at) / size)
        archive_damaged(archive, "an array is longer than what is left");
    if (archive->status)
        return false;
    *array = phx_calloc(archive->context, count, size);
    if (!*array)
        phx_archive_fail(archive, PHX_ERR_MEMORY);
    return *array != NULL;
}

void phx_archive_int_array(phx_archive *archive, size_t count, int **values)
{
    void *array = *values;
    if (there(archive, count, sizeof **values, &array))
        phx_archive_ints(archive, count, array);
    *values = array;
}

void phx_archive_double_array(phx_archive *archive, size_t count, double **values)
{
    void *array = *values;
    if (there(archive, count, sizeof **values, &array))
        phx_archive_doubles(archive, count, array);
    *values = array;
}

/* Writes or reads a text with its length; NULL is kept. In reading a text that is not terminated is damage and leaves
 * NULL. */
void phx_archive_text(phx_archive *archive, char **text)
{
    int length = archive->reads || !*text ? 0 : (int)strlen(*text) + 1;
    void *array = *text;

    phx_archive_count(archive, &length);
    if (there(archive, (size_t)length, 1, &array))
        bytes(archive, (size_t)length, array);
    *text = array;
    if (archive->reads && *text && (length == 0 || (*text)[length - 1] != '\0')) {
        archive_damaged(archive, "a text is not closed");
        phx_free(*text);
        *text = NULL;
    }
}
