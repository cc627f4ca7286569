/* A model at its steady rotation, with its modes. */
#ifndef PHX_TEST_ROTATION_H
#define PHX_TEST_ROTATION_H

#include "mechanism.h"

#include "linear/linear.h"

typedef struct rotation {
    mechanism m;
    phx_linear linear;
    phx_mode_set set;
    double spin, *axes;
} rotation;

void rotation_open(rotation *at, const char *text, int n_set, const phx_model_override *set,
                   const phx_modes_options *options);
void rotation_close(rotation *at);
/* There is none, and the message says this. */
void rotation_refused(const char *text, const char *message);
/* The text with its first `part` replaced; in a static buffer, which may be `text`. */
const char *replaced(const char *text, const char *part, const char *by);

#endif
