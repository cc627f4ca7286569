/* The matrices of a reduced body: what is written and read. */
#include "reduced.h"

#include <stddef.h>
#include <string.h>

#define AT(field) offsetof(phx_flex, field)
const reduced_field reduced_fields[REDUCED_FIELDS] = {
    {"/S", EXTENT_DIM, EXTENT_N, ANY, false, AT(S), "first moment by the coordinates", "kg^1/2"},
    {"/C", EXTENT_ROT, EXTENT_N, ANY, false, AT(C), "angular momentum about the origin by the rates of the coordinates",
     "kg^1/2 m"},
    {"/j", EXTENT_PAIR, EXTENT_N, ANY, false, AT(j), "change of the inertia, pairs 11 22 33 12 13 23, plane: zz",
     "kg^1/2 m"},
    {"/M", EXTENT_N, EXTENT_N, SYMMETRIC, false, AT(M), "mass matrix of the coordinates, masses at ports included",
     "1"},
    {"/K", EXTENT_N, EXTENT_N, SYMMETRIC, false, AT(K), "stiffness matrix", "1/s^2"},
    {"/A1", EXTENT_N, EXTENT_N, SKEW, false, AT(A[0]), "gyroscopic integral about x, plane: z", "1"},
    {"/A2", EXTENT_N, EXTENT_N, SKEW, true, AT(A[1]), "gyroscopic integral about y", "1"},
    {"/A3", EXTENT_N, EXTENT_N, SKEW, true, AT(A[2]), "gyroscopic integral about z", "1"},
    {"/Q11", EXTENT_N, EXTENT_N, SYMMETRIC, false, AT(Q[0]), "second derivative of the inertia, pair 11, plane: zz",
     "1"},
    {"/Q22", EXTENT_N, EXTENT_N, SYMMETRIC, true, AT(Q[1]), "second derivative of the inertia, pair 22", "1"},
    {"/Q33", EXTENT_N, EXTENT_N, SYMMETRIC, true, AT(Q[2]), "second derivative of the inertia, pair 33", "1"},
    {"/Q12", EXTENT_N, EXTENT_N, SYMMETRIC, true, AT(Q[3]), "second derivative of the inertia, pair 12", "1"},
    {"/Q13", EXTENT_N, EXTENT_N, SYMMETRIC, true, AT(Q[4]), "second derivative of the inertia, pair 13", "1"},
    {"/Q23", EXTENT_N, EXTENT_N, SYMMETRIC, true, AT(Q[5]), "second derivative of the inertia, pair 23", "1"},
};

double **reduced_values(const reduced_field *field, phx_flex *flex)
{
    return (double **)(void *)((char *)flex + field->offset);
}

static int extent_in(reduced_extent extent, const phx_flex *flex)
{
    switch (extent) {
    case EXTENT_DIM:
        return flex->dim;
    case EXTENT_ROT:
        return flex->n_rot;
    case EXTENT_PAIR:
        return flex->n_pair;
    default:
        return flex->n;
    }
}

void reduced_extents(const reduced_field *field, const phx_flex *flex, int *rows, int *cols)
{
    const bool has = flex->dim == 3 || !field->space;
    *rows = has ? extent_in(field->rows, flex) : 0;
    *cols = has ? extent_in(field->cols, flex) : 0;
}
