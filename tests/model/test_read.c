/* The example models and the models with every key: each value arrives where the specification says. */
#define _POSIX_C_SOURCE 200809L /* readdir */
#include "support.h"
#include "model/build.h"
#include "model/words.h"

#include <dirent.h>

static const double pi = 3.14159265358979323846;

/* ---- the example models ---- */
static void check_four_bar(phx_context *context, const char *path, phx_joint_kind crank)
{
    phx_model *m = read_file(context, path);
    assert_int_equal(m->dimension, 2);
    assert_int_equal(m->n_parameters, 2);
    assert_string_equal(m->parameters[0].name, "theta1");
    CHECK_NEAR(m->parameters[1].value, 4.0, 0.0);
    assert_int_equal(m->n_bodies, 3);
    const phx_model_body *b = m->bodies;
    const double lengths[] = {0.108, 0.2794, 0.2705}, areas[] = {1.0774e-4, 4.0645e-5, 4.0645e-5};
    const double stiffness[] = {11.472, 0.616, 0.616};
    const double angles[] = {0.0, 60.0 * pi / 180.0, -70.0 * pi / 180.0};
    const double x[] = {0.0, 0.108, 0.108 + 0.14}, y[] = {0.0, 0.0, 0.24};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(b[i].kind, PHX_MODEL_BEAM);
        assert_int_equal(b[i].material, 0);
        CHECK_NEAR(b[i].length, lengths[i], 0.0);
        CHECK_NEAR(b[i].section.area, areas[i], 0.0);
        CHECK_NEAR(m->materials[0].young * b[i].section.inertia[1], stiffness[i], 1e-14 * stiffness[i]);
        assert_int_equal(b[i].elements, 4);
        assert_int_equal(b[i].order, 3);
        assert_int_equal(b[i].element, PHX_ELEMENT_MIXED);
        assert_int_equal(b[i].kinetics, PHX_MODEL_KINETICS_FULL);
        assert_false(b[i].stiffening);
        assert_int_equal(b[i].reference, PHX_REFERENCE_CANTILEVER);
        CHECK_NEAR(b[i].pose.rotation.angle, angles[i], 1e-15);
        CHECK_NEAR(b[i].pose.rotation.matrix[2], sin(angles[i]), 1e-15);
        CHECK_NEAR(b[i].pose.position[0], x[i], 1e-16);
        CHECK_NEAR(b[i].pose.position[1], y[i], 1e-16);
        assert_int_equal(b[i].n_ports, 2);
        assert_int_equal(b[i].n_point_masses, i > 0);
    }
    CHECK_NEAR(b[1].point_masses[0].mass, 0.042, 0.0);
    assert_int_equal(b[1].point_masses[0].at.body, 1);
    assert_int_equal(b[1].point_masses[0].at.port, 0);
    assert_int_equal(m->n_joints, 4);
    assert_int_equal(m->joints[0].kind, crank);
    assert_int_equal(m->joints[0].ports[0].body, PHX_MODEL_GROUND);
    assert_string_equal(m->ground_ports[m->joints[0].ports[0].port].name, "A");
    assert_int_equal(m->joints[3].ports[0].body, 2);
    CHECK_NEAR(m->joints[3].ports[0].location.fraction, 1.0, 0.0);
    assert_string_equal(m->ground_ports[m->joints[3].ports[1].port].name, "D");
    if (crank == PHX_JOINT_WELD)
        assert_true(m->joints[0].relative.given);
    else
        assert_true(m->joints[0].coordinates[0].start.given);
    assert_true(m->modes.given);
    assert_int_equal(m->modes.count, 6);
    assert_false(m->simulate.given);
    assert_int_equal(m->n_sweeps, 1);
    assert_int_equal(m->sweeps[0].count, 73);
    assert_int_equal(m->sweeps[0].parameter, 0);
    for (int i = 0; i < 73; i++)
        CHECK_NEAR(m->sweeps[0].values[i], i * 5.0 * pi / 180.0, 1e-14);
    phx_model_destroy(m);
}

static void four_bars_are_read(void **state)
{
    check_four_bar(*state, "examples/four_bar.yaml", PHX_JOINT_WELD);
    check_four_bar(*state, "examples/four_bar_free.yaml", PHX_JOINT_REVOLUTE);
}

