/* Phlexor, layer model, private: beams cut in segments, `segments: n`.
 *
 * Such a beam becomes n bodies NAME/1 .. NAME/n of one definition, each of a share of the length, welded end to end
 * while the model is read; NAME.PORT and NAME@s then mean a point of the segment there. What is built of the model
 * knows nothing of it. */
#ifndef PHLEXOR_MODEL_SEGMENTS_H
#define PHLEXOR_MODEL_SEGMENTS_H

#include "reader.h"

typedef struct phx_segmented {
    const char *name; /* of the beam in the file */
    int first, count; /* its bodies */
    phx_model_source source;
} phx_segmented;

/* The beam of this name that is cut in segments, NULL: there is none. */
const phx_segmented *phx_segments_find(const phx_reader *reader, const char *name);
/* The beam cut in segments that a point names as a whole, NULL: it names something else. */
const phx_segmented *phx_segments_of_point(const phx_reader *reader, const phx_model_point *point);
void phx_segments_offer(const phx_reader *reader, phx_nearest *nearest);

/* The point at a fraction of the whole length: body and location. */
void phx_segments_locate(const phx_segmented *whole, double fraction, phx_model_point *point);
/* The port of this name: body and port; port -1: there is none. */
void phx_segments_port(const phx_reader *reader, const phx_segmented *whole, const char *name, phx_model_point *point);

/* A load or force along the whole beam has, until the model is finished, this number of a body. */
int phx_segments_number(const phx_reader *reader, const phx_segmented *whole);

/* The bodies have been read: cut them. */
phx_status phx_segments_cut(phx_reader *reader, const phx_node *bodies);
/* All else has been read: welds, also of ports that are held to the ground; loads and forces along
 * the length of a beam, one for each segment. */
phx_status phx_segments_finish(phx_reader *reader);

#endif
