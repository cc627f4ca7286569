/* PHX_PAGE is defined by the build when there is a page. Its bytes stand in an assembler source (cmake/page.s.in). */
#include "page.h"

#ifdef PHX_PAGE
extern const char phx_page_start[], phx_page_end[];

bool phx_report_page(const char **html, size_t *length)
{
    *html = phx_page_start;
    *length = (size_t)(phx_page_end - phx_page_start);
    return true;
}
#else
bool phx_report_page(const char **html, size_t *length)
{
    *html = NULL;
    *length = 0;
    return false;
}
#endif
