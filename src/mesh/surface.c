/* Surfaces of triangles: skins over rings, refined, simplified and integrated. */
#include "mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void phx_surface_free(phx_surface *surface)
{
    phx_free(surface->x);
    phx_free(surface->triangle);
    *surface = (phx_surface){0};
}

static phx_status surface_make_room(phx_context *context, size_t points, size_t triangles, phx_surface *surface)
{
    *surface = (phx_surface){.x = phx_calloc(context, 3 * points + 1, sizeof *surface->x),
                             .triangle = phx_calloc(context, 3 * triangles + 1, sizeof *surface->triangle)};
    if (surface->x && surface->triangle)
        return PHX_OK;
    phx_surface_free(surface);
    return PHX_ERR_MEMORY;
}

static void add_triangle(phx_surface *surface, int a, int b, int c)
{
    int *triangle = surface->triangle + 3 * surface->n_triangles;
    const double *x[3] = {surface->x + 3 * a, surface->x + 3 * b, surface->x + 3 * c};

    for (int i = 0; i < 3; i++) /* a ring may be a point */
        if (!memcmp(x[i], x[(i + 1) % 3], 3 * sizeof(double)))
            return;
    triangle[0] = a, triangle[1] = b, triangle[2] = c;
    surface->n_triangles++;
}

static void edge_cross(const double *from, const double *a, const double *b, double *out)
{
    const double u[3] = {a[0] - from[0], a[1] - from[1], a[2] - from[2]},
                 v[3] = {b[0] - from[0], b[1] - from[1], b[2] - from[2]};

    for (int i = 0; i < 3; i++)
        out[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
}

/* ---- lids ---- */
/* Whether the corner `b` between `a` and `c` of a polygon with this normal can be cut off: it is convex, and no other
 * corner lies in the triangle. */
static bool is_ear(const double *x, int left, const int *corner, int at, const double normal[3])
{
    const int a = corner[(at + left - 1) % left], b = corner[at], c = corner[(at + 1) % left];
    const int sides[3][2] = {{a, b}, {b, c}, {c, a}};
    double cross[3];

    edge_cross(x + 3 * a, x + 3 * b, x + 3 * c, cross);
    if (!(cross[0] * normal[0] + cross[1] * normal[1] + cross[2] * normal[2] > 0.0))
        return false;
    for (int k = 0; k < left; k++) {
        bool inside = corner[k] != a && corner[k] != b && corner[k] != c;
        for (int s = 0; s < 3 && inside; s++) {
            edge_cross(x + 3 * sides[s][0], x + 3 * sides[s][1], x + 3 * corner[k], cross);
            inside = cross[0] * normal[0] + cross[1] * normal[1] + cross[2] * normal[2] > 0.0;
        }
        if (inside)
            return false;
    }
    return true;
}

/* Triangles inside the ring of `n` points from `first` on, by cutting ears off; `last`: seen from its end. */
static phx_status add_lid(phx_context *context, int first, int n, bool last, phx_surface *surface)
{
    double normal[3] = {0}, cross[3];
    int *corner = phx_calloc(context, (size_t)n, sizeof *corner), left = n;

    if (!corner)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < n; k++)
        corner[k] = first + (last ? k : n - 1 - k);
    for (int k = 1; k + 1 < n; k++) {
        edge_cross(surface->x + 3 * corner[0], surface->x + 3 * corner[k], surface->x + 3 * corner[k + 1], cross);
        for (int i = 0; i < 3; i++)
            normal[i] += cross[i];
    }
    for (int at = 0, tried = 0; left >= 3 && tried < left;) {
        if (!is_ear(surface->x, left, corner, at, normal)) {
            at = (at + 1) % left;
            tried++;
            continue;
        }
        add_triangle(surface, corner[(at + left - 1) % left], corner[at], corner[(at + 1) % left]);
        left--;
        memmove(corner + at, corner + at + 1, (size_t)(left - at) * sizeof *corner);
        at %= left;
        tried = 0;
    }
    phx_free(corner);
    return PHX_OK;
}

