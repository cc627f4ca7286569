/* Words and numbers of a file .msh, text or binary. */
#include "gmsh_msh.h"

#include <limits.h>
#include <string.h>

size_t phx_msh_place(const phx_msh *m)
{
    return m->text.file->base + (size_t)(m->text.at - m->text.file->bytes);
}

phx_status phx_msh_fail_end(phx_msh *m)
{
    m->text.at = m->text.end;
    return MSH_FAIL(m, "the file ends inside of %s", m->text.section);
}

/* ---- words and numbers ---- */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

const char *phx_msh_word(phx_msh *m, size_t *length)
{
    while (m->text.at < m->text.end && is_blank(*m->text.at))
        m->text.at++;
    const char *end = m->text.at;
    while (end < m->text.end && !is_blank(*end))
        end++;
    *length = (size_t)(end - m->text.at);
    return *length ? m->text.at : NULL;
}

phx_status phx_msh_text_integer(phx_msh *m, const char *what, long long *value)
{
    size_t length;
    const char *word = phx_msh_word(m, &length);
    if (!word)
        return phx_msh_fail_end(m);
    if (!phx_scan_integer(word, length, value))
        return MSH_FAIL(m, "%s is expected, a whole number; found %s", what, phx_shown_part(word, length).text);
    m->text.at += length;
    return PHX_OK;
}

phx_status phx_msh_text_real(phx_msh *m, const char *what, double *value)
{
    size_t length;
    const char *word = phx_msh_word(m, &length);
    if (!word)
        return phx_msh_fail_end(m);
    if (!phx_scan_number(word, length, value))
        return MSH_FAIL(m, "%s is expected, a number; found %s", what, phx_shown_part(word, length).text);
    m->text.at += length;
    return PHX_OK;
}

static phx_status bytes(phx_msh *m, int count, uint64_t *value)
{
    if (m->text.end - m->text.at < count)
        return phx_msh_fail_end(m);
    *value = 0;
    for (int k = 0; k < count; k++)
        *value = *value << 8 | (unsigned char)m->text.at[m->text.big_endian ? k : count - 1 - k];
    m->text.at += count;
    return PHX_OK;
}

phx_status phx_msh_int(phx_msh *m, const char *what, long long *value)
{
    uint64_t bits = 0;
    const phx_status status = m->text.binary ? bytes(m, 4, &bits) : phx_msh_text_integer(m, what, value);
    if (!status && m->text.binary)
        *value = bits > INT_MAX ? (long long)bits - (1ll << 32) : (long long)bits;
    if (!status && (*value < -INT_MAX || *value > INT_MAX))
        return MSH_FAIL(m, "%s is %lld", what, *value);
    return status;
}

/* Reads a nonnegative size as text or as a binary integer of the file's word size. */
phx_status phx_msh_size(phx_msh *m, const char *what, long long *value)
{
    if (!m->text.binary) {
        const phx_status status = phx_msh_text_integer(m, what, value);
        return status || *value >= 0 ? status : MSH_FAIL(m, "%s is %lld", what, *value);
    }
    uint64_t bits = 0;
    const phx_status status = bytes(m, m->text.size_bytes, &bits);
    if (status)
        return status;
    if (bits > LLONG_MAX)
        return MSH_FAIL(m, "%s is %llu", what, (unsigned long long)bits);
    *value = (long long)bits;
    return PHX_OK;
}

phx_status phx_msh_tag(phx_msh *m, const char *what, long long *value)
{
    return m->text.format == 41 ? phx_msh_size(m, what, value) : phx_msh_int(m, what, value);
}

static phx_status get_real(phx_msh *m, const char *what, double *value)
{
    uint64_t bits = 0;
    if (!m->text.binary)
        return phx_msh_text_real(m, what, value);
    const phx_status status = bytes(m, 8, &bits);
    if (!status)
        memcpy(value, &bits, sizeof *value);
    return status;
}

phx_status phx_msh_reals(phx_msh *m, const char *what, int count, double *values)
{
    phx_status status = PHX_OK;
    for (int k = 0; k < count && !status; k++)
        status = get_real(m, what, &values[k]);
    return status;
}

phx_status phx_msh_count(phx_msh *m, const char *what, int least, long long *value)
{
    const phx_status status = phx_msh_size(m, what, value);
    if (status)
        return status;
    if (*value > (m->text.end - m->text.at) / least + 1)
        return MSH_FAIL(m, "%s is %lld, more than the rest of the file can hold", what, *value);
    return PHX_OK;
}

/* ---- lines and sections ---- */
phx_status phx_msh_end_line(phx_msh *m)
{
    while (m->text.at < m->text.end && (*m->text.at == ' ' || *m->text.at == '\t' || *m->text.at == '\r'))
        m->text.at++;
    if (m->text.at == m->text.end)
        return phx_msh_fail_end(m);
    if (*m->text.at != '\n')
        return MSH_FAIL(m, "the end of the line is expected");
    m->text.at++;
    return PHX_OK;
}

phx_status phx_msh_end_section(phx_msh *m)
{
    size_t length;
    const char *word = phx_msh_word(m, &length);
    if (!word)
        return phx_msh_fail_end(m);
    const size_t name = strlen(m->text.section) - 1;
    if (length != name + 4 || memcmp(word, "$End", 4) != 0 || memcmp(word + 4, m->text.section + 1, name) != 0)
        return MSH_FAIL(m, "$End%s is expected; found %s", m->text.section + 1, phx_shown_part(word, length).text);
    m->text.at += length;
    return PHX_OK;
}

/* Determines the byte order of a binary file from the number 1 in four bytes. */
phx_status phx_msh_byte_order(phx_msh *m)
{
    uint64_t one = 0;
    phx_status status = phx_msh_end_line(m);
    if (!status)
        status = bytes(m, 4, &one);
    if (status)
        return status;
    m->text.big_endian = one == 1u << 24;
    if (one != 1 && one != 1u << 24) {
        m->text.at -= 4;
        return MSH_FAIL(m, "the number 1 in four bytes is expected, which tells the byte order");
    }
    return PHX_OK;
}
