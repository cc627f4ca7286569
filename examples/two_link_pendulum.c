/* A pendulum of two links, the first rigid, the second flexible, built through the library alone.
 *
 *     O ground ---- link 1 (rigid, 1 m) ---- o ---- link 2 (beam, 1 m)        released horizontal, at rest
 *
 * It falls for 1 s. Prints how far energy and joints are from exact, and fails when that is more than rounding. */
#include <phlexor/phlexor.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double LENGTH = 1.0;      /* m, of either link */
static const double TOLERANCE = 1e-10; /* of the energy, and in m and m/s */

/* ---- the model ---- */

static phx_status add_rigid_link(phx_context *context, phx_system *system, phx_body_id *id)
{
    const phx_rigid_def rigid = {.mass = 1.0, .inertia = {1.0 / 12.0}, .centre = {0.5}};
    phx_body_def def = phx_body_def_default();
    phx_pose pose = phx_pose_default();
    phx_body *body = NULL;

    def.name = "link 1";
    def.dim = 2;
    def.rigid = &rigid;
    phx_status status = phx_body_create(context, &def, &body);
    return status ? status : phx_system_add_body(system, body, NULL, &pose, id);
}

static phx_status add_flexible_link(phx_context *context, phx_system *system, phx_body_id *id)
{
    phx_beam_def beam_def = phx_beam_def_default();
    phx_body_def def = phx_body_def_default();
    phx_pose pose = phx_pose_default();
    phx_beam *beam = NULL;
    phx_body *body = NULL;

    beam_def.dim = 2;
    beam_def.length = LENGTH;
    beam_def.mass_per_length = 1.0;
    beam_def.axial_stiffness = 1e6;
    beam_def.bending_stiffness[0] = 400.0;
    beam_def.elements = 4;
    beam_def.reference = PHX_REFERENCE_SIMPLY_SUPPORTED;
    phx_status status = phx_beam_create(context, &beam_def, &beam);
    if (status)
        return status;
    def.name = "link 2";
    def.dim = 2;
    def.flex = phx_flex_source_flex(beam);
    status = phx_body_create(context, &def, &body);
    if (status) {
        phx_flex_source_destroy(beam);
        return status;
    }
    pose.position[0] = LENGTH;
    return phx_system_add_body(system, body, beam, &pose, id); /* takes body and beam over */
}

static phx_status add_revolute(phx_system *system, const char *name, phx_port_id a, phx_port_id b)
{
    phx_joint_def def = phx_joint_def_default();
    phx_joint_id id;

    def.name = name;
    def.kind = PHX_JOINT_REVOLUTE;
    def.a = a;
    def.b = b;
    return phx_system_add_joint(system, &def, &id);
}

static phx_status add_port(phx_system *system, phx_body_id body, phx_location at, phx_port_id *id)
{
    return phx_system_add_port_at(system, body, &at, NULL, id);
}

static phx_status build(phx_context *context, phx_system **system)
{
    const double gravity[2] = {0.0, -9.81}, origin[2] = {0.0, 0.0}, end[2] = {LENGTH, 0.0};
    phx_body_id link1, link2;
    phx_port_id ground, start1, end1, start2;
    phx_status status = phx_system_create(context, 2, gravity, system);

    if (!status)
        status = add_rigid_link(context, *system, &link1);
    if (!status)
        status = add_flexible_link(context, *system, &link2);
    if (!status)
        status = add_port(*system, PHX_GROUND, phx_location_at_place(2, origin), &ground);
    if (!status)
        status = add_port(*system, link1, phx_location_at_place(2, origin), &start1);
    if (!status)
        status = add_port(*system, link1, phx_location_at_place(2, end), &end1);
    if (!status)
        status = add_port(*system, link2, phx_location_at_fraction(0.0), &start2);
    if (!status)
        status = add_revolute(*system, "shoulder", ground, start1);
    if (!status)
        status = add_revolute(*system, "elbow", end1, start2);
    return status ? status : phx_system_finalise(*system);
}

/* ---- what is watched during the run ---- */

typedef struct watch {
    const phx_system *system;
    phx_dae *dae;
    double start;         /* J, energy at t = 0 */
    double kinetic;       /* J, largest kinetic energy */
    double residual;      /* J, largest |energy - energy(0) - supplied + dissipated| */
    double gap, gap_rate; /* m, m/s: largest of the joints */
} watch;

static phx_status observe(void *user, const phx_sample *sample)
{
    watch *w = user;
    phx_energies e;
    double gap, gap_rate;

    phx_system_energies(w->system, sample->x, sample->v, &e);
    phx_system_drift(w->dae, sample->t, sample->x, sample->v, &gap, &gap_rate);
    double energy = e.kinetic + e.elastic + e.potential;
    if (sample->t == 0.0)
        w->start = energy;
    double residual = energy - w->start - sample->work.supplied + sample->work.dissipated;
    w->kinetic = fmax(w->kinetic, e.kinetic);
    w->residual = fmax(w->residual, fabs(residual));
    w->gap = fmax(w->gap, gap);
    w->gap_rate = fmax(w->gap_rate, gap_rate);
    return PHX_OK;
}

static phx_status simulate(phx_context *context, phx_system *system, watch *w)
{
    const phx_start_options at_start = {.quasi_static = false, .t = 0.0};
    phx_integrate_options options = phx_integrate_options_default();
    phx_integrate_stats stats = {0};
    double t = 0.0, *x, *v, *lambda;
    phx_status status = phx_system_dae(system, context, &w->dae);

    if (status)
        return status;
    w->system = system;
    x = calloc((size_t)phx_system_n_x(system), sizeof *x);
    v = calloc((size_t)phx_system_n_v(system), sizeof *v);
    lambda = calloc((size_t)phx_system_n_l(system), sizeof *lambda);
    status = x && v && lambda ? phx_system_start(system, &at_start, x, v, lambda) : PHX_ERR_MEMORY;
    if (!status) {
        options.end = 1.0;
        options.step = 1e-3;
        status = phx_integrate(w->dae, &options, &t, x, v, lambda, observe, w, &stats);
    }
    if (!status)
        printf("%ld steps to t = %g s, %ld Newton iterations, %ld factorisations\n", stats.steps, t,
               stats.newton_iterations, stats.factorisations);
    free(x);
    free(v);
    free(lambda);
    return status;
}

int main(void)
{
    phx_context *context = NULL;
    phx_system *system = NULL;
    watch w = {0};
    phx_status status = phx_context_create(&context);
    bool exact = false;

    if (!status)
        status = build(context, &system);
    if (!status)
        status = simulate(context, system, &w);
    if (status) {
        fprintf(stderr, "%s: %s\n", phx_status_text(status), context ? phx_context_message(context) : "");
    } else {
        double residual = w.residual / w.kinetic;
        printf("largest kinetic energy  %.6f J\n", w.kinetic);
        printf("energy residual         %.1e of it\n", residual);
        printf("joint gaps              %.1e m, %.1e m/s\n", w.gap, w.gap_rate);
        exact = w.kinetic > 1.0 && residual <= TOLERANCE && w.gap <= TOLERANCE && w.gap_rate <= TOLERANCE;
        if (!exact)
            fprintf(stderr, "not within %g\n", TOLERANCE);
    }
    phx_system_dae_destroy(w.dae);
    phx_system_destroy(system);
    phx_context_destroy(context);
    return exact ? EXIT_SUCCESS : EXIT_FAILURE;
}