/* Two triangles for each pair of neighbours on two rings that follow each other; lids at open ends. */
phx_status phx_surface_loft(phx_context *context, int n_around, int n_along, const double *rings, bool closed,
                            phx_surface *surface)
{
    const size_t points = (size_t)n_around * (size_t)n_along;
    phx_status status = surface_make_room(context, points, 2 * points + 2 * (size_t)n_around, surface);

    if (status)
        return status;
    memcpy(surface->x, rings, 3 * points * sizeof *rings);
    surface->n_points = (int)points;
    for (int i = 0; i < n_along - !closed; i++)
        for (int k = 0; k < n_around; k++) {
            const int next = (k + 1) % n_around, a = i * n_around, b = (i + 1) % n_along * n_around;
            add_triangle(surface, a + k, a + next, b + k);
            add_triangle(surface, a + next, b + next, b + k);
        }
    if (!closed)
        status = add_lid(context, 0, n_around, false, surface);
    if (!closed && !status)
        status = add_lid(context, (n_along - 1) * n_around, n_around, true, surface);
    if (status)
        phx_surface_free(surface);
    return status;
}

/* Both in lists of their own length, the triangles of the second counted behind the points of the first. */
phx_status phx_surface_append(phx_context *context, phx_surface *surface, const phx_surface *more)
{
    const size_t points = (size_t)surface->n_points, triangles = (size_t)surface->n_triangles;
    phx_surface both;
    phx_status status =
        surface_make_room(context, points + (size_t)more->n_points, triangles + (size_t)more->n_triangles, &both);

    if (status)
        return status;
    if (surface->x)
        memcpy(both.x, surface->x, 3 * points * sizeof *both.x);
    if (surface->triangle)
        memcpy(both.triangle, surface->triangle, 3 * triangles * sizeof *both.triangle);
    memcpy(both.x + 3 * points, more->x, 3 * (size_t)more->n_points * sizeof *both.x);
    for (int k = 0; k < 3 * more->n_triangles; k++)
        both.triangle[3 * triangles + (size_t)k] = more->triangle[k] + surface->n_points;
    both.n_points = surface->n_points + more->n_points;
    both.n_triangles = surface->n_triangles + more->n_triangles;
    phx_surface_free(surface);
    *surface = both;
    return PHX_OK;
}

/* ---- finer ---- */
typedef struct surface_edge {
    int low, high; /* points */
    int middle;    /* point; -1: not halved. Of a side of a triangle: 1 from low to high, else -1 */
} surface_edge;

static int compare_edges(const void *a, const void *b)
{
    const surface_edge *e = a, *f = b;
    return e->low != f->low ? (e->low > f->low) - (e->low < f->low) : (e->high > f->high) - (e->high < f->high);
}

static surface_edge edge_between(int a, int b)
{
    return (surface_edge){.low = a < b ? a : b, .high = a < b ? b : a, .middle = -1};
}

/* All edges once, those longer than `longest` with a point in their middle; how many are halved. */
static int halve_edges(const phx_surface *surface, double longest, surface_edge *edges, int *n_edges)
{
    int n = 0, kept = 0, halved = 0;

    for (int t = 0; t < surface->n_triangles; t++)
        for (int k = 0; k < 3; k++)
            edges[n++] = edge_between(surface->triangle[3 * t + k], surface->triangle[3 * t + (k + 1) % 3]);
    qsort(edges, (size_t)n, sizeof *edges, compare_edges);
    for (int k = 0; k < n; k++) {
        if (kept > 0 && !compare_edges(&edges[k], &edges[kept - 1]))
            continue;
        const double *a = surface->x + 3 * edges[k].low, *b = surface->x + 3 * edges[k].high;
        edges[kept] = edges[k];
        if (sqrt(pow(a[0] - b[0], 2.0) + pow(a[1] - b[1], 2.0) + pow(a[2] - b[2], 2.0)) > longest)
            edges[kept].middle = surface->n_points + halved++;
        kept++;
    }
    *n_edges = kept;
    return halved;
}

/* One triangle as one to four: `middle` of its sides 01 12 20, -1 where a side stays. */
static void divide_triangle(const int corner[3], const int middle[3], phx_surface *finer)
{
    int first = 0, n = 0;

    for (int k = 0; k < 3; k++)
        n += middle[k] >= 0;
    while (n == 1 ? middle[first] < 0 : n == 2 && middle[(first + 2) % 3] >= 0)
        first++; /* one: its side; two: the one before stays */
    const int a = corner[first], b = corner[(first + 1) % 3], c = corner[(first + 2) % 3];
    const int ab = middle[first], bc = middle[(first + 1) % 3], ca = middle[(first + 2) % 3];
    if (n == 0) {
        add_triangle(finer, a, b, c);
    } else if (n == 1) {
        add_triangle(finer, a, ab, c);
        add_triangle(finer, ab, b, c);
    } else if (n == 2) {
        add_triangle(finer, ab, b, bc);
        add_triangle(finer, a, ab, bc);
        add_triangle(finer, a, bc, c);
    } else {
        add_triangle(finer, a, ab, ca);
        add_triangle(finer, ab, b, bc);
        add_triangle(finer, bc, c, ca);
        add_triangle(finer, ab, bc, ca);
    }
}

