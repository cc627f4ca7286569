/* The path of a port: places and directions at times, from a csv file or arrays, and rows between way points. */
#include "internal.h"

#include "file/file.h"

#include <math.h>
#include <string.h>

/* Points the arrays of the path into a new buffer with room for n rows. */
static double *path_buffer(phx_context *context, int dim, int which, size_t n, int turn, phx_place_path *path)
{
    double *own = path->own[which] = phx_calloc(context, n * (size_t)(1 + dim + turn), sizeof *own);

    if (own)
        *path = (phx_place_path){
            (int)n, own, own + n, turn > 0 ? own + n * (size_t)(1 + dim) : NULL, {path->own[0], path->own[1]}};
    return own;
}

/* Reads the columns x, y and angle, or x, y, z and qw .. qz; those of directions are optional. */
static phx_status read_path(phx_context *context, int dim, const char *file, phx_place_path *path)
{
    static const char *const names[2][7] = {{"x", "y", "angle"}, {"x", "y", "z", "qw", "qx", "qy", "qz"}};
    const char *const *name = names[dim - 2];
    int width = dim;
    double *own = NULL;
    phx_csv csv;
    phx_status status = PHX_OK;

    for (int k = 0; k < width && !status; k++) {
        status = phx_csv_read(context, file, name[k], &csv);
        if (status)
            return phx_fail_prefix(context, status == PHX_ERR_FILE ? PHX_ERR_INPUT : status, "the path of the port: ");
        const int column = phx_csv_find(&csv, name[k]), turn = dim == 2 ? 1 : 4;
        const char *unit = csv.units[column], *expected = k < dim ? "m" : dim == 2 ? "rad" : "";
        if (column == 0 || (*unit && strcmp(unit, expected) != 0))
            status = phx_fail(context, PHX_ERR_INPUT,
                              column == 0 ? "%s: the first column is '%s', expected the time in s"
                                          : "%s: column '%s' is in '%s', expected '%s'; convert its numbers",
                              file, name[k], unit, expected);
        if (!status && k == 0) {
            width += phx_csv_find(&csv, name[dim]) >= 0 ? turn : 0;
            own = path_buffer(context, dim, 0, csv.n_rows, width - dim, path);
            status = own ? PHX_OK : PHX_ERR_MEMORY;
        }
        for (size_t r = 0, n = csv.n_rows; r < n && !status; r++) {
            own[r] = csv.values[2 * r];
            own[k < dim ? n + r * (size_t)dim + (size_t)k
                        : n * (size_t)(1 + dim) + r * (size_t)turn + (size_t)(k - dim)] = csv.values[2 * r + 1];
        }
        phx_csv_free(&csv);
    }
    return status;
}

/* Finite numbers in at least one row, times that increase, quaternions of length 1. */
static phx_status check_path(phx_context *context, int dim, const phx_place_path *path)
{
    static const double ROUNDED = 1e-3; /* of the length of a quaternion with few digits */

    for (int r = 0; r < path->n; r++) {
        const double *place = path->places + r * dim,
                     *turn = path->rotations ? path->rotations + r * (dim == 2 ? 1 : 4) : NULL;
        const double length = turn && dim == 3 ? sqrt(phx_dot(4, turn, turn)) : 1.0;
        if (!isfinite(path->t[r]) || !isfinite(phx_dot(dim, place, place)) || (turn && !isfinite(turn[0])))
            return phx_fail(context, PHX_ERR_INPUT, "row %d of the path has a number that is not finite", r + 1);
        if (r > 0 && !(path->t[r] > path->t[r - 1]))
            return phx_fail(context, PHX_ERR_INPUT, "row %d of the path: time %.10g s is not after %.10g s", r + 1,
                            path->t[r], path->t[r - 1]);
        if (!(fabs(length - 1.0) <= ROUNDED))
            return phx_fail(context, PHX_ERR_INPUT,
                            "row %d of the path: its quaternion has the length %.6g, expected 1", r + 1, length);
    }
    return path->n > 0 ? PHX_OK : phx_fail(context, PHX_ERR_INPUT, "the path is empty; give times and places");
}

