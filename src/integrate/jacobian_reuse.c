#include "jacobian_reuse.h"

#include <math.h>
#include <string.h>

/* PATIENCE: number of intervals with a new Jacobian each before reuse is tried again. PROOF: number of intervals that
 * rely on a proved number of corrections, or on a size of rounding, once it was seen; the former while theirs are at
 * most ALIKE times as large, or as much larger as what they leave over allows, the first at most WIDEST times. */
enum { PATIENCE = 64, PROOF = 16 };
static const double ALIKE = 1.25, WIDEST = 2.0;
/* An error that corrections leave over is lost in rounding below this share of it. */
static const double LOST = 0.1;
/* With a reused Jacobian it has the same sign for many intervals. */
static const double LOST_REUSED = 0.05;
/* Corrections above this share of the velocities prove nothing: where they end after one, the forces have a kink, as
 * those of a contact, and corrections of the same size need not end there. */
static const double SMALL = 0.1;
/* A Jacobian that costs as many corrections is used for many intervals: they stop at rounding, and the proofs for new
 * Jacobians outlive them. */
static const double EXPENSIVE = 4.0;
/* Corrections with a reused Jacobian shrink more slowly in the end than in the beginning: this slowly, at least. */
static const double END_RATE = 1e-2;

phx_jacobian_reuse phx_jacobian_reuse_create(double matrix)
{
    return (phx_jacobian_reuse){.matrix = matrix};
}

void phx_jacobian_reuse_begin(phx_jacobian_reuse *reuse)
{
    reuse->corrections = reuse->made = 0;
    reuse->fresh = reuse->partly = reuse->lost = false;
    reuse->last = 0.0;
    reuse->rest[0] = HUGE_VAL;
}

bool phx_jacobian_reuse_is_due(const phx_jacobian_reuse *reuse)
{
    return reuse->corrections == 0 && (reuse->intervals == 0 || reuse->eager > 0);
}

void phx_jacobian_reuse_made(phx_jacobian_reuse *reuse, bool partly)
{
    reuse->partly = partly;
    reuse->made++;
    reuse->fresh = reuse->made == 1 && reuse->corrections == 0;
}

static bool is_proved(const phx_jacobian_reuse *reuse)
{
    if (!reuse->fresh || reuse->partly || reuse->uses == 0 || reuse->corrections != reuse->count)
        return false;
    for (int k = 0; k < reuse->count; k++)
        if (!(reuse->size[k] <= reuse->proved[k]))
            return false;
    return true;
}

/* The Jacobian, or parts of it, are of an interval before: the rate of the corrections tells what they leave over. */
static bool follows_rate(const phx_jacobian_reuse *reuse)
{
    return reuse->partly || (reuse->matrix >= EXPENSIVE && reuse->made == 0);
}

/* The last correction leaves over less than rounding, by the rate. */
static bool is_lost(const phx_jacobian_reuse *reuse)
{
    return follows_rate(reuse) && reuse->rounding_uses > 0 && reuse->rest[0] <= LOST_REUSED * reuse->rounding;
}

bool phx_jacobian_reuse_count(phx_jacobian_reuse *reuse, double size)
{
    if (reuse->corrections < PHX_JACOBIAN_REUSE_SIZES)
        reuse->size[reuse->corrections] = size;
    reuse->corrections++;
    reuse->rest[1] = reuse->rest[0];
    reuse->rest[0] = fmax(reuse->last > 0.0 ? size / reuse->last : 1.0, END_RATE) * size;
    reuse->last = size;
    reuse->lost = is_lost(reuse);
    return reuse->lost || is_proved(reuse);
}

int phx_jacobian_reuse_patience(const phx_jacobian_reuse *reuse, int usual)
{
    return reuse->matrix >= EXPENSIVE ? (int)reuse->matrix : usual;
}

/* The size of what corrections e, q e, q^2 e, ... leave over, of which `count` were made. */
static double left_over(const double *size, int count)
{
    return count > 1 ? size[count - 1] * (size[count - 1] / size[count - 2]) : HUGE_VAL;
}

