#include "renewal.h"

#include <string.h>

/* PATIENCE: intervals with their own matrices before one is kept again. PROOF: intervals that believe one that was
 * proved. */
enum { PATIENCE = 64, PROOF = 16 };
static const double ALIKE = 1.25;

phx_renewal phx_renewal_create(double matrix)
{
    return (phx_renewal){.matrix = matrix};
}

void phx_renewal_begin(phx_renewal *renewal)
{
    renewal->increments = renewal->made = 0;
    renewal->fresh = false;
}

bool phx_renewal_is_due(const phx_renewal *renewal)
{
    return renewal->increments == 0 && (renewal->intervals == 0 || renewal->eager > 0);
}

void phx_renewal_made(phx_renewal *renewal)
{
    renewal->made++;
    renewal->fresh = renewal->made == 1 && renewal->increments == 0;
}

static bool is_proved(const phx_renewal *renewal)
{
    if (!renewal->fresh || renewal->uses == 0 || renewal->increments != renewal->count)
        return false;
    for (int k = 0; k < renewal->count; k++)
        if (!(renewal->size[k] <= ALIKE * renewal->proved[k]))
            return false;
    return true;
}

bool phx_renewal_count(phx_renewal *renewal, double size)
{
    if (renewal->increments < PHX_RENEWAL_SIZES)
        renewal->size[renewal->increments] = size;
    renewal->increments++;
    return is_proved(renewal);
}

/* Returns how many increments the interval needed. */
static int prove(phx_renewal *renewal, double enough)
{
    int count = renewal->increments;
    if (renewal->uses > 0 && renewal->fresh && count == renewal->count) {
        renewal->uses--;
        return count;
    }
    renewal->uses = 0;
    if (!renewal->fresh || count > PHX_RENEWAL_SIZES)
        return count;
    if (count > 1 && renewal->size[count - 1] <= enough)
        count--;
    memcpy(renewal->proved, renewal->size, sizeof renewal->proved);
    renewal->count = count;
    renewal->uses = PROOF;
    return count;
}

void phx_renewal_learn(phx_renewal *renewal, double enough)
{
    const double cost = prove(renewal, enough) + renewal->made * renewal->matrix;
    const bool dear = renewal->intervals > 0 && !renewal->fresh && cost * renewal->intervals >= renewal->spent;
    if (renewal->eager > 0)
        renewal->eager--;
    else if (dear && renewal->intervals == 1)
        renewal->eager = PATIENCE;
    renewal->spent = renewal->made > 0 ? cost : renewal->spent + cost;
    renewal->intervals = dear ? 0 : renewal->made > 0 ? 1 : renewal->intervals + 1;
}