/* Replaces the surface by one whose long edges are halved; `halved`: how many. */
static phx_status refine_once(phx_context *context, double longest, phx_surface *surface, int *halved)
{
    surface_edge *edges = phx_calloc(context, 3 * (size_t)surface->n_triangles + 1, sizeof *edges);
    phx_surface finer;
    int n = 0;

    if (!edges)
        return PHX_ERR_MEMORY;
    *halved = halve_edges(surface, longest, edges, &n);
    phx_status status = surface_make_room(context, (size_t)surface->n_points + (size_t)*halved,
                                          4 * (size_t)surface->n_triangles, &finer);
    if (!status) {
        memcpy(finer.x, surface->x, 3 * (size_t)surface->n_points * sizeof *finer.x);
        finer.n_points = surface->n_points + *halved;
        for (int e = 0; e < n; e++)
            for (int i = 0; i < 3 && edges[e].middle >= 0; i++)
                finer.x[3 * edges[e].middle + i] =
                    0.5 * (surface->x[3 * edges[e].low + i] + surface->x[3 * edges[e].high + i]);
        for (int t = 0; t < surface->n_triangles; t++) {
            const int *corner = surface->triangle + 3 * t;
            int middle[3];
            for (int k = 0; k < 3; k++) {
                const surface_edge key = edge_between(corner[k], corner[(k + 1) % 3]);
                const surface_edge *found = bsearch(&key, edges, (size_t)n, sizeof *edges, compare_edges);
                middle[k] = found ? found->middle : -1;
            }
            divide_triangle(corner, middle, &finer);
        }
        phx_surface_free(surface);
        *surface = finer;
    }
    phx_free(edges);
    return status;
}

phx_status phx_surface_refine(phx_context *context, double longest, phx_surface *surface)
{
    phx_status status = PHX_OK;

    for (int halved = surface->n_triangles;
         halved > 0 && 2 * surface->n_triangles <= PHX_SURFACE_MOST_TRIANGLES && !status;)
        status = refine_once(context, longest, surface, &halved);
    return status;
}

/* ---- coarser ---- */
typedef struct grid_point {
    int cell[3], point;
} grid_point;

static int compare_cells(const void *a, const void *b)
{
    const grid_point *p = a, *q = b;
    for (int i = 0; i < 3; i++)
        if (p->cell[i] != q->cell[i])
            return p->cell[i] > q->cell[i] ? 1 : -1;
    return (p->point > q->point) - (p->point < q->point);
}

/* number: for each point the first point in its grid cell; returns how many triangles keep three different corners. */
static int join_points(const phx_surface *surface, double cell, grid_point *points, int *number)
{
    int left = 0, first = 0;

    for (int p = 0; p < surface->n_points; p++) {
        points[p].point = p;
        for (int i = 0; i < 3; i++)
            points[p].cell[i] = (int)floor(surface->x[3 * p + i] / cell);
    }
    qsort(points, (size_t)surface->n_points, sizeof *points, compare_cells);
    for (int k = 0; k < surface->n_points; k++) {
        if (memcmp(points[k].cell, points[first].cell, sizeof points[k].cell) != 0)
            first = k;
        number[points[k].point] = points[first].point;
    }
    for (int t = 0; t < surface->n_triangles; t++) {
        const int *corner = surface->triangle + 3 * t;
        const int a = number[corner[0]], b = number[corner[1]], c = number[corner[2]];
        left += a != b && b != c && c != a;
    }
    return left;
}

