/* The four-bar mechanism of [2], 4: connected from TITOP models as in its figure 12, and as a system. */
#ifndef PHLEXOR_TESTS_LINEAR_FOUR_BAR_H
#define PHLEXOR_TESTS_LINEAR_FOUR_BAR_H

#include "support/testing.h"

#include "linear/linear.h"

enum { FOUR_BAR_LINKS = 3 };

typedef struct four_bar_links {
    phx_beam *beam[FOUR_BAR_LINKS];
    phx_body *body[FOUR_BAR_LINKS];
    phx_ss *block[FOUR_BAR_LINKS];
} four_bar_links;

/* G_1 and G_2 with channel 6 inverted, G_3 with channels 1, 2 and 6. */
void four_bar_blocks(phx_context *context, four_bar_links *it);
void four_bar_free(four_bar_links *it);
/* From the torque that the crank exerts on the ground at P, `crank.P.tz`, to its angular acceleration. */
void four_bar_connect(phx_context *context, const four_bar_links *it, double theta, phx_ss **mechanism);
/* Inertia that the crank's joint feels when all links are rigid: twice the kinetic energy at unit speed. */
double four_bar_inertia(double theta);
/* The same links, the crank on a drive `motor`; points P and C on each; frozen. */
void four_bar_system(phx_context *context, double theta, phx_system **system);

#endif