static void crank_slider_is_read(void **state)
{
    phx_model *m = read_file(*state, "examples/crank_slider.yaml");
    assert_string_equal(m->title, "Rotating crank-slider with a flexible coupler");
    const phx_model_body *coupler = &m->bodies[1];
    CHECK_NEAR(coupler->section.area, pi * 9e-6, 1e-18);
    CHECK_NEAR(coupler->section.inertia[1], pi / 4.0 * pow(0.003, 4), 1e-24);
    assert_int_equal(coupler->elements, 8);
    assert_int_equal(coupler->reference, PHX_REFERENCE_SIMPLY_SUPPORTED);
    CHECK_NEAR(m->materials[0].young, 0.2e12, 0.0);
    CHECK_NEAR(m->bodies[0].centre_of_mass[0], 0.075, 0.0);
    CHECK_NEAR(m->bodies[0].ports[1].position[0], 0.15, 0.0);
    assert_int_equal(m->joints[0].n_coordinates, 1);
    assert_true(m->joints[0].coordinates[0].angular);
    assert_true(m->joints[0].coordinates[0].start.given);
    CHECK_NEAR(phx_signal_value(m->joints[0].coordinates[0].speed, 0.02), 150.0, 0.0);
    assert_true(phx_signal_is_constant(m->joints[0].coordinates[0].speed));
    assert_false(m->joints[3].coordinates[0].angular);
    CHECK_NEAR(m->joints[3].axis[0], 1.0, 0.0);
    assert_int_equal(m->n_outputs, 4);
    assert_int_equal(m->outputs[0].quantity, PHX_QUANTITY_DEFORMATION);
    assert_int_equal(m->outputs[0].frame, PHX_MODEL_BODY_FRAME);
    assert_int_equal(m->outputs[0].point.port, -1);
    CHECK_NEAR(m->outputs[0].point.location.fraction, 0.5, 0.0);
    assert_int_equal(m->outputs[1].quantity, PHX_QUANTITY_POSITION);
    assert_int_equal(m->outputs[1].frame, PHX_MODEL_INERTIAL);
    assert_int_equal(m->outputs[2].quantity, PHX_QUANTITY_EFFORT);
    assert_int_equal(m->outputs[2].joint, 0);
    CHECK_NEAR(m->simulate.end.value, 4.0 * pi / 150.0, 1e-16);
    CHECK_NEAR(m->simulate.step.value, pi / 150000.0, 1e-19);
    CHECK_NEAR(m->simulate.every.value, pi / 15000.0, 1e-18);
    assert_false(m->simulate.rtol.given);
    assert_int_equal(m->simulate.integrator, PHX_MODEL_AUTO);
    phx_model_destroy(m);
}

/* Every model file among the examples can be read, whichever are added. */
static void examples_are_read(void **state)
{
    DIR *folder = opendir(PHX_SOURCE_DIR "/examples");
    assert_non_null(folder);
    int count = 0;
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char path[400];
        const char *ending = strrchr(entry->d_name, '.');
        if (!ending || strcmp(ending, ".yaml") != 0)
            continue;
        snprintf(path, sizeof path, "examples/%s", entry->d_name);
        phx_model *m = read_file(*state, path);
        assert_true(m->n_bodies > 0);
        phx_model_destroy(m);
        count++;
    }
    closedir(folder);
    assert_true(count >= 3);
}

