/* The certificate in a report; private to the layer study. */
#ifndef PHLEXOR_STUDY_CERTIFICATE_ITEMS_H
#define PHLEXOR_STUDY_CERTIFICATE_ITEMS_H

#include "internal.h"

enum { CERTIFICATE_ITEMS = 17, REDUNDANT_TEXT = 400, MOVED_TEXT = 400, CASIMIR_TEXT = 400 };

typedef struct phx_certificate_items {
    int count;
    phx_report_item items[CERTIFICATE_ITEMS];
    char redundant[REDUNDANT_TEXT], moved[MOVED_TEXT], casimirs[CASIMIR_TEXT];
} phx_certificate_items;

/* `report` NULL: there is none, for the reason given. Both are borrowed. */
void phx_certificate_list(const phx_check_report *report, const char *reason, phx_certificate_items *list);

#endif
