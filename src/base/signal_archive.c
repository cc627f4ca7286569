/* Signals in archives. */
#include "signal.h"

enum { HIGHEST_DEGREE = 9 };

/* How many values belong to a signal's breaks; -1: none can. */
static int value_count(const phx_signal *signal)
{
    switch (signal->kind) {
    case SIGNAL_TABLE:
        return signal->n_breaks < 1 ? -1 : signal->n_breaks;
    case SIGNAL_POLYNOMIALS:
        return signal->n_breaks < 2 || signal->degree < 0 || signal->degree > HIGHEST_DEGREE
                   ? -1
                   : (signal->n_breaks - 1) * (signal->degree + 1);
    case SIGNAL_SHAPED:
        return signal->degree < 1 || signal->degree > HIGHEST_DEGREE ? -1 : 2 * signal->degree;
    default:
        return 0;
    }
}

static void archive_signal(phx_archive *archive, signal_kind last, phx_signal **signal);

/* The fields of a signal. */
static void archive_content(phx_archive *archive, phx_signal *signal)
{
    phx_archive_double(archive, &signal->constant);
    phx_archive_count(archive, &signal->n_breaks);
    phx_archive_int(archive, &signal->degree);
    phx_archive_double_array(archive, (size_t)signal->n_breaks, &signal->breaks);
    const int n_values = value_count(signal);
    if (n_values > 0)
        phx_archive_double_array(archive, (size_t)n_values, &signal->values);
    if (signal->kind == SIGNAL_PROGRAM)
        phx_program_archive(archive, 2, &signal->program);
    if (signal->kind == SIGNAL_DERIVATIVE || signal->kind == SIGNAL_SHAPED)
        archive_signal(archive, SIGNAL_PROGRAM, &signal->of); /* not again made of another */
    if (n_values < 0 || (n_values > 0 && !signal->values) || (signal->n_breaks > 0 && !signal->breaks) ||
        (signal->kind == SIGNAL_PROGRAM && !signal->program) || (signal->kind >= SIGNAL_DERIVATIVE && !signal->of))
        phx_archive_fail(archive, phx_fail(phx_archive_context(archive), PHX_ERR_INPUT, "a signal is damaged"));
}

/* The kind of a signal, `last` at most; false: it cannot be archived. */
static bool archive_kind(phx_archive *archive, const phx_signal *signal, signal_kind last, signal_kind *kind)
{
    int number = signal ? (int)signal->kind : 0;

    if (signal && signal->kind == SIGNAL_FUNCTION) {
        phx_archive_fail(archive, phx_fail(phx_archive_context(archive), PHX_ERR_UNSUPPORTED,
                                           "a signal is a function of the program, of which only the program knows "
                                           "the code; give an expression or a table"));
        return false;
    }
    phx_archive_choice(archive, (int)last, &number);
    *kind = (signal_kind)number;
    if (*kind == SIGNAL_FUNCTION)
        phx_archive_fail(archive, phx_fail(phx_archive_context(archive), PHX_ERR_INPUT, "a signal is damaged"));
    return !phx_archive_status(archive);
}

/* Writes or reads a signal of a kind up to `last`, NULL included; *signal is NULL after a failed reading. */
static void archive_signal(phx_archive *archive, signal_kind last, phx_signal **signal)
{
    const bool reads = phx_archive_reads(archive);
    bool there = !reads && *signal;
    signal_kind kind;

    phx_archive_bool(archive, &there);
    if (reads)
        *signal = NULL;
    if (!there || !archive_kind(archive, *signal, last, &kind))
        return;
    if (reads) {
        *signal = phx_calloc(phx_archive_context(archive), 1, sizeof **signal);
        if (!*signal) {
            phx_archive_fail(archive, PHX_ERR_MEMORY);
            return;
        }
        (*signal)->kind = kind;
    }
    archive_content(archive, *signal);
    if (reads && phx_archive_status(archive)) {
        phx_signal_destroy(*signal);
        *signal = NULL;
    }
}

void phx_signal_archive(phx_archive *archive, phx_signal **signal)
{
    archive_signal(archive, SIGNAL_SHAPED, signal);
}
