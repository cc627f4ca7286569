/* Texts for messages: quotations of the input, and the valid word that is near. */
#include "base/base.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { MAX_WORD = 64 };

static phx_shown quoted(const char *before, const char *text, const char *after)
{
    phx_shown shown;
    const char *begin = text;
    int n = snprintf(shown.text, sizeof shown.text, "%s'", before);
    const int room = (int)sizeof shown.text - 8 - (int)strlen(after);
    for (; *text && n < room; text++)
        shown.text[n++] = (unsigned char)*text < 0x20 ? '?' : *text;
    while (*text && text > begin && ((unsigned char)*text & 0xC0) == 0x80) /* not inside a UTF-8 character */
        text--, n--;
    snprintf(shown.text + n, sizeof shown.text - (size_t)n, "%s'%s", *text ? "..." : "", after);
    return shown;
}

phx_shown phx_shown_text(const char *text)
{
    return quoted("", text, "");
}

phx_nearest phx_nearest_to(const char *wrong)
{
    return (phx_nearest){wrong, NULL, INT_MAX};
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int word_length(const char *word)
{
    size_t n = strlen(word);
    return n < MAX_WORD ? (int)n : MAX_WORD;
}

/* Optimal string alignment: d(i,j) = min( d(i-1,j)+1, d(i,j-1)+1, d(i-1,j-1)+[a_i != b_j], swap: d(i-2,j-2)+1 ). */
static int words_distance(const char *a, const char *b)
{
    int rows[3][MAX_WORD + 1];
    int n_a = word_length(a), n_b = word_length(b);
    for (int j = 0; j <= n_b; j++)
        rows[0][j] = j;
    for (int i = 1; i <= n_a; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= n_b; j++) {
            row[j] = smaller(smaller(above[j], row[j - 1]) + 1, above[j - 1] + (lower(a[i - 1]) != lower(b[j - 1])));
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = smaller(row[j], above2[j - 2] + 1);
        }
    }
    return rows[n_a % 3][n_b];
}

void phx_nearest_offer(phx_nearest *nearest, const char *word)
{
    int d = words_distance(nearest->wrong, word);
    if (d < nearest->distance) {
        nearest->distance = d;
        nearest->best = word;
    }
}

const char *phx_nearest_word(const phx_nearest *nearest)
{
    const int d = nearest->distance;
    if (!nearest->best)
        return NULL;
    const bool near = d <= 1 + (int)strlen(nearest->best) / 3 && d < (int)strlen(nearest->best);
    return near && d < (int)strlen(nearest->wrong) ? nearest->best : NULL;
}

phx_shown phx_nearest_hint(const phx_nearest *nearest)
{
    const char *word = phx_nearest_word(nearest);
    return word ? quoted("; did you mean ", word, "?") : (phx_shown){""};
}