/* ---- every key ---- */
static void plane_bodies_are_read(void **state)
{
    phx_model *m = read_file(*state, "tests/model/data/plane.yaml");
    CHECK_NEAR(m->gravity[1], -9.81, 0.0);
    CHECK_NEAR(m->materials[0].poisson.value, 0.3, 0.0);
    assert_false(m->materials[1].poisson.given);
    assert_int_equal(m->n_ground_ports, 4);
    assert_string_equal(m->ground_ports[0].name, "O");
    CHECK_NEAR(m->ground_ports[1].rotation.angle, 0.1, 0.0);
    CHECK_NEAR(m->ground_ports[2].rotation.angle, -0.1, 0.0);
    CHECK_NEAR(m->ground_ports[2].position[0], 1.0, 0.0);
    CHECK_NEAR(m->ground_ports[3].rotation.matrix[2], 1.0, 1e-15);
    const phx_model_body *hub = &m->bodies[0], *arm = &m->bodies[1], *pipe = &m->bodies[2], *strip = &m->bodies[3];
    CHECK_NEAR(hub->mass, 2.0, 0.0);
    CHECK_NEAR(hub->inertia[0], 0.25, 0.0);
    CHECK_NEAR(hub->pose.rotation.angle, pi / 6.0, 1e-15);
    CHECK_NEAR(hub->velocity.linear[0], 0.5, 0.0);
    CHECK_NEAR(hub->velocity.angular[0], -3.0, 0.0);
    assert_int_equal(hub->n_ports, 3);
    assert_string_equal(hub->ports[0].name, "P");
    CHECK_NEAR(hub->ports[0].rotation.matrix[3], 1.0, 0.0);
    CHECK_NEAR(hub->ports[1].rotation.angle, pi / 4.0, 1e-15);
    CHECK_NEAR(hub->point_masses[0].inertia[0], 1e-3, 0.0);
    assert_int_equal(hub->point_masses[0].at.port, 1);
    CHECK_NEAR(hub->damping.stiffness, 1e-4, 0.0);
    CHECK_NEAR(arm->length, 1.0, 0.0);
    assert_int_equal(arm->elements, 8);
    assert_true(arm->stiffening);
    assert_int_equal(arm->n_ports, 3);
    CHECK_NEAR(arm->ports[1].position[0], 1.0, 0.0);
    CHECK_NEAR(arm->ports[2].location.fraction, 1.0 / 3.0, 1e-16);
    CHECK_NEAR(arm->ports[2].position[0], 1.0 / 3.0, 1e-16);
    CHECK_NEAR(arm->point_masses[0].at.location.fraction, 1.0 / 3.0, 1e-16);
    CHECK_NEAR(arm->point_masses[1].at.location.fraction, 0.75, 0.0);
    assert_int_equal(arm->point_masses[1].at.port, -1);
    assert_true(arm->damping.modal.given);
    CHECK_NEAR(pipe->section.area, pi / 4.0 * (4e-4 - 3.24e-4), 1e-18);
    CHECK_NEAR(pipe->section.inertia[1], pi / 64.0 * (1.6e-7 - pow(0.018, 4)), 1e-22);
    CHECK_NEAR(pipe->section.fibre[0], 0.01, 0.0);
    assert_int_equal(pipe->order, 5);
    assert_int_equal(pipe->element, PHX_ELEMENT_PAPER);
    assert_int_equal(pipe->kinetics, PHX_MODEL_KINETICS_SIMPLIFIED);
    CHECK_NEAR(strip->section.inertia[1], 0.03 * 8e-9 / 12.0, 1e-26);
    CHECK_NEAR(strip->section.inertia[0], 0.002 * 2.7e-5 / 12.0, 1e-23);
    assert_int_equal(strip->reference, PHX_REFERENCE_FREE);
    phx_model_destroy(m);
}

