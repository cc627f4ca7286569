/* Solids for pictures: of revolution, boxes, extrusions, as surfaces of triangles in their own axes. */
#include "visuals.h"

#include <math.h>
#include <string.h>

enum { HALF_BALL = 8 }; /* rings of half a ball */
static const double PI = 3.14159265358979323846;
static const double STEEL = 7850.0; /* kg/m^3 */
static const double UPRIGHT = 0.99; /* cosine against y from which a direction takes z for its second axis */

/* A solid of revolution about z by n radii and heights, upwards on its outside. */
phx_status phx_solid_revolve(phx_context *context, int around, int n, const double *radius, const double *height,
                             bool closed, phx_surface *surface)
{
    double *rings = phx_calloc(context, 3 * (size_t)n * (size_t)around, sizeof *rings);

    if (!rings)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < around; i++) {
            double *at = rings + 3 * (k * around + i);
            at[0] = radius[k] * cos(2.0 * PI * i / around);
            at[1] = radius[k] * sin(2.0 * PI * i / around);
            at[2] = height[k];
        }
    const phx_status status = phx_surface_loft(context, around, n, rings, closed, surface);
    phx_free(rings);
    return status;
}

phx_status phx_solid_box(phx_context *context, const double size[3], phx_surface *surface)
{
    double rings[2 * 4 * 3];

    for (int k = 0; k < 8; k++) {
        const int corner = k % 4;
        rings[3 * k] = (corner == 0 || corner == 3 ? -0.5 : 0.5) * size[0];
        rings[3 * k + 1] = (corner < 2 ? -0.5 : 0.5) * size[1];
        rings[3 * k + 2] = (k < 4 ? -0.5 : 0.5) * size[2];
    }
    return phx_surface_loft(context, 4, 2, rings, false, surface);
}

/* A cylinder with half balls as ends when `round`; a length of 0 with them is a ball. */
phx_status phx_solid_capsule(phx_context *context, double diameter, double length, bool round, phx_surface *surface)
{
    double radius[2 * HALF_BALL + 2], height[2 * HALF_BALL + 2];
    int n = 0;

    for (int k = 0; k <= HALF_BALL && round; k++) {
        const double angle = 0.5 * PI * k / HALF_BALL;
        radius[n] = k == 0 ? 0.0 : 0.5 * diameter * sin(angle);
        height[n++] = -0.5 * length - 0.5 * diameter * cos(angle);
    }
    for (int k = HALF_BALL - (length == 0.0); k >= 0 && round; k--) {
        const double angle = 0.5 * PI * k / HALF_BALL;
        radius[n] = k == 0 ? 0.0 : 0.5 * diameter * sin(angle);
        height[n++] = 0.5 * length + 0.5 * diameter * cos(angle);
    }
    for (int k = 0; k < 2 && !round; k++) {
        radius[n] = 0.5 * diameter;
        height[n++] = (k - 0.5) * length;
    }
    return phx_solid_revolve(context, PHX_SOLID_AROUND, n, radius, height, false, surface);
}

static double norm(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* axes: columns, the third along `direction`, the second as near to y (z for what runs along y) as it can be. */
void phx_solid_axes(const double direction[3], double axes[9])
{
    const double length = norm(direction);
    const double z[3] = {direction[0] / length, direction[1] / length, direction[2] / length};
    const double up[3] = {0.0, fabs(z[1]) < UPRIGHT, fabs(z[1]) >= UPRIGHT};
    double x[3], y[3];

    phx_rot_x_vec(3, up, z, x);
    const double size = norm(x);
    for (int a = 0; a < 3; a++)
        x[a] /= size;
    phx_rot_x_vec(3, z, x, y);
    for (int a = 0; a < 3; a++) {
        axes[3 * a] = x[a];
        axes[3 * a + 1] = y[a];
        axes[3 * a + 2] = z[a];
    }
}

double phx_solid_between(const double from[3], const double to[3], double middle[3], double axes[9])
{
    const double direction[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]}, length = norm(direction);

    for (int a = 0; a < 3; a++)
        middle[a] = 0.5 * (from[a] + to[a]);
    if (length > 0.0)
        phx_solid_axes(direction, axes);
    return length;
}

