/* Numbers as text: little endian, one zlib stream (RFC 1950), base64; private to the layer results. */
#ifndef PHX_RESULTS_PAYLOAD_H
#define PHX_RESULTS_PAYLOAD_H

#include "results/store/output.h"

typedef struct phx_payload phx_payload;

/* Goes to `output`, which is borrowed. The first failure sticks to the payload. */
phx_status phx_payload_create(phx_context *context, phx_output *output, phx_payload **payload);
void phx_payload_f32(phx_payload *payload, double value); /* beyond the range of single precision: its largest */
void phx_payload_f64(phx_payload *payload, double value);
void phx_payload_u32(phx_payload *payload, unsigned value);
void phx_payload_i16(phx_payload *payload, int value);
size_t phx_payload_count(const phx_payload *payload); /* bytes put so far */
/* The end of the stream; the first failure, if there was one. */
phx_status phx_payload_finish(phx_payload *payload);
void phx_payload_destroy(phx_payload *payload); /* NULL is allowed */

#endif