static void plane_joints_are_read(void **state)
{
    phx_model *m = read_file(*state, "tests/model/data/plane.yaml");
    const phx_model_joint *turn = &m->joints[1], *shift = &m->joints[2], *slide = &m->joints[4];
    CHECK_NEAR(m->joints[0].relative.angle, pi / 6.0, 1e-15);
    assert_int_equal(m->joints[0].n_coordinates, 0);
    CHECK_NEAR(turn->coordinates[0].start.value, 0.2, 0.0);
    CHECK_NEAR(turn->coordinates[0].rate.value, 1.0, 0.0);
    CHECK_NEAR(phx_signal_value(turn->coordinates[0].speed, 0.999), 0.0, 0.0);
    CHECK_NEAR(phx_signal_value(turn->coordinates[0].speed, 1.0), 150.0, 0.0);
    CHECK_NEAR(phx_signal_value(turn->coordinates[0].effort, 0.25), 0.25, 0.0);
    CHECK_NEAR(turn->coordinates[0].rest, 0.05, 0.0);
    CHECK_NEAR(shift->axis[0], 0.6, 1e-16);
    CHECK_NEAR(shift->axis[1], 0.8, 1e-16);
    assert_true(shift->axis_b_given);
    CHECK_NEAR(shift->coordinates[0].rate.value, 0.1, 0.0);
    CHECK_NEAR(shift->coordinates[0].stiffness, 5.0, 0.0);
    CHECK_NEAR(phx_signal_value(shift->coordinates[0].speed, 1.75), 0.25, 1e-16);
    CHECK_NEAR(phx_signal_value(slide->coordinates[0].effort, 0.25), 1.25, 1e-15);
    CHECK_NEAR(phx_signal_value(slide->coordinates[0].effort, 9.0), -10.0, 0.0);
    assert_int_equal(slide->ports[1].body, 3);
    CHECK_NEAR(slide->ports[1].location.fraction, 0.5, 0.0);
    CHECK_NEAR(m->springs[0].length, 0.2, 0.0);
    CHECK_NEAR(phx_signal_value(m->springs[0].force, 0.25), 10.0, 1e-14);
    const phx_model_coordinate *sliding = &slide->coordinates[0];
    assert_true(sliding->law.given && sliding->damper.given && sliding->stops.given && sliding->friction.given);
    CHECK_NEAR(phx_signal_value(sliding->law.f, 0.5), 4.0, 1e-15);
    CHECK_NEAR(phx_signal_value(sliding->damper.f, -0.5), -0.25, 1e-15);
    CHECK_NEAR(sliding->stops.upper.value, 0.5, 0.0);
    CHECK_NEAR(sliding->friction.breakaway.value, 3.0, 0.0);
    const phx_model_spring *tyre = &m->springs[1], *strut = &m->springs[2];
    CHECK_NEAR(phx_signal_value(tyre->law.f, 0.1), 15.0, 1e-14);
    CHECK_NEAR(tyre->law.range[1], 0.5, 0.0);
    CHECK_NEAR(phx_signal_value(tyre->damper.f, -2.0), -6.4, 1e-14);
    assert_int_equal(strut->law.kind, PHX_MODEL_LAW_GAS);
    CHECK_NEAR(strut->law.exponent, 1.4, 0.0);
    assert_int_equal(m->n_forces, 8);
    assert_string_equal(phx_model_force_kind_info(m->forces[4].kind)->name, "cable");
    assert_int_equal(m->forces[4].n_ports, 3);
    assert_null(phx_model_force_kind_info(PHX_MODEL_FORCE_KINDS));
    assert_int_equal(m->loads[0].frame, PHX_MODEL_BODY_FRAME);
    CHECK_NEAR(phx_signal_value(m->loads[0].component[0], 1.0), 100.0, 0.0);
    CHECK_NEAR(phx_signal_value(m->loads[0].component[1], 1.5), 0.5, 1e-15);
    assert_int_equal(m->loads[1].n_components, 1);
    assert_int_equal(m->loads[2].on, 2);
    CHECK_NEAR(phx_signal_value_at(m->loads[2].component[1], 1.0, 0.25), 0.5, 0.0);
    assert_int_equal(m->initial.deformation, PHX_MODEL_QUASI_STATIC);
    for (int i = 0; i < m->n_outputs; i++)
        assert_int_equal(m->outputs[i].quantity, i < 9     ? i
                                                 : i == 9  ? PHX_QUANTITY_STRESS
                                                 : i == 14 ? PHX_QUANTITY_STRAIN
                                                 : i == 15 ? PHX_QUANTITY_FORCE
                                                           : PHX_QUANTITY_REACTION + i - 10); /* those of the plane */
    assert_int_equal(m->outputs[0].frame, PHX_MODEL_BODY_FRAME);
    assert_int_equal(m->outputs[6].frame, PHX_MODEL_INERTIAL);
    CHECK_NEAR(m->outputs[1].point.location.fraction, 1.0 / 3.0, 1e-16);
    assert_int_equal(m->simulate.integrator, PHX_MODEL_RADAU5);
    CHECK_NEAR(m->simulate.atol.value, 1e-9, 0.0);
    assert_int_equal(m->modes.at, PHX_MODEL_AT_STEADY);
    assert_int_equal(m->inverse.n_inputs, 2);
    assert_int_equal(m->inverse.n_outputs, 2);
    assert_string_equal(m->inverse.outputs[1], "slide.rate");
    CHECK_NEAR(phx_signal_value(m->inverse.motion[0], 1.0), sin(1.0), 0.0);
    assert_int_equal(m->n_sweeps, 2);
    CHECK_NEAR(m->sweeps[1].values[2], 4.0, 0.0);
    assert_string_equal(m->sweeps[1].name, "n");
    phx_model_destroy(m);
}

