/* Checks of a text ahead of the YAML parser: printable UTF-8 of moderate size. */
#include "tree.h"

#include <string.h>

/* Bytes of the UTF-8 character at `text`, 0 when it is none (overlong forms and surrogates included). */
static size_t utf8_length(const unsigned char *text, size_t left)
{
    static const struct {
        unsigned char low, high, second_low, second_high;
        size_t length;
    } forms[] = {{0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
                 {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
                 {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
    if (text[0] < 0x80)
        return 1;
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        if (text[0] < forms[k].low || text[0] > forms[k].high || left < forms[k].length ||
            text[1] < forms[k].second_low || text[1] > forms[k].second_high)
            continue;
        for (size_t i = 2; i < forms[k].length; i++)
            if (text[i] < 0x80 || text[i] > 0xBF)
                return 0;
        return forms[k].length;
    }
    return 0;
}

/* Refuses text that is not UTF-8 or holds control characters, with the position of the first. */
static phx_status check_characters(phx_context *context, const char *name, const char *text, size_t length)
{
    phx_model_source at = {1, 1};
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t i = 0; i < length;) {
        size_t n = utf8_length(bytes + i, length - i);
        bool control = bytes[i] < 0x20 && bytes[i] != '\t' && bytes[i] != '\n' && bytes[i] != '\r';
        if (!n || control || bytes[i] == 0x7F)
            return phx_fail(context, PHX_ERR_INPUT, "%s:%d:%d: %s, byte 0x%02x", name, at.line, at.column,
                            n ? "a control character" : "not UTF-8 text", bytes[i]);
        at.column++;
        if (bytes[i] == '\n')
            at = (phx_model_source){at.line + 1, 1};
        i += n;
    }
    return PHX_OK;
}

phx_status phx_yaml_check(phx_context *context, const char *name, const char *text, size_t length)
{
    if (length > PHX_YAML_MAX_BYTES)
        return phx_fail(context, PHX_ERR_INPUT, "%s:1:1: %zu bytes are too long for a model file, the limit is %d",
                        name, length, PHX_YAML_MAX_BYTES);
    return check_characters(context, name, text, length);
}
