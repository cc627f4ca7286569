/* The matrices of a reduced body: what is written and read. */
#include "reduced.h"

#include <stddef.h>
#include <string.h>

#define AT(field) offsetof(phx_flex, field)
const reduced_field reduced_fields[REDUCED_FIELDS] = {
    {"/S", 3, 0, ANY, AT(S), "first moment by the coordinates", "kg^1/2"},
    {"/C", 3, 0, ANY, AT(C), "angular momentum about the origin by the rates of the coordinates", "kg^1/2 m"},
    {"/j", 6, 0, ANY, AT(j), "change of the inertia, pairs 11 22 33 12 13 23", "kg^1/2 m"},
    {"/M", 0, 0, SYMMETRIC, AT(M), "mass matrix of the coordinates, masses at ports included", "1"},
    {"/K", 0, 0, SYMMETRIC, AT(K), "stiffness matrix", "1/s^2"},
    {"/A1", 0, 0, SKEW, AT(A[0]), "gyroscopic integral about x", "1"},
    {"/A2", 0, 0, SKEW, AT(A[1]), "gyroscopic integral about y", "1"},
    {"/A3", 0, 0, SKEW, AT(A[2]), "gyroscopic integral about z", "1"},
    {"/Q11", 0, 0, SYMMETRIC, AT(Q[0]), "second derivative of the inertia, pair 11", "1"},
    {"/Q22", 0, 0, SYMMETRIC, AT(Q[1]), "second derivative of the inertia, pair 22", "1"},
    {"/Q33", 0, 0, SYMMETRIC, AT(Q[2]), "second derivative of the inertia, pair 33", "1"},
    {"/Q12", 0, 0, SYMMETRIC, AT(Q[3]), "second derivative of the inertia, pair 12", "1"},
    {"/Q13", 0, 0, SYMMETRIC, AT(Q[4]), "second derivative of the inertia, pair 13", "1"},
    {"/Q23", 0, 0, SYMMETRIC, AT(Q[5]), "second derivative of the inertia, pair 23", "1"},
};

double **reduced_values(const reduced_field *field, phx_flex *flex)
{
    return (double **)(void *)((char *)flex + field->offset);
}