static void space_is_read(void **state)
{
    phx_model *m = read_file(*state, "tests/model/data/space.yaml");
    assert_string_equal(m->title, "space.yaml");
    const double quarter[] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    for (int i = 0; i < 9; i++) {
        CHECK_NEAR(m->ground_ports[1].rotation.matrix[i], quarter[i], 1e-15);
        CHECK_NEAR(m->bodies[0].pose.rotation.matrix[i], quarter[i], 1e-15);
        CHECK_NEAR(m->bodies[0].ports[1].rotation.matrix[i], quarter[i], 1e-15);
        CHECK_NEAR(m->bodies[1].inertia[i], i % 4 == 0, 0.0);
    }
    CHECK_NEAR(m->bodies[0].inertia[8], 3.0, 0.0);
    CHECK_NEAR(m->bodies[0].velocity.angular[2], 6.0, 0.0);
    CHECK_NEAR(m->bodies[0].point_masses[0].inertia[1], 0.1, 0.0);
    CHECK_NEAR(m->bodies[2].section.inertia[0], 1e-9, 0.0);
    CHECK_NEAR(m->bodies[2].section.torsion, 3e-9, 0.0);
    assert_true(m->bodies[2].twist && !m->bodies[3].twist);
    /* a b^3 c with c(a/b = 2) = 0.22868 (Timoshenko, Theory of Elasticity, table of the rectangle) */
    CHECK_NEAR(m->bodies[3].section.torsion, 0.22868 * 0.02 * 1e-6, 1e-5 * 4.6e-9);
    const phx_model_joint *j = m->joints;
    CHECK_NEAR(j[1].axis_b[1], 1.0, 0.0);
    assert_true(j[2].coordinates[0].start.given && !j[2].coordinates[1].start.given);
    CHECK_NEAR(j[2].coordinates[2].start.value, 0.1, 0.0);
    CHECK_NEAR(j[2].coordinates[2].rate.value, 3.0, 0.0);
    assert_int_equal(j[3].n_coordinates, 2);
    CHECK_NEAR(j[3].axis_b[1], 1.0, 0.0);
    CHECK_NEAR(j[3].coordinates[1].damping, 0.2, 0.0);
    CHECK_NEAR(j[4].coordinates[0].start.value, 0.2, 0.0); /* angle, then displacement */
    CHECK_NEAR(j[4].coordinates[1].start.value, 0.3, 0.0);
    assert_null(j[4].coordinates[1].effort);
    CHECK_NEAR(j[5].coordinates[1].start.value, 0.2, 0.0); /* two displacements, then angle */
    CHECK_NEAR(j[5].coordinates[2].start.value, 0.3, 0.0);
    assert_true(j[5].coordinates[2].angular);
    CHECK_NEAR(phx_signal_value(j[5].coordinates[1].speed, 0.0), 1.0, 0.0);
    assert_int_equal(m->loads[0].n_components, 3);
    CHECK_NEAR(phx_signal_value(m->loads[0].component[1], 0.01), 0.2, 0.0);
    assert_int_equal(m->outputs[0].quantity, PHX_QUANTITY_TORSION);
    phx_model_destroy(m);
}

/* ---- positions, parameters, copies ---- */
static void fields_know_their_place(void **state)
{
    phx_model *m = read_file(*state, "tests/model/data/plane.yaml");
    const struct {
        const void *field;
        int line, column;
    } places[] = {{&m->bodies[1], 35, 3},
                  {&m->bodies[1].length, 38, 13},
                  {&m->bodies[1].section, 39, 21} /* shares its address with the kind */,
                  {&m->bodies[1].section.diameter, 39, 39},
                  {&m->bodies[3].order, 59, 3}, /* default: the body */
                  {&m->bodies[1].ports[2].location.fraction, 46, 21},
                  {&m->joints[1].coordinates[0].speed, 103, 78},
                  {&m->joints[1].ports[1], 103, 41},
                  {&m->joints[1].coordinates[0].stiffness, 103, 103},
                  {&m->outputs[0].frame, 137, 32},
                  {&m->initial.deformation, 135, 24},
                  {&m->dimension, 4, 12},
                  {m, 2, 1}};
    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
        phx_model_source at = phx_model_where(m, places[k].field);
        if (at.line != places[k].line || at.column != places[k].column)
            fail_msg("place %zu is %d:%d, expected %d:%d", k, at.line, at.column, places[k].line, places[k].column);
    }
    int elsewhere;
    assert_int_equal(phx_model_where(m, &elsewhere).line, 0);
    phx_status status = phx_model_fail(*state, m, &m->bodies[1].length, PHX_ERR_INPUT, "%s is %d", "too long", 7);
    assert_int_equal(status, PHX_ERR_INPUT);
    assert_non_null(strstr(phx_context_message(*state), "plane.yaml:38:13: too long is 7"));
    assert_int_equal(phx_model_find_body(m, "strip"), 3);
    assert_int_equal(phx_model_find_body(m, "strap"), -1);
    assert_int_equal(phx_model_find_joint(m, "slide"), 4);
    assert_int_equal(phx_model_find_parameter(m, "L"), 1);
    phx_model_destroy(m);
}

static const char pendulum[] = "phlexor: 1\n"
                               "dimension: 2\n"
                               "parameters: {a: 2*b, b: 3, n: 1}\n"
                               "bodies: {x: {kind: rigid, mass: a, inertia: n}}\n"
                               "joints: {j: {kind: revolute, ports: [ground.O, x.P], speed: a*t + n}}\n";

