/* MBDyn, .fem: modes, modal matrices and lumped masses. A line "** RECORD GROUP n" begins each record, other lines that
 * begin with ** are comments; values go on over the lines of a record.
 *
 *   1  REV0 nodes normal attachment constraint rejected     modes = normal + attachment + constraint - rejected
 *   2  labels of nodes          5, 6, 7  their x, y, z
 *   8  for each mode and node six values, three displacements and three rotations
 *   9  modal mass               10  modal stiffness         11  lumped masses, six for each node
 *
 * 3, 4 (initial values), 12 (inertia of the rigid body, which follows from 11) and others are left out. */
#include "imported.h"

#include <stdlib.h>
#include <string.h>

static const char *const suffixes[] = {"fem", NULL};
enum { HEAD = 1, LABELS = 2, X = 5, Y = 6, Z = 7, MODES = 8, MASS = 9, STIFFNESS = 10, LUMPED = 11, RECORDS = 12 };

typedef struct fem_reader {
    phx_import *import;
    import_text *text;
    int nodes, modes;
    bool has[RECORDS];
    int *label;
    double *x;      /* 3 x nodes: all x, all y, all z */
    double *lumped; /* nodes x 6 */
} fem_reader;

static bool is_comment(const import_text *text)
{
    return text->end - text->begin >= 2 && text->begin[0] == '*' && text->begin[1] == '*';
}

/* The number of the record that a comment begins, 0: none. */
static int record_of(import_text *text)
{
    int number;
    text->at = text->begin;
    const import_word stars = import_next_word(text);
    import_word word =
        import_word_is(stars, "**") ? import_next_word(text) : (import_word){stars.text + 2, stars.length - 2};
    if (!import_word_is(word, "RECORD") || !import_word_is(import_next_word(text), "GROUP"))
        return 0;
    return import_integer_of(import_next_word(text), &number) ? number : 0;
}

static bool has_records(import_text *text)
{
    while (import_next_line(text))
        if (is_comment(text) && record_of(text) == HEAD)
            return true;
    return false;
}

/* The next word of a record. Length 0: the record ends, or the file. */
static import_word next_value(import_text *text)
{
    for (;;) {
        const import_word word = is_comment(text) ? (import_word){text->end, 0} : import_next_word(text);
        if (word.length > 0)
            return word;
        import_text ahead = *text;
        if (!import_next_line(&ahead) || (is_comment(&ahead) && record_of(&ahead) > 0))
            return word;
        import_next_line(text);
    }
}

/* Reads exactly `count` values of the present record; `what` names them in messages. */
static phx_status mbdyn_read_values(fem_reader *reader, const char *what, size_t count, double *value)
{
    for (size_t k = 0; k < count; k++) {
        const import_word word = next_value(reader->text);
        if (word.length == 0)
            return import_fail(reader->text, "the record has %zu values, %zu are wanted for %d nodes and %d modes", k,
                               count, reader->nodes, reader->modes);
        const phx_status status = import_value_of(reader->text, word, what, &value[k]);
        if (status)
            return status;
    }
    return next_value(reader->text).length > 0
               ? import_fail(reader->text, "the record goes on behind its %zu values", count)
               : PHX_OK;
}

static phx_status read_labels(fem_reader *reader)
{
    for (int k = 0; k < reader->nodes; k++) {
        const import_word word = next_value(reader->text);
        if (!import_integer_of(word, &reader->label[k]) || reader->label[k] < 1)
            return import_fail(reader->text, "the label of node %d of %d must be a whole number from 1, here it is %s",
                               k + 1, reader->nodes, import_shown(word).text);
    }
    return next_value(reader->text).length > 0 ? import_fail(reader->text, "more labels than %d nodes", reader->nodes)
                                               : PHX_OK;
}

/* REV0 nodes normal attachment constraint rejected; room for everything, which the file must be large enough for. */
static phx_status read_head(fem_reader *reader)
{
    phx_import *import = reader->import;
    int count[5] = {0};
    const import_word revision = next_value(reader->text);
    if (!import_word_begins(revision, "REV"))
        return import_fail(reader->text, "the first record begins with REV0 or REV1, here it is %s",
                           import_shown(revision).text);
    for (int k = 0; k < 5; k++) {
        const import_word word = next_value(reader->text);
        if (!import_integer_of(word, &count[k]) || count[k] < 0)
            return import_fail(reader->text,
                               "the first record has the numbers of nodes and of normal, attachment, "
                               "constraint and rejected modes, here %s",
                               import_shown(word).text);
    }
    const double modes = (double)count[1] + count[2] + count[3] - count[4];
    const double values = count[0] * (9.0 + 6.0 * modes) + 2.0 * modes * modes;
    if (count[0] < 1 || modes < 1.0)
        return import_fail(reader->text, "%d nodes and %.0f modes; there must be some of both", count[0], modes);
    if (2.0 * values > (double)reader->text->size)
        return import_fail(reader->text, "the file is too short for %d nodes and %.0f modes: it is truncated", count[0],
                           modes);
    reader->nodes = count[0];
    reader->modes = import->modes.count = (int)modes;
    const size_t n = 6 * (size_t)reader->nodes, k = (size_t)reader->modes;
    reader->label = phx_calloc(import->context, (size_t)reader->nodes, sizeof *reader->label);
    reader->x = phx_calloc(import->context, 3 * (size_t)reader->nodes, sizeof *reader->x);
    reader->lumped = phx_calloc(import->context, n, sizeof *reader->lumped);
    import->modes.shape = phx_calloc(import->context, n * k, sizeof(double));
    import->modes.M = phx_calloc(import->context, k * k, sizeof(double));
    import->modes.K = phx_calloc(import->context, k * k, sizeof(double));
    return reader->label && reader->x && reader->lumped && import->modes.shape && import->modes.M && import->modes.K
               ? PHX_OK
               : PHX_ERR_MEMORY;
}