/* x := place + axes x for all points. */
void phx_solid_move(phx_surface *surface, const double place[3], const double axes[9])
{
    for (int i = 0; i < surface->n_points; i++) {
        double *x = surface->x + 3 * i;
        const double from[3] = {x[0], x[1], x[2]};
        for (int a = 0; a < 3; a++)
            x[a] = place[a] + axes[3 * a] * from[0] + axes[3 * a + 1] * from[1] + axes[3 * a + 2] * from[2];
    }
}

/* A section along a line of n places, cut square at its ends and mitred at its corners. */
phx_status phx_solid_extrude(phx_context *context, const phx_model_matrix *outline, int n, const double *line,
                             phx_surface *surface)
{
    const int m = outline->rows;
    double *rings = phx_calloc(context, 3 * (size_t)n * (size_t)m, sizeof *rings), area = 0.0;

    if (!rings)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < m; i++) {
        const double *a = outline->values + 2 * i, *b = outline->values + 2 * ((i + 1) % m);
        area += a[0] * b[1] - a[1] * b[0];
    }
    for (int k = 0; k < n; k++) {
        double direction[3] = {0}, axes[9];
        for (int a = 0; a < 3; a++)
            direction[a] = line[3 * (k + 1 < n ? k + 1 : k) + a] - line[3 * (k > 0 ? k - 1 : k) + a];
        phx_solid_axes(direction, axes);
        for (int i = 0; i < m; i++) {
            const double *corner = outline->values + 2 * (area > 0.0 ? i : m - 1 - i);
            for (int a = 0; a < 3; a++)
                rings[3 * (k * m + i) + a] = line[3 * k + a] + axes[3 * a] * corner[0] + axes[3 * a + 1] * corner[1];
        }
    }
    const phx_status status = phx_surface_loft(context, m, n, rings, false, surface);
    phx_free(rings);
    return status;
}

/* Its outline, tooth by tooth, along z. */
phx_status phx_solid_gear(phx_context *context, double pitch_diameter, int teeth, double length, phx_surface *surface)
{
    enum { CORNERS = 4 };                                         /* of a tooth: foot, head, head, foot */
    static const double at[CORNERS] = {-0.32, -0.14, 0.14, 0.32}; /* of the pitch */
    const double line[6] = {0.0, 0.0, -0.5 * length, 0.0, 0.0, 0.5 * length}, module = pitch_diameter / teeth;
    phx_model_matrix outline = {.rows = CORNERS * teeth, .cols = 2};

    outline.values = phx_calloc(context, 2 * (size_t)outline.rows, sizeof *outline.values);
    if (!outline.values)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < outline.rows; k++) {
        const int corner = k % CORNERS;
        const double radius = 0.5 * pitch_diameter + (corner == 1 || corner == 2 ? 1.0 : -1.25) * module;
        const double angle = 2.0 * PI * (k / CORNERS + at[corner]) / teeth;
        outline.values[2 * k] = radius * cos(angle);
        outline.values[2 * k + 1] = radius * sin(angle);
    }
    const phx_status status = phx_solid_extrude(context, &outline, 2, line, surface);
    phx_free(outline.values);
    return status;
}

double phx_solid_steel_ball(double mass)
{
    return cbrt(6.0 * mass / (PI * STEEL));
}

phx_status phx_mass_at_rest(phx_context *context, const phx_body *body, double mass[36])
{
    double *rest = phx_calloc(context, (size_t)phx_body_n_x(body) + 1, sizeof *rest);

    if (!rest)
        return PHX_ERR_MEMORY;
    phx_body_rest(body, rest);
    phx_body_rigid_mass(body, rest, mass);
    phx_free(rest);
    return PHX_OK;
}