static void overrides_replace_parameters(void **state)
{
    phx_context *context = *state;
    phx_model *m = NULL;
    const phx_model_override given[] = {{"b", "2*n", 0.0}, {"n", NULL, 5.0}, {"n", "4", 0.0}};
    CHECK_OK(context, phx_model_read_text(context, "text", pendulum, strlen(pendulum), 3, given, &m));
    CHECK_NEAR(m->bodies[0].mass, 16.0, 0.0);
    assert_true(m->parameters[1].overridden && !m->parameters[0].overridden);

    const phx_model_override other = {"n", NULL, 10.0}, wrong = {"n", NULL, -1.0}, unknown = {"m", "1", 0.0};
    CHECK_OK(context, phx_model_set_parameters(context, m, 1, &other));
    CHECK_NEAR(m->bodies[0].mass, 40.0, 0.0); /* b stays 2*n from the reading */
    CHECK_NEAR(phx_signal_value(m->joints[0].coordinates[0].speed, 2.0), 90.0, 0.0);

    /* a copy is the model as it was read, and its own */
    phx_model *copy = NULL;
    CHECK_OK(context, phx_model_copy(context, m, &copy));
    CHECK_NEAR(copy->bodies[0].mass, 16.0, 0.0);
    assert_true(copy->parameters[1].overridden && copy->path != m->path && copy->text != m->text);
    assert_string_equal(copy->text, m->text);
    CHECK_OK(context, phx_model_set_parameters(context, copy, 1, &other));
    CHECK_NEAR(copy->bodies[0].mass, 40.0, 0.0);
    phx_model_destroy(copy);
    assert_int_equal(phx_model_copy(context, &(phx_model){0}, &copy), PHX_ERR_ARGUMENT);

    /* failures leave everything as it was */
    const phx_signal *speed = m->joints[0].coordinates[0].speed;
    assert_int_equal(phx_model_set_parameters(context, m, 1, &wrong), PHX_ERR_INPUT);
    assert_string_equal(phx_context_message(context),
                        "text:4:33: bodies.x.mass: expected a number greater than 0, found 'a' = -4");
    assert_int_equal(phx_model_set_parameters(context, m, 1, &unknown), PHX_ERR_INPUT);
    assert_non_null(strstr(phx_context_message(context), "there is no parameter 'm'"));
    CHECK_NEAR(m->bodies[0].mass, 40.0, 0.0);
    assert_ptr_equal(m->joints[0].coordinates[0].speed, speed);
    assert_int_equal(phx_model_where(m, &m->bodies[0].mass).column, 33);
    CHECK_OK(context, phx_model_set_parameters(context, m, 0, NULL));
    CHECK_NEAR(m->bodies[0].mass, 16.0, 0.0);
    double value;
    CHECK_OK(context, phx_model_evaluate(context, m, "--end", "2*pi/a", &value));
    CHECK_NEAR(value, 2.0 * pi / 16.0, 1e-16);
    assert_int_equal(phx_model_evaluate(context, m, "--end", "2*c", &value), PHX_ERR_INPUT);
    assert_memory_equal(phx_context_message(context), "--end: unknown name 'c'", 23);
    phx_model_destroy(m);
}

static void copied_signals_stand_alone(void **state)
{
    phx_context *context = *state;
    phx_model *m = read_file(context, "tests/model/data/plane.yaml");
    phx_signal *copies[4] = {NULL};
    CHECK_OK(context, phx_model_copy_signal(context, m, m->joints[1].coordinates[0].speed, &copies[0]));
    CHECK_OK(context, phx_model_copy_signal(context, m, m->joints[2].coordinates[0].speed, &copies[1]));
    CHECK_OK(context, phx_model_copy_signal(context, m, m->loads[2].component[1], &copies[2]));
    CHECK_OK(context, phx_model_copy_signal(context, m, NULL, &copies[3]));
    assert_null(copies[3]);
    assert_int_equal(phx_model_copy_signal(context, m, copies[0], &copies[3]), PHX_ERR_ARGUMENT);
    phx_model_destroy(m);
    CHECK_NEAR(phx_signal_value(copies[0], 2.0), 150.0, 0.0);
    CHECK_NEAR(phx_signal_value(copies[1], 1.5), 0.5, 0.0);
    CHECK_NEAR(phx_signal_value_at(copies[2], 0.0, 0.5), 1.0, 0.0);
    for (int k = 0; k < 3; k++)
        phx_signal_destroy(copies[k]);
}