/* At the part f of the way from a to b: along a line, or of quaternions about one axis by
 * (sin((1 - f) c) a + sin(f c) b)/sin(c), cos(c) = a . b. */
static void path_between(int n, const double *a, const double *b, double f, double *out)
{
    static const double SMALL = 1e-6; /* rad: sin(x) = x to rounding */
    const double cosine = n == 4 ? phx_dot(4, a, b) : 1.0, c = acos(fmin(fabs(cosine), 1.0));
    const double from = c > SMALL ? sin((1.0 - f) * c) / sin(c) : 1.0 - f, to = c > SMALL ? sin(f * c) / sin(c) : f;

    for (int k = 0; k < n; k++)
        out[k] = from * a[k] + (cosine < 0.0 ? -to : to) * b[k];
}

/* Rows at most `every` apart between way points, at rest in each: with a trapezoidal rate, or as ramps. */
static phx_status refine_path(phx_context *context, int dim, double every, double rise, phx_place_path *path)
{
    static const double ROUNDING = 1e-12, MOST = 1e6; /* of a number of rows, relative; rows */
    const int turn = path->rotations ? (dim == 2 ? 1 : 4) : 0;
    const phx_place_path way = *path;
    double rows = 1.0;
    phx_status status = PHX_OK;

    for (int i = 0; i + 1 < way.n; i++)
        rows += ceil((way.t[i + 1] - way.t[i]) / every * (1.0 - ROUNDING));
    if (!(rows <= MOST))
        return phx_fail(context, PHX_ERR_INPUT, "a row each %g s makes %g rows, more than %g; give a longer interval",
                        every, rows, MOST);
    double *own = path_buffer(context, dim, 1, (size_t)rows, turn, path);
    for (int i = 0, r = 0; i < way.n && own && !status; i++) {
        const int next = i + 1 < way.n ? i + 1 : i;
        const double t0 = way.t[i], T = way.t[next] - t0;
        const int count = T > 0.0 ? (int)ceil(T / every * (1.0 - ROUNDING)) : 1;
        phx_signal *part = NULL;
        if (T > 0.0)
            status = rise > 0.0 ? phx_signal_create_trapezoidal(context, t0, t0 + T, 0.0, 1.0, rise, rise, &part)
                                : phx_signal_create_ramp(context, t0, t0 + T, 0.0, 1.0, &part);
        for (int k = 0; k < count && !status; k++, r++) {
            own[r] = t0 + T * k / count;
            const double f = part ? phx_signal_value(part, own[r]) : 0.0;
            path_between(dim, way.places + i * dim, way.places + next * dim, f, own + path->n + r * dim);
            if (turn > 0)
                path_between(turn, way.rotations + i * turn, way.rotations + next * turn, f,
                             own + path->n * (1 + dim) + r * turn);
        }
        if (status)
            status = phx_fail_prefix(context, PHX_ERR_INPUT, "way points %d and %d: ", i + 1, i + 2);
        phx_signal_destroy(part);
    }
    return own ? status : PHX_ERR_MEMORY;
}

phx_status phx_place_path_create(phx_context *context, int dim, const phx_inverse_kinematics_options *given,
                                 phx_place_path *path)
{
    *path = (phx_place_path){.n = given->n, .t = given->t, .places = given->places, .rotations = given->rotations};
    if (!given->path && given->n > 0 && (!given->t || !given->places))
        return phx_fail_null(context, "phx_study_inverse_kinematics", "path, or t and places,");
    phx_status status = given->path ? read_path(context, dim, given->path, path) : PHX_OK;
    if (!status)
        status = check_path(context, dim, path);
    if (!status && !(given->every >= 0.0 && given->rise >= 0.0 && (given->rise == 0.0 || given->every > 0.0)))
        status = phx_fail(context, PHX_ERR_INPUT,
                          "rows each %g s with a rise of %g s: expected numbers from 0 on, and an interval of the rows "
                          "if there is a rise",
                          given->every, given->rise);
    return !status && given->every > 0.0 ? refine_path(context, dim, given->every, given->rise, path) : status;
}

void phx_place_path_free(phx_place_path *path)
{
    phx_free(path->own[0]);
    phx_free(path->own[1]);
    *path = (phx_place_path){0};
}
