/* The page that reports are made of (web/), embedded when the library was built; private to the layer results. */
#ifndef PHX_RESULTS_PAGE_H
#define PHX_RESULTS_PAGE_H

#include <stdbool.h>
#include <stddef.h>

/* The html text (static, ends with a zero byte after `length`), which has one line "<!--phlexor-data-->" to be replaced
 * by the data. False, NULL and 0 when the library was built without Node.js or with PHX_REPORT=OFF. */
bool phx_report_page(const char **html, size_t *length);

#endif