/* Input that is too large for the parser is refused, not cut off in silence. */
static void nothing_is_cut_off(void **state)
{
    static const char head[] = "phlexor: 1\ndimension: 2\n#";
    static const char tail[] = "\nbodies: {a: {kind: rigid, mass: 1, inertia: 1}}\n";
    const size_t fill = 3000000, n = sizeof head - 1 + fill + sizeof tail - 1;
    char *text = phx_calloc(*state, n + 1, 1);
    assert_non_null(text);
    memcpy(text, head, sizeof head - 1);
    memset(text + sizeof head - 1, '#', fill);
    memcpy(text + sizeof head - 1 + fill, tail, sizeof tail - 1);
    phx_model *m = NULL;
    assert_int_equal(phx_model_read_text(*state, "text", text, n, 0, NULL, &m), PHX_ERR_INPUT);
    assert_memory_equal(phx_context_message(*state), "text:2:12: more than 2 MiB", 26);
    memset(text + sizeof head - 1, '[', fill);
    text[sizeof head - 2] = ' ';
    assert_int_equal(phx_model_read_text(*state, "text", text, n, 0, NULL, &m), PHX_ERR_INPUT);
    memset(text + sizeof head - 1, '#', fill);
    for (size_t i = 0; i < fill; i += 1000)
        text[sizeof head - 1 + i] = '\n'; /* short comments, and bodies behind them */
    phx_status status = phx_model_read_text(*state, "text", text, n, 0, NULL, &m);
    if (status == PHX_OK)
        assert_int_equal(m->n_bodies, 1);
    phx_model_destroy(m);
    phx_free(text);
}

static void keep_message(void *user, phx_log_level level, const char *message)
{
    (void)level;
    snprintf(user, 200, "%s", message);
}

/* A table from a file is read once: it may be gone when the model is evaluated again. */
static void tables_are_read_once(void **state)
{
    phx_context *context = *state;
    FILE *file = fopen("once.csv", "wb");
    assert_non_null(file);
    fputs("\xEF\xBB\xBF time ; \"the force\" \r\n0; 1\r\n2 ;3e0\r\n", file);
    fclose(file);
    phx_model *m = read_text(context, "phlexor: 1\ndimension: 2\nparameters: {m: 1}\n"
                                      "bodies: {x: {kind: rigid, mass: m, inertia: 1}}\n"
                                      "loads: {f: {torque: {file: once.csv, column: the force}, at: x.P}}\n");
    CHECK_NEAR(phx_signal_value(m->loads[0].component[0], 0.5), 1.5, 0.0);
    remove("once.csv");
    const phx_model_override heavy = {"m", NULL, 2.0};
    CHECK_OK(context, phx_model_set_parameters(context, m, 1, &heavy));
    CHECK_NEAR(phx_signal_value(m->loads[0].component[0], 1.0), 2.0, 0.0);
    CHECK_NEAR(m->bodies[0].mass, 2.0, 0.0);
    phx_model_destroy(m);
}

/* Everything that can be read in one way only: x is 1.5 at t = 0, 2.25 at t = 0.5. A decimal comma is told. */
static void dialects_of_tables(void **state)
{
    static const struct {
        const char *csv;
        bool told;
    } cases[] = {
        {"t,x\n0,1.5\n0.5,2.25\n", false},
        {"t,x\r\n0,1.5\r\n0.5,2.25", false},
        {"t,x\r0,1.5\r0.5,2.25\r", false},
        {"\xEF\xBB\xBFt,x\n0,1.5\n0.5,2.25\n", false},
        {"\n t , x \n\n 0 ,\t+1.5\n 0.5 , 225e-2 \n \n", false},
        {"\"t\",\"x\"\n\"0\",\"1.5\"\n0.5,2.25\n", false},
        {"t,x,\n0,1.5,\n0.5,2.25,\n", false},
        {",x\n0,1.5\n0.5,2.25\n", false},
        {"t,note,x\n0,\"a, \"\"b\"\"\",1.5\n0.5,,2.25\n", false},
        {"t;note;x\n0;a, b;1.5\n0.5;;2.25\n", false},
        {"t;x\n0;1.5\n0.5;2.25\n", false},
        {"t\tx\n0\t1.5\n0.5\t2.25\n", false},
        {"t;x\n0;1,5\n0,5;2,25\n", true},
        {"t;x;\r\n0;1,5;\r\n0,5;2,25;\r\n", true},
        {"t;x\n0;1,500\n0,5;2,250\n", true},
        {"t\tx\n0\t\"1,5\"\n0,5\t2,25\n", true},
        {"\xEF\xBB\xBF\"t\";\"x\"\r\n0;15,0e-1\r\n,5;2,25\r\n", true},
    };
    phx_context *context = *state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char told[200] = "";
        FILE *file = fopen("dialect.csv", "wb");
        assert_non_null(file);
        fputs(cases[k].csv, file);
        fclose(file);
        phx_context_set_log(context, keep_message, told);
        phx_model *m = read_text(context, "phlexor: 1\ndimension: 2\n"
                                          "bodies: {x: {kind: rigid, mass: 1, inertia: 1}}\n"
                                          "loads: {f: {torque: {file: dialect.csv, column: x}, at: x.P}}\n");
        phx_context_set_log(context, NULL, NULL);
        CHECK_NEAR(phx_signal_value(m->loads[0].component[0], 0.0), 1.5, 0.0);
        CHECK_NEAR(phx_signal_value(m->loads[0].component[0], 0.5), 2.25, 0.0);
        if (cases[k].told != (strstr(told, "decimal commas") != NULL))
            fail_msg("table %zu: told '%s'", k, told);
        phx_model_destroy(m);
    }
    remove("dialect.csv");
}

