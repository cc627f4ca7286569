/* Reuse of the Jacobian in Newton's iteration over intervals of one size that are solved one after the other: when a
 * new one is made, and how many corrections an interval needs.
 *
 * A factored Jacobian is reused until an interval costs at least the mean cost of the intervals since it was made, its
 * own cost included. That is the cheapest time to replace it. Where the first interval that reuses it is already so
 * expensive, each interval gets a new Jacobian before its first correction, for some time. Costs are counted in
 * corrections, so that the decisions do not depend on the machine.
 *
 * An interval that begins with a new Jacobian makes one correction more than it needs: the last correction proves that
 * the ones before were enough. While the corrections of the next intervals are of the same size, these intervals stop
 * one correction earlier. Where stiffness makes rounding large the last correction is rounding; the ones before were
 * enough when what they leave over, by the rate at which they shrink, is lost in it. Corrections of the size of the
 * velocities themselves prove nothing. An interval that reuses an expensive Jacobian, or one that is only partly new
 * and whose rate is that of its older parts, stops where the error that is left, by the rate at which its own
 * corrections shrink, is lost in rounding of the size last seen. */
#ifndef PHLEXOR_INTEGRATE_JACOBIAN_REUSE_H
#define PHLEXOR_INTEGRATE_JACOBIAN_REUSE_H

#include "base/base.h"

enum { PHX_JACOBIAN_REUSE_SIZES = 4 };

typedef struct phx_jacobian_reuse {
    double matrix; /* cost of a Jacobian */
    double spent;  /* cost of the present Jacobian and of the intervals that used it */
    int intervals; /* number of these intervals; 0: a new Jacobian is due */
    int eager;     /* number of coming intervals that get a new Jacobian each */
    /* sizes of corrections that are enough as has been proved, their number, and for how many more intervals they hold
     */
    double proved[PHX_JACOBIAN_REUSE_SIZES];
    int count, uses;
    /* the present interval: sizes of its first corrections, their number, Jacobians made for it */
    double size[PHX_JACOBIAN_REUSE_SIZES];
    int corrections, made;
    bool fresh;        /* its only Jacobian was made before the first correction, */
    bool partly;       /* in parts, the others are those of an interval before */
    double last;       /* its last correction */
    double rest[2];    /* what the last correction, and the one before, leaves over by their rate */
    bool lost;         /* which leaves over less than rounding */
    double rounding;   /* size of a correction that was rounding */
    int rounding_uses; /* for how many more intervals it holds */
} phx_jacobian_reuse;

/* `matrix`: cost of a Jacobian and its factorisation; the unit is one correction with its residual. */
phx_jacobian_reuse phx_jacobian_reuse_create(double matrix);
void phx_jacobian_reuse_begin(phx_jacobian_reuse *reuse);
/* Whether the next correction should use a new Jacobian. One that does not fit the step size is replaced anyway. */
bool phx_jacobian_reuse_is_due(const phx_jacobian_reuse *reuse);
/* `partly`: only parts of it are new. */
void phx_jacobian_reuse_made(phx_jacobian_reuse *reuse, bool partly);
/* Count a correction of this size. True: earlier intervals have proved that it is the last one needed. */
bool phx_jacobian_reuse_count(phx_jacobian_reuse *reuse, double size);
/* How many corrections may still follow where the iteration is slow: `usual`, or those that an expensive Jacobian
 * costs.
 */
int phx_jacobian_reuse_patience(const phx_jacobian_reuse *reuse, int usual);
void phx_jacobian_reuse_archive(phx_archive *archive, phx_jacobian_reuse *reuse);
/* The interval is solved. `enough`: size below which a correction is not needed; `rounding`: the last one was no more
 * than that; `scale`: size of the velocities. */
void phx_jacobian_reuse_learn(phx_jacobian_reuse *reuse, double enough, bool rounding, double scale);

#endif
