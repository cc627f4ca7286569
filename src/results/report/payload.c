/* Encodes numbers as text: bytes, zlib, base64, each with a block of its own. */
#include "payload.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

enum { RAW = 1 << 16, COMPRESSED = 3 << 14, TEXT = 4 << 14 }; /* COMPRESSED bytes make TEXT characters */

struct phx_payload {
    phx_context *context;
    phx_output *output;
    phx_status status;
    z_stream stream;
    bool open;
    size_t count, n_raw, n_compressed;
    unsigned char raw[RAW], compressed[COMPRESSED];
    char text[TEXT];
};

/* zlib allocates through Phlexor, so that its failures are reported like all others. */
static voidpf payload_allocate(voidpf context, uInt items, uInt size)
{
    return phx_calloc(context, items, size);
}

static void release(voidpf context, voidpf address)
{
    (void)context;
    phx_free(address);
}

/* A stream that compresses numbers into `output` as text; phx_payload_destroy frees it. */
phx_status phx_payload_create(phx_context *context, phx_output *output, phx_payload **created)
{
    phx_payload *payload = phx_calloc(context, 1, sizeof *payload);

    *created = NULL;
    if (!payload)
        return PHX_ERR_MEMORY;
    payload->context = context;
    payload->output = output;
    payload->stream = (z_stream){.zalloc = payload_allocate, .zfree = release, .opaque = context};
    if (deflateInit(&payload->stream, Z_DEFAULT_COMPRESSION) != Z_OK) {
        phx_free(payload);
        return PHX_ERR_MEMORY;
    }
    payload->open = true;
    *created = payload;
    return PHX_OK;
}

void phx_payload_destroy(phx_payload *payload)
{
    if (payload && payload->open)
        deflateEnd(&payload->stream);
    phx_free(payload);
}

/* Write the compressed bytes as base64; a multiple of three bytes except at the end. */
static void payload_put_text(phx_payload *payload)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *from = payload->compressed;
    char *to = payload->text;

    for (size_t i = 0; i < payload->n_compressed; i += 3) {
        const size_t rest = payload->n_compressed - i;
        const unsigned long bits = (unsigned long)from[i] << 16 | (rest > 1 ? (unsigned long)from[i + 1] << 8 : 0) |
                                   (rest > 2 ? (unsigned long)from[i + 2] : 0);
        *to++ = digits[bits >> 18 & 63];
        *to++ = digits[bits >> 12 & 63];
        *to++ = rest > 1 ? digits[bits >> 6 & 63] : '=';
        *to++ = rest > 2 ? digits[bits & 63] : '=';
    }
    phx_output_bytes(payload->output, payload->text, (size_t)(to - payload->text));
    payload->n_compressed = 0;
}

/* Compresses the raw bytes and writes each full buffer; an error of zlib stays in payload->status. */
static void deflate_raw(phx_payload *payload, int flush)
{
    int result = Z_OK;

    payload->stream.next_in = payload->raw;
    payload->stream.avail_in = (uInt)payload->n_raw;
    do {
        payload->stream.next_out = payload->compressed + payload->n_compressed;
        payload->stream.avail_out = (uInt)(COMPRESSED - payload->n_compressed);
        result = deflate(&payload->stream, flush);
        payload->n_compressed = COMPRESSED - payload->stream.avail_out;
        if (payload->n_compressed == COMPRESSED)
            payload_put_text(payload);
    } while (result == Z_OK && (payload->stream.avail_in > 0 || flush == Z_FINISH || payload->stream.avail_out == 0));
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR && !payload->status)
        payload->status =
            phx_fail(payload->context, PHX_ERR_ANALYSIS, "zlib cannot compress the report: error %d", result);
    payload->n_raw = 0;
}

static void payload_put(phx_payload *payload, uint64_t bits, int bytes)
{
    if (payload->n_raw + (size_t)bytes > RAW)
        deflate_raw(payload, Z_NO_FLUSH);
    for (int i = 0; i < bytes; i++)
        payload->raw[payload->n_raw++] = (unsigned char)(bits >> 8 * i & 255);
    payload->count += (size_t)bytes;
}

void phx_payload_f32(phx_payload *payload, double value)
{
    const float number = (float)(isnan(value) ? value : fmax(-(double)FLT_MAX, fmin((double)FLT_MAX, value)));
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    payload_put(payload, bits, 4);
}

void phx_payload_f64(phx_payload *payload, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    payload_put(payload, bits, 8);
}

void phx_payload_u32(phx_payload *payload, unsigned value)
{
    payload_put(payload, value, 4);
}

void phx_payload_i16(phx_payload *payload, int value)
{
    payload_put(payload, (uint16_t)value, 2);
}

size_t phx_payload_count(const phx_payload *payload)
{
    return payload->count;
}

phx_status phx_payload_finish(phx_payload *payload)
{
    deflate_raw(payload, Z_FINISH);
    payload_put_text(payload);
    return payload->status ? payload->status : payload->output->status;
}