/* The triangles that keep three corners, and the points they have. */
static phx_status keep_joined(phx_context *context, const int *number, int triangles, phx_surface *surface)
{
    int *place = phx_calloc(context, (size_t)surface->n_points + 1, sizeof *place);
    phx_surface coarse;

    if (!place || surface_make_room(context, (size_t)surface->n_points, (size_t)triangles, &coarse)) {
        phx_free(place);
        return PHX_ERR_MEMORY;
    }
    for (int t = 0; t < surface->n_triangles; t++) {
        const int *corner = surface->triangle + 3 * t;
        int joined[3];
        for (int k = 0; k < 3; k++)
            joined[k] = number[corner[k]];
        if (joined[0] == joined[1] || joined[1] == joined[2] || joined[2] == joined[0])
            continue;
        for (int k = 0; k < 3; k++) {
            if (!place[joined[k]]) {
                memcpy(coarse.x + 3 * coarse.n_points, surface->x + 3 * joined[k], 3 * sizeof *coarse.x);
                place[joined[k]] = ++coarse.n_points;
            }
            coarse.triangle[3 * coarse.n_triangles + k] = place[joined[k]] - 1;
        }
        coarse.n_triangles++;
    }
    phx_free(place);
    phx_surface_free(surface);
    *surface = coarse;
    return PHX_OK;
}

/* Cells from a thousandth of the largest extent on, a third larger each time. */
phx_status phx_surface_simplify(phx_context *context, int most, phx_surface *surface)
{
    enum { FINEST = 1024 }; /* cells along the largest extent */
    double low[3] = {0}, high[3] = {0}, extent = 0.0;
    grid_point *points = phx_calloc(context, (size_t)surface->n_points + 1, sizeof *points);
    int *number = phx_calloc(context, (size_t)surface->n_points + 1, sizeof *number), left = surface->n_triangles;
    phx_status status = points && number ? PHX_OK : PHX_ERR_MEMORY;

    for (int p = 0; p < surface->n_points; p++)
        for (int i = 0; i < 3; i++) {
            const double x = surface->x[3 * p + i];
            low[i] = p == 0 || x < low[i] ? x : low[i];
            high[i] = p == 0 || x > high[i] ? x : high[i];
        }
    for (int i = 0; i < 3; i++)
        extent = fmax(extent, high[i] - low[i]);
    for (int cells = FINEST; cells >= 2 && left > most && !status; cells = cells * 3 / 4)
        left = join_points(surface, extent / cells, points, number);
    if (!status && left < surface->n_triangles)
        status = keep_joined(context, number, left, surface);
    phx_free(points);
    phx_free(number);
    return status;
}

/* ---- moments ---- */
typedef struct moment_point {
    double x[3];
    int point;
} moment_point;

static int compare_places(const void *a, const void *b)
{
    const moment_point *p = a, *q = b;
    for (int i = 0; i < 3; i++)
        if (p->x[i] != q->x[i])
            return p->x[i] > q->x[i] ? 1 : -1;
    return 0;
}

/* Sides of triangles without one of another triangle in the opposite direction; points of one place are one point. */
static int count_open(const phx_surface *surface, moment_point *points, int *number, surface_edge *edges)
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
        edges[n] = edge_between(a, b);
        edges[n].middle = a < b ? 1 : -1;
        n += a != b;
    }
    qsort(edges, (size_t)n, sizeof *edges, compare_edges);
    for (int k = 0, sum = 0; k < n; k++) {
        sum += edges[k].middle;
        if (k + 1 == n || compare_edges(&edges[k], &edges[k + 1])) {
            open += abs(sum);
            sum = 0;
        }
    }
    return open;
}

/* The corners of a triangle from `origin` and its normal; returns its area. */
static double triangle_area(const phx_surface *surface, int t, const double origin[3], double x[3][3], double normal[3])
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            x[k][i] = surface->x[3 * surface->triangle[3 * t + k] + i] - origin[i];
    edge_cross(x[0], x[1], x[2], normal);
    return 0.5 * sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
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
        const double area = triangle_area(surface, t, first, x, normal);
        moments->area += area;
        for (int i = 0; i < 3; i++)
            middle[i] += area * (x[0][i] + x[1][i] + x[2][i]) / 3.0;
    }
    for (int i = 0; i < 3 && moments->area > 0.0; i++)
        middle[i] /= moments->area;
    for (int t = 0; t < surface->n_triangles; t++) {
        const double area = triangle_area(surface, t, middle, x, normal);
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

/* Integrals over all triangles, and their sides without a neighbour. */
phx_status phx_surface_integrate(phx_context *context, const phx_surface *surface, bool shell,
                                 phx_surface_moments *moments)
{
    moment_point *points = phx_calloc(context, (size_t)surface->n_points + 1, sizeof *points);
    surface_edge *edges = phx_calloc(context, 3 * (size_t)surface->n_triangles + 1, sizeof *edges);
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
