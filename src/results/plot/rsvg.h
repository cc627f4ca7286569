/* The functions of librsvg and GLib that are used. Their own headers need those of GDK-Pixbuf. */
#ifndef PHX_RESULTS_RSVG_H
#define PHX_RESULTS_RSVG_H

#include <cairo.h>
#include <stddef.h>

enum { PHX_RSVG_UNLIMITED = 1 }; /* texts and paths of any size */

typedef struct RsvgHandle RsvgHandle;
typedef struct RsvgRectangle {
    double x, y, width, height;
} RsvgRectangle;

RsvgHandle *rsvg_handle_new_from_stream_sync(void *stream, void *base_file, int flags, void *cancellable, void **error);
int rsvg_handle_render_document(RsvgHandle *handle, cairo_t *cairo, const RsvgRectangle *viewport, void **error);
void *g_memory_input_stream_new_from_data(const void *data, ptrdiff_t size, void (*destroy)(void *));
void g_object_unref(void *object);
extern const unsigned rsvg_major_version, rsvg_minor_version, rsvg_micro_version;

#endif
