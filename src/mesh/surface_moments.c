/* Volume or area of a surface with its first and second moments, and whether it is closed. */
#include "mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct moment_point {
    double x[3];
    int point;
} moment_point;

typedef struct moment_edge {
    int low, high, direction; /* points with different places; 1 from low to high, else -1 */
} moment_edge;

static int compare_places(const void *a, const void *b)
{
    const moment_point *p = a, *q = b;
    for (int i = 0; i < 3; i++)
        if (p->x[i] != q->x[i])
            return p->x[i] > q->x[i] ? 1 : -1;
    return 0;
}

static int compare_ends(const void *a, const void *b)
{
    const moment_edge *e = a, *f = b;
    return e->low != f->low ? (e->low > f->low) - (e->low < f->low) : (e->high > f->high) - (e->high < f->high);
}

/* Sides of triangles without one of another triangle in the opposite direction; points of one place are one point. */
static int count_open(const phx_surface *surface, moment_point *points, int *number, moment_edge *edges)
{
    int n = 0, open = 0;

    for (int p = 0; p < surface->n_points; p++)
        points[p] = (moment_point){{surface->x[3 * p], surface->x[3 * p + 1], surface->x[3 * p + 2]}, p};
    qsort(points, (size_t)surface->n_points, sizeof *points, compare_places);
    for (int p = 0, first = 0; p < surface->n_points; p++) {
        first = compare_places(&points[p], &points[first]) ? p : first;
        number[points[p].point] = first;
    }
    for (int k = 0; k < 3 * surface->n_triangles; k++) {
        const int a = number[surface->triangle[k]], b = number[surface->triangle[k % 3 == 2 ? k - 2 : k + 1]];
        if (a != b)
            edges[n++] = a < b ? (moment_edge){a, b, 1} : (moment_edge){b, a, -1};
    }
    qsort(edges, (size_t)n, sizeof *edges, compare_ends);
    for (int k = 0, sum = 0; k < n; k++) {
        sum += edges[k].direction;
        if (k + 1 == n || compare_ends(&edges[k], &edges[k + 1])) {
            open += abs(sum);
            sum = 0;
        }
    }
    return open;
}

/* Twice the area of a triangle with its normal; `x`: the corners from `origin`. */
static double triangle_normal(const phx_surface *surface, int t, const double origin[3], double x[3][3],
                              double normal[3])
{
    double square = 0.0;

    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            x[k][i] = surface->x[3 * surface->triangle[3 * t + k] + i] - origin[i];
    for (int i = 0; i < 3; i++) {
        const int a = (i + 1) % 3, b = (i + 2) % 3;
        normal[i] = (x[1][a] - x[0][a]) * (x[2][b] - x[0][b]) - (x[1][b] - x[0][b]) * (x[2][a] - x[0][a]);
        square += normal[i] * normal[i];
    }
    return sqrt(square);
}

/* Each triangle with corners x_k from the middle of the surface and s = x_1 + x_2 + x_3 has the area a, and with the
 * middle the volume v = n . x_1/6. Their first moments are a s/3 and v s/4, their second ones
 *
 *     a/12 (sum x_k x_k^T + s s^T),   v/20 (sum x_k x_k^T + s s^T). */
static void integrate_triangles(const phx_surface *surface, bool shell, phx_surface_moments *moments)
{
    double middle[3] = {0}, first[3] = {0}, second[9] = {0}, x[3][3], normal[3];

    *moments = (phx_surface_moments){0};
    for (int t = 0; t < surface->n_triangles; t++) {
        const double area = 0.5 * triangle_normal(surface, t, (const double[]){0.0, 0.0, 0.0}, x, normal);
        moments->area += area;
        for (int i = 0; i < 3; i++)
            middle[i] += area * (x[0][i] + x[1][i] + x[2][i]) / 3.0;
    }
    for (int i = 0; i < 3 && moments->area > 0.0; i++)
        middle[i] /= moments->area;
    for (int t = 0; t < surface->n_triangles; t++) {
        const double area = 0.5 * triangle_normal(surface, t, middle, x, normal);
        const double volume = (normal[0] * x[0][0] + normal[1] * x[0][1] + normal[2] * x[0][2]) / 6.0;
        const double weight = shell ? area : volume;
        moments->volume += volume;
        for (int i = 0; i < 3; i++) {
            const double s = x[0][i] + x[1][i] + x[2][i];
            first[i] += weight * s / (shell ? 3.0 : 4.0);
            for (int j = 0; j < 3; j++)
                second[3 * i + j] +=
                    weight / (shell ? 12.0 : 20.0) *
                    (x[0][i] * x[0][j] + x[1][i] * x[1][j] + x[2][i] * x[2][j] + s * (x[0][j] + x[1][j] + x[2][j]));
        }
    }
    const double whole = shell ? moments->area : moments->volume;
    if (whole == 0.0)
        return;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            second[3 * i + j] = second[3 * i + j] / whole - first[i] * first[j] / (whole * whole);
    for (int i = 0; i < 9; i++)
        moments->inertia[i] = (i % 4 ? 0.0 : second[0] + second[4] + second[8]) - second[i];
    for (int i = 0; i < 3; i++)
        moments->centre[i] = middle[i] + first[i] / whole;
}

phx_status phx_surface_integrate(phx_context *context, const phx_surface *surface, bool shell,
                                 phx_surface_moments *moments)
{
    moment_point *points = phx_calloc(context, (size_t)surface->n_points + 1, sizeof *points);
    moment_edge *edges = phx_calloc(context, 3 * (size_t)surface->n_triangles + 1, sizeof *edges);
    int *number = phx_calloc(context, (size_t)surface->n_points + 1, sizeof *number);
    const phx_status status = points && edges && number ? PHX_OK : PHX_ERR_MEMORY;

    integrate_triangles(surface, shell, moments);
    if (!status)
        moments->open_edges = count_open(surface, points, number, edges);
    phx_free(points);
    phx_free(edges);
    phx_free(number);
    return status;
}
