/* Bodies that are not where they were written: the assembly had to move them to close the joints. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of the size of the mechanism, or rad: what is moved by less is where it was written. And how often the rounding of
 * one number may count, which the lengths along a chain of bodies share. */
static const double SMALL = 1e-6, ROUNDINGS = 4.0;

/* The joint of the body that was most open, or of all where its own were closed. */
static void find_joint(const phx_model *model, phx_system *system, int body, double size, phx_start_move *move)
{
    double worst = SMALL;

    for (int j = 0; j < model->n_joints; j++) {
        const phx_model_joint *joint = &model->joints[j];
        double distance, angle;
        if (body >= 0 && joint->ports[0].body != body && joint->ports[1].body != body)
            continue;
        phx_system_open_as_written(system, j, &distance, &angle);
        if (distance / size + angle > worst) {
            worst = distance / size + angle;
            move->joint = joint->name;
            move->gap = distance;
            move->gap_angle = angle;
        }
    }
    if (!move->joint && body >= 0)
        find_joint(model, system, -1, size, move);
}

/* Lists bodies that the assembly moved from a pose as written by more than its rounding; poses that are guesses are
 * exempt. The caller frees the list. */
phx_status phx_start_moves(phx_context *context, const phx_model *model, phx_system *system, int *count,
                           phx_start_move **moves)
{
    double rounding = 0.0, size = 0.0;

    *count = 0;
    *moves = phx_calloc(context, (size_t)model->n_bodies, sizeof **moves);
    if (!*moves)
        return PHX_ERR_MEMORY;
    for (int b = 0; b < model->n_bodies; b++) {
        const phx_mass_properties *rest = phx_body_at_rest(phx_system_body(system, b));
        rounding = fmax(rounding, model->bodies[b].pose.rounding);
        size = fmax(size, sqrt(rest->J0[0] / rest->mass));
        for (int a = 0; a < model->dimension; a++)
            size = fmax(size, fabs(model->bodies[b].pose.position[a]));
    }
    for (int b = 0; b < model->n_bodies; b++) {
        const phx_model_pose *pose = &model->bodies[b].pose;
        phx_start_move move = {.body = model->bodies[b].name};
        phx_system_moved(system, b, &move.distance, &move.angle);
        if (pose->guess || !pose->position_given || move.distance <= SMALL * size + ROUNDINGS * rounding)
            move.distance = 0.0;
        if (pose->guess || !pose->rotation.given || move.angle <= SMALL + ROUNDINGS * rounding)
            move.angle = 0.0;
        if (move.distance == 0.0 && move.angle == 0.0)
            continue;
        find_joint(model, system, b, size, &move);
        (*moves)[(*count)++] = move;
    }
    return PHX_OK;
}

/* "0.77 m and 0.1 rad" */
static void add_amounts(double distance, double angle, size_t size, char *text)
{
    size_t used = strlen(text);
    if (distance > 0.0)
        used += (size_t)snprintf(text + used, size - used, "%.3g m", distance);
    if (angle > 0.0 && used < size)
        snprintf(text + used, size - used, "%s%.3g rad", distance > 0.0 ? " and " : "", angle);
}

void phx_start_move_text(const phx_start_move *move, size_t size, char *text)
{
    snprintf(text, size, "body '%.100s' by ", move->body);
    add_amounts(move->distance, move->angle, size, text);
    const size_t used = strlen(text);
    if (!move->joint || !(move->gap + move->gap_angle > 0.0))
        return;
    snprintf(text + used, size - used, " (joint '%.100s' was open by ", move->joint);
    add_amounts(move->gap, move->gap_angle, size, text);
    snprintf(text + strlen(text), size - strlen(text), ")");
}

/* Warns if the assembly moved bodies from the poses as written, or fails if the model is strict. States from a file
 * are not judged. */
phx_status phx_start_judge(phx_context *context, const phx_model *model, phx_system *system, bool warn)
{
    enum { NAMED = 3 };
    phx_start_move *moves = NULL;
    int count = 0;
    char list[NAMED * 400] = "";

    const bool strict = model->initial.strict || model->simulate.strict;
    if (model->initial.from || (!warn && !strict))
        return PHX_OK;
    phx_status status = phx_start_moves(context, model, system, &count, &moves);
    for (int k = 0; k < count && k < NAMED && !status; k++) {
        char one[360];
        phx_start_move_text(&moves[k], sizeof one, one);
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", k ? ", " : "", one);
    }
    if (count > NAMED)
        snprintf(list + strlen(list), sizeof list - strlen(list), " and %d more", count - NAMED);
    if (!status && count > 0 && strict) {
        const int body = phx_model_find_body(model, moves[0].body);
        status = phx_model_fail(context, model, &model->bodies[body], PHX_ERR_INPUT,
                                "the joints close only if the assembly moves %s from the poses in the file; correct "
                                "these poses, or leave out 'strict'",
                                list);
    } else if (!status && count > 0) {
        phx_log(
            context, PHX_LOG_WARNING,
            "to close the joints the assembly has moved %s from the poses in the file; check whether this is intended",
            list);
    }
    phx_free(moves);
    return status;
}