static void text_is_kept(void **state)
{
    phx_model *m = read_text(*state, pendulum);
    assert_int_equal(m->text_length, strlen(pendulum));
    assert_memory_equal(m->text, pendulum, sizeof pendulum);
    assert_string_equal(m->path, "text");
    phx_model_destroy(m);
}

/* Aliases repeat, quotes and block scalars are texts, a byte order mark is skipped. */
static void yaml_is_yaml(void **state)
{
    phx_model *m = read_text(*state, "\xEF\xBB\xBF%YAML 1.2\n---\n"
                                     "phlexor: 1\ndimension: \"1 + 1\"\ntitle: 'it''s\n  one line'\n"
                                     "parameters:\n  p: >-\n    1 +\n    2\n"
                                     "bodies:\n"
                                     "  'k\xC3\xB6rper 1': &b {kind: rigid, mass: \"max(1, 2)\", inertia: +1}\n"
                                     "  c: *b\n"
                                     "joints: {j: {kind: weld, ports: [k\xC3\xB6rper 1.P, c.P]}}\n"
                                     "outputs:\n");
    assert_string_equal(m->title, "it's one line");
    CHECK_NEAR(m->bodies[0].mass, 2.0, 0.0);
    CHECK_NEAR(m->bodies[1].mass, 2.0, 0.0);
    assert_int_equal(m->joints[0].ports[0].body, 0);
    phx_model_destroy(m);
}

static void words_of_enums(void **state)
{
    (void)state;
    assert_string_equal(phx_joint_kind_name(PHX_JOINT_PLANAR), "planar");
    assert_string_equal(phx_model_quantity_name(PHX_QUANTITY_EFFORT), "effort");
}

/* The titles of objects name the definitions of the JSON Schema: each stands once. */
static void check_headings(const char *table)
{
    for (const char *c = strstr(table, "\n## "); c; c = strstr(c + 1, "\n## ")) {
        const size_t length = strcspn(c + 1, "\n") + 2;
        for (const char *d = strstr(c + 1, "\n## "); d; d = strstr(d + 1, "\n## "))
            if (!strncmp(c, d, length))
                fail_msg("two objects are called '%.*s'", (int)length - 5, c + 4);
    }
}

/* Every key is in the table and in the JSON Schema, which is well-formed as far as brackets and quotes go. */
static void schema_is_written(void **state)
{
    char *table = NULL, *json = NULL;
    CHECK_OK(*state, phx_model_schema_markdown(*state, &table));
    CHECK_OK(*state, phx_model_schema_json(*state, &json));
    const char *const keys[] = {"phlexor", "axis_b", "quasi_static", "simply_supported", "centre_of_mass", "every"};
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        assert_non_null(strstr(table, keys[k]));
        assert_non_null(strstr(json, keys[k]));
    }
    check_headings(table);
    int depth = 0, quotes = 0;
    for (const char *c = json; *c; c++) {
        bool escaped = c > json && c[-1] == '\\';
        quotes += *c == '"' && !escaped;
        if (quotes % 2 == 0)
            depth += (*c == '{' || *c == '[') - (*c == '}' || *c == ']');
        assert_true(depth >= 0);
    }
    assert_int_equal(depth, 0);
    assert_int_equal(quotes % 2, 0);
    assert_null(strstr(json, ",]"));
    assert_null(strstr(table, "(null)"));
    assert_null(strstr(json, "(null)"));
    phx_free(table);
    phx_free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(four_bars_are_read, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(crank_slider_is_read, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(examples_are_read, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(plane_bodies_are_read, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(plane_joints_are_read, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(space_is_read, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(fields_know_their_place, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(overrides_replace_parameters, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(copied_signals_stand_alone, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(nothing_is_cut_off, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(tables_are_read_once, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(dialects_of_tables, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(text_is_kept, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(yaml_is_yaml, context_setup, context_teardown),
        cmocka_unit_test(words_of_enums),
        cmocka_unit_test_setup_teardown(schema_is_written, context_setup, context_teardown),
    };
    return cmocka_run_group_tests_name("model_read", tests, NULL, NULL);
}