/* The first `count` corrections were enough: they may leave over `limit`. The rate q of a Jacobian made at the
 * prediction is proportional to its error, that is to the first correction e: the k-th is of order e^k, and what all
 * leave over e^(count + 1). */
static void keep_proof(phx_jacobian_reuse *reuse, int count, double limit)
{
    const double left = left_over(reuse->size, count);
    const double wider = left > 0.0 && left < limit ? fmin(pow(limit / left, 1.0 / (count + 1)), WIDEST) : 1.0;
    double factor = 1.0;

    for (int k = 0; k < count; k++) {
        factor *= wider;
        reuse->proved[k] = fmax(ALIKE, factor) * reuse->size[k];
    }
    reuse->count = count;
    reuse->uses = PROOF;
}

/* How large rounding is: as the last correction, which was no more than that. Returns the number of corrections that an
 * interval with a reused Jacobian needed. */
static int see_rounding(phx_jacobian_reuse *reuse, bool rounding)
{
    if (reuse->lost) {
        reuse->rounding_uses--;
    } else if (rounding) {
        reuse->rounding = reuse->last;
        reuse->rounding_uses = PROOF;
        return reuse->corrections - (reuse->rest[1] <= LOST_REUSED * reuse->rounding);
    }
    return reuse->corrections;
}

/* Returns the number of corrections that the interval needed. */
static int prove(phx_jacobian_reuse *reuse, double enough, bool rounding, double scale)
{
    int count = reuse->corrections;
    double limit = 0.0;
    if (follows_rate(reuse))
        return see_rounding(reuse, rounding);
    if (reuse->uses > 0 && reuse->fresh && count == reuse->count) {
        reuse->uses--;
        return count;
    }
    reuse->uses = 0;
    if (!reuse->fresh || count > PHX_JACOBIAN_REUSE_SIZES || !(reuse->size[0] <= SMALL * scale))
        return count;
    if (count > 1) {
        const double last = reuse->size[count - 1], lost = rounding ? LOST * last : 0.0;
        limit = last <= enough || left_over(reuse->size, count - 1) <= lost ? fmax(enough, lost) : 0.0;
    }
    keep_proof(reuse, limit > 0.0 ? count - 1 : count, limit);
    return reuse->count;
}

void phx_jacobian_reuse_learn(phx_jacobian_reuse *reuse, double enough, bool rounding, double scale)
{
    const double cost = prove(reuse, enough, rounding, scale) + reuse->made * reuse->matrix;
    const bool expensive = reuse->intervals > 0 && !reuse->fresh && cost * reuse->intervals >= reuse->spent;
    if (reuse->eager > 0)
        reuse->eager--;
    else if (expensive && reuse->intervals == 1)
        reuse->eager = PATIENCE;
    reuse->spent = reuse->made > 0 ? cost : reuse->spent + cost;
    reuse->intervals = expensive ? 0 : reuse->made > 0 ? 1 : reuse->intervals + 1;
}

/* Writes or reads the decisions about reusing a Jacobian that reach beyond one interval. */
void phx_jacobian_reuse_archive(phx_archive *archive, phx_jacobian_reuse *reuse)
{
    int *const counts[] = {&reuse->intervals, &reuse->eager,       &reuse->count,
                           &reuse->uses,      &reuse->corrections, &reuse->made};

    phx_archive_double(archive, &reuse->matrix);
    phx_archive_double(archive, &reuse->spent);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        phx_archive_int(archive, counts[k]);
    phx_archive_doubles(archive, PHX_JACOBIAN_REUSE_SIZES, reuse->proved);
    phx_archive_doubles(archive, PHX_JACOBIAN_REUSE_SIZES, reuse->size);
    phx_archive_bool(archive, &reuse->fresh);
    phx_archive_double(archive, &reuse->rounding);
    phx_archive_int(archive, &reuse->rounding_uses);
}