/* The file has mode after mode, shape is unknowns x modes: transposed in a copy. */
static phx_status read_modes(fem_reader *reader)
{
    const size_t n = 6 * (size_t)reader->nodes, modes = (size_t)reader->modes;
    double *values = phx_calloc(reader->import->context, n * modes, sizeof *values);
    phx_status status = values ? mbdyn_read_values(reader, "the mode", n * modes, values) : PHX_ERR_MEMORY;
    for (size_t k = 0; k < modes && !status; k++)
        for (size_t i = 0; i < n; i++)
            reader->import->modes.shape[i * modes + k] = values[k * n + i];
    phx_free(values);
    return status;
}

/* Reads the record group with the given number; unknown ones are skipped, repeated ones and those before group 1 are
 * errors. */
static phx_status read_record(fem_reader *reader, int record)
{
    import_modes *modes = &reader->import->modes;
    const size_t n = (size_t)reader->nodes, k = (size_t)reader->modes;
    if (record < 1 || record >= RECORDS)
        return PHX_OK;
    if (reader->has[record])
        return import_fail(reader->text, "record group %d stands here a second time", record);
    if (record != HEAD && !reader->has[HEAD])
        return import_fail(reader->text, "record group %d before record group 1", record);
    reader->has[record] = true;
    switch (record) {
    case HEAD:
        return read_head(reader);
    case LABELS:
        return read_labels(reader);
    case X:
    case Y:
    case Z:
        return mbdyn_read_values(reader, "the coordinate", n, reader->x + n * (size_t)(record - X));
    case MODES:
        return read_modes(reader);
    case MASS:
        return mbdyn_read_values(reader, "the modal mass", k * k, modes->M);
    case STIFFNESS:
        return mbdyn_read_values(reader, "the modal stiffness", k * k, modes->K);
    case LUMPED:
        return mbdyn_read_values(reader, "the lumped mass", 6 * n, reader->lumped);
    default:
        return PHX_OK;
    }
}

static phx_status check_records(const fem_reader *reader)
{
    static const int wanted[] = {HEAD, LABELS, X, Y, Z, MODES, MASS, STIFFNESS, LUMPED};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
        if (!reader->has[wanted[k]])
            return import_fail(reader->text, "record group %d is missing%s", wanted[k],
                               wanted[k] == LUMPED ? ": without the lumped masses the motion of the whole body cannot "
                                                     "be coupled with its modes; let them be written"
                                                   : ": the file is truncated");
    return PHX_OK;
}

/* Nodes, six unknowns each, the masses on the diagonal. */
static phx_status hand_over(fem_reader *reader)
{
    phx_import *import = reader->import;
    import_matrix *mass;
    phx_status status = import_begin_matrix(import, reader->text, IMPORT_MASS, true, &mass);
    for (int i = 0; i < reader->nodes && !status; i++) {
        const double x[3] = {reader->x[i], reader->x[i + reader->nodes], reader->x[i + 2 * reader->nodes]};
        status = import_add_node(import, reader->text, reader->label[i], x);
        for (int c = 0; c < 6 && !status; c++) {
            int row;
            status = import_row_of(import, reader->text, reader->label[i], c, &row);
            if (!status)
                status = import_add_entry(import, reader->text, mass, row, row, reader->lumped[6 * i + c]);
        }
    }
    return status;
}

/* Reads a .fem file of MBDyn: nodes, modes, modal matrices and lumped masses; only one such file is allowed. */
static phx_status mbdyn_read(phx_import *import, import_text *text)
{
    fem_reader reader = {.import = import, .text = text};
    phx_status status = PHX_OK;
    if (import->modes.count > 0)
        return import_fail(text, "a second file of modes");
    while (!status && import_next_line(text))
        if (is_comment(text))
            status = read_record(&reader, record_of(text));
    if (!status)
        status = check_records(&reader);
    if (!status)
        status = hand_over(&reader);
    phx_free(reader.label);
    phx_free(reader.x);
    phx_free(reader.lumped);
    return status;
}

const import_format import_mbdyn = {"MBDyn .fem", suffixes, has_records, mbdyn_read};
