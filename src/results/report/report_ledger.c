/* Which entries of a ledger a report shows: all, or of many those with the most work. */
#include "report.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLES = 8 }; /* instants at which the work is evaluated */

typedef struct sized_entry {
    int entry;
    double work;
} sized_entry;

static int compare_work(const void *a, const void *b)
{
    const sized_entry *first = a, *second = b;
    return first->work != second->work ? (first->work < second->work ? 1 : -1) : first->entry - second->entry;
}

/* The largest |work| of an entry at instants evenly chosen, the last among them. */
static phx_status ledger_measure(const phx_report *report, sized_entry *sized)
{
    phx_status status = PHX_OK;

    sized->work = 0.0;
    for (size_t k = 1; k <= SAMPLES && report->source.rows > 0 && !status; k++) {
        double value = 0.0;
        status = phx_result_ledger_values(report->source.result, sized->entry, k * (report->source.rows - 1) / SAMPLES,
                                          1, &value);
        sized->work = fmax(sized->work, fabs(value));
    }
    return status;
}

/* Marks the entries of the ledger that are shown: all, or the REPORT_ENTRIES with the largest work. */
static phx_status ledger_choose(phx_report *report, bool dissipates, sized_entry *sized)
{
    const int n = phx_result_ledger(report->source.result);
    int count = 0;
    phx_status status = PHX_OK;

    for (int k = 0; k < n; k++)
        if (phx_result_ledger_entry(report->source.result, k)->dissipates == dissipates)
            sized[count++].entry = k;
    report->shown.n_entries[dissipates] = count;
    for (int i = 0; i < count && count > REPORT_ENTRIES && !status; i++)
        status = ledger_measure(report, &sized[i]);
    if (count > REPORT_ENTRIES)
        qsort(sized, (size_t)count, sizeof *sized, compare_work);
    for (int i = 0; i < count && i < REPORT_ENTRIES; i++)
        report->shown.entry[sized[i].entry] = true;
    return status;
}

phx_status phx_report_choose_entries(phx_report *report)
{
    const size_t n = report->source.result ? (size_t)phx_result_ledger(report->source.result) : 0;
    sized_entry *sized = phx_calloc(report->context, n, sizeof *sized);

    report->shown.entry = phx_calloc(report->context, n, sizeof *report->shown.entry);
    phx_status status = sized && report->shown.entry ? PHX_OK : PHX_ERR_MEMORY;
    for (int dissipates = 0; dissipates < 2 && n > 0 && !status; dissipates++)
        status = ledger_choose(report, dissipates, sized);
    phx_free(sized);
    return status;
}
