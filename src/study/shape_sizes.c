/* Warnings of sizes that are mostly millimetres read as metres: of shapes from files that do not fit their body, and of
 * bodies that are too heavy. */
#include "visuals.h"

#include <math.h>
#include <string.h>

static const double UNLIKE = 50.0; /* times longer or shorter than the body: a warning */
static const struct {
    double metres;
    const char *name;
} units[] = {{1.0, "metres"}, {0.01, "centimetres"}, {0.0254, "inches"}, {0.001, "millimetres"}};

/* Length of a body: the largest of its length, the distance of its ports along an axis, sqrt(12 tr(J)/(2 m)), which is
 * the length of a rod of its mass and inertia, and a steel ball of its mass. */
static phx_status find_extent(phx_context *context, int dim, const phx_model_body *body, const phx_body *made,
                              double *extent)
{
    const int n = dim == 3 ? 6 : 3;
    double mass[36], centre[3] = {0};
    const phx_status status = phx_mass_at_rest(context, made, mass);

    if (status)
        return status;
    double square = 0.0, moment = 0.0;
    for (int a = 0; a < dim; a++) {
        centre[a] = phx_body_at_rest(made)->s0[a] / mass[0];
        square += centre[a] * centre[a];
    }
    for (int a = dim; a < n; a++)
        moment += mass[(n + 1) * a] / (dim == 3 ? 2.0 : 1.0);
    *extent = fmax(phx_solid_steel_ball(mass[0]), body->length * (body->whole ? body->segments : 1));
    *extent = fmax(*extent, sqrt(12.0 * fmax(moment / mass[0] - square, 0.0)));
    for (int a = 0; a < dim; a++) {
        double low = centre[a], high = centre[a];
        for (int p = 0; p < body->n_ports; p++) {
            low = fmin(low, body->ports[p].position[a]);
            high = fmax(high, body->ports[p].position[a]);
        }
        *extent = fmax(*extent, high - low);
    }
    return PHX_OK;
}

/* The longest side of the box around a surface; 0 of an empty one. */
static double surface_length(const phx_surface *surface)
{
    double length = 0.0;

    for (int a = 0; a < 3; a++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int i = 0; i < surface->n_points; i++) {
            low = fmin(low, surface->x[3 * i + a]);
            high = fmax(high, surface->x[3 * i + a]);
        }
        length = fmax(length, high - low);
    }
    return length;
}

/* The warning, with the scale that fits best. */
static void shape_warn(phx_context *context, const phx_model *model, const phx_model_body *body,
                       const phx_model_visual *visual, double length, double extent)
{
    const phx_model_source at = phx_model_where(model, &visual->file);
    const char *slash = strrchr(visual->file, '/');
    size_t best = 0;

    for (size_t k = 1; k < sizeof units / sizeof *units; k++)
        if (fabs(log(length / visual->scale * units[k].metres / extent)) <
            fabs(log(length / visual->scale * units[best].metres / extent)))
            best = k;
    phx_log(
        context, PHX_LOG_WARNING,
        "%s:%d:%d: the shape '%s' is %.3g m long and body '%s' about %.3g m; write 'scale: %g' if the file is in %s",
        model->path ? model->path : "model", at.line, at.column, slash ? slash + 1 : visual->file, length,
        body->whole ? body->whole : body->name, extent, units[best].metres, units[best].name);
}

/* Warns of each file that is too long. Of files that are too short it warns of the longest, and only if the body has no
 * other shapes: a bolt may be small. */
static void doubt_files(phx_context *context, const phx_model *model, const phx_model_body *body, double extent)
{
    const phx_model_visual *longest = NULL;
    double most = 0.0;
    int files = 0;

    for (int k = 0; k < body->n_visuals; k++) {
        const phx_model_visual *visual = &body->visuals[k];
        const double length = visual->surface ? surface_length(visual->surface) : 0.0;
        if (length > UNLIKE * extent)
            shape_warn(context, model, body, visual, length, extent);
        if (length > most) {
            most = length;
            longest = visual;
        }
        files += length > 0.0;
    }
    if (longest && files == body->n_visuals && UNLIKE * most < extent)
        shape_warn(context, model, body, longest, most, extent);
}

/* A mass that follows from lengths and a density. */
static phx_status doubt_mass(phx_context *context, const phx_model *model, const phx_model_body *body,
                             const phx_body *made)
{
    static const double HEAVY = 1e7; /* kg */
    const phx_model_source at = phx_model_where(model, body);
    double mass[36];
    const phx_status status = phx_mass_at_rest(context, made, mass);

    if (!status && mass[0] > HEAVY)
        phx_log(
            context, PHX_LOG_WARNING, "%s:%d:%d: body '%s' has a mass of %.3g kg; lengths are in m, and 1 mm is 1e-3 m",
            model->path ? model->path : "model", at.line, at.column, body->whole ? body->whole : body->name, mass[0]);
    return status;
}

/* Compares the shapes from files of each body with the body; the ground has no size. Masses that are given are no
 * doubt. */
phx_status phx_warn_of_sizes(phx_context *context, const phx_model *model, const phx_system *system)
{
    phx_status status = PHX_OK;

    for (int b = 0; b < model->n_bodies && !status; b++) {
        const phx_model_body *body = &model->bodies[b];
        double extent = 0.0;
        const bool first = b == 0 || !body->whole || body->whole != model->bodies[b - 1].whole;
        if (first && !(body->mass > 0.0))
            status = doubt_mass(context, model, body, phx_system_body(system, b));
        if (status || !first || body->n_visuals == 0)
            continue;
        status = find_extent(context, model->dimension, body, phx_system_body(system, b), &extent);
        if (!status && extent > 0.0)
            doubt_files(context, model, body, extent);
    }
    return status;
}
