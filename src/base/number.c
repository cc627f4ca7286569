/* Numbers in texts. */
#include "base.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of characters of the number at the start of a text; 0 if it does not begin with one. */
int phx_number_length(const char *text)
{
    static const char digits[] = "0123456789";
    size_t n = strspn(text, digits), found = n;
    if (text[n] == '.') {
        const size_t behind = strspn(text + n + 1, digits);
        n += 1 + behind;
        found += behind;
    }
    if (found && (text[n] == 'e' || text[n] == 'E')) {
        const size_t power = n + 1 + (text[n + 1] == '+' || text[n + 1] == '-'), length = strspn(text + power, digits);
        n = length ? power + length : n;
    }
    return found ? (int)n : 0;
}

/* Parses a whole text of at most 60 characters as a number with a decimal point in any locale. */
bool phx_number_from_text(const char *text, double *value)
{
    char copy[80];
    int sign = *text == '-' || *text == '+';
    int n = phx_number_length(text + sign);
    if (!n || text[sign + n] || n > 60)
        return false;
    /* strtod expects the decimal point of the locale */
    const char *point = localeconv()->decimal_point;
    const char *dot = strchr(text, '.');
    if (!dot || strlen(point) > 8)
        snprintf(copy, sizeof copy, "%s", text);
    else
        snprintf(copy, sizeof copy, "%.*s%s%s", (int)(dot - text), text, point, dot + 1);
    char *end;
    *value = strtod(copy, &end);
    return !*end;
}
