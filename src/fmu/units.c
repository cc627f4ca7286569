/* Units of variables by their exponents. */
#include "internal.h"

#include <string.h>

static const phx_fmu_unit units[] = {
    {"m", 0, 1, 0, 0},  {"m/s", 0, 1, -1, 0}, {"m/s2", 0, 1, -2, 0}, {"rad", 0, 0, 0, 1},  {"rad/s", 0, 0, -1, 1},
    {"N", 1, 1, -2, 0}, {"N.m", 1, 2, -2, 0}, {"N/m", 1, 0, -2, 0},  {"Pa", 1, -1, -2, 0}, {"J", 1, 2, -2, 0},
    {"W", 1, 2, -3, 0}, {"s", 0, 0, 1, 0},    {"m2/s", 0, 2, -1, 0},
};
enum { N_UNITS = sizeof units / sizeof *units };

const phx_fmu_unit *phx_fmu_find_unit(const char *name)
{
    for (int k = 0; k < N_UNITS; k++)
        if (!strcmp(units[k].name, name))
            return &units[k];
    return NULL;
}

const phx_fmu_unit *phx_fmu_unit_at(int k)
{
    return k < N_UNITS ? &units[k] : NULL;
}
