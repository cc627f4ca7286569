/* The table of joint kinds, the frame that their rows are built in, and the rows they share. */
#include <math.h>
#include <string.h>

#include "kinds.h"

#define POINTER(NAME, name) [PHX_JOINT_##NAME] = &phx_joint_##name,
static const phx_joint_operations *const kinds[PHX_JOINT_KINDS] = {PHX_JOINT_LIST(POINTER)};
#undef POINTER

static bool is_kind(phx_joint_kind kind)
{
    return (int)kind >= 0 && (int)kind < (int)PHX_JOINT_KINDS;
}

int phx_joint_kind_count(void)
{
    return PHX_JOINT_KINDS;
}

const phx_joint_info *phx_joint_kind_info(phx_joint_kind kind)
{
    return is_kind(kind) ? &kinds[kind]->info : NULL;
}

const phx_joint_coordinate *phx_joint_kind_coordinates(const phx_joint_info *info, int dim)
{
    return !info ? NULL : dim == 2 && info->in_plane ? info->in_plane : info->coordinates;
}

const char *phx_joint_kind_name(phx_joint_kind kind)
{
    return is_kind(kind) ? kinds[kind]->info.name : "unknown";
}

phx_joint_kind phx_joint_kind_from_name(const char *name)
{
    for (int kind = 0; name && kind < PHX_JOINT_KINDS; kind++)
        if (!strcmp(kinds[kind]->info.name, name))
            return (phx_joint_kind)kind;
    return PHX_JOINT_KINDS;
}

const char *phx_solid_name(phx_solid solid)
{
    static const char *const names[PHX_SOLIDS] = {"unknown", "box", "cylinder", "cylinder across", "ball", "ring"};
    return (int)solid > 0 && (int)solid < (int)PHX_SOLIDS ? names[solid] : "unknown";
}

static bool has_axis(const phx_joint_info *info, int dim)
{
    return info->axis != PHX_AXIS_NONE && (dim == 3 || info->axis == PHX_AXIS_LINE);
}

void phx_joint_add_points(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    for (int axis = 0; axis < frame->dim; axis++)
        list->constraints[list->n_constraints++] = (phx_row){.kind = PHX_ROW_POINT, .axis = axis};
}

void phx_joint_add_normal(const phx_joint_frame *frame, int k, phx_joint_row_list *list)
{
    phx_row row = {.kind = PHX_ROW_NORMAL};
    memcpy(row.alpha, frame->in_a[k], sizeof(row.alpha));
    list->constraints[list->n_constraints++] = row;
}

void phx_joint_add_line(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    for (int k = 1; k < frame->dim; k++)
        phx_joint_add_normal(frame, k, list);
}

static void fix_rotation_about(const phx_joint_frame *frame, int k, phx_joint_row_list *list)
{
    /* B turned by delta about base k takes base k+1 towards base k+2: e_{k+2} . (rotated e_{k+1}) = sin(delta);
     * in the plane e_1 . (rotated e_0) */
    int from = frame->dim == 2 ? 0 : (k + 1) % 3, towards = frame->dim == 2 ? 1 : (k + 2) % 3;
    phx_row row = {.kind = PHX_ROW_DOT, .hold = PHX_HOLD_TURN, .angular = true};
    memcpy(row.alpha, frame->in_a[towards], sizeof(row.alpha));
    memcpy(row.beta, frame->in_b[from], sizeof(row.beta));
    memcpy(row.alpha2, frame->in_a[from], sizeof(row.alpha2));
    memcpy(row.beta2, frame->in_b[towards], sizeof(row.beta2));
    list->constraints[list->n_constraints++] = row;
}

void phx_joint_fix_orientation(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    for (int k = 0; k < (frame->dim == 2 ? 1 : 3); k++)
        fix_rotation_about(frame, k, list);
}

void phx_joint_add_axis(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    /* both across the same direction of B: rows e_{k+1} . (rotated e_{k+2}), one for each k, lose rank after a quarter
     * turn about the axis */
    for (int k = 1; k < 3; k++) {
        phx_row row = {.kind = PHX_ROW_DOT, .hold = PHX_HOLD_AXIS, .angular = true};
        memcpy(row.alpha, frame->in_a[k], sizeof(row.alpha));
        memcpy(row.beta, frame->in_b[0], sizeof(row.beta));
        memcpy(row.alpha2, frame->in_a[0], sizeof(row.alpha2));
        list->constraints[list->n_constraints++] = row;
    }
}

void phx_joint_add_perpendicular(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_row row = {.kind = PHX_ROW_DOT, .angular = true};
    memcpy(row.alpha, frame->in_a[0], sizeof(row.alpha));
    memcpy(row.beta, frame->in_b[2], sizeof(row.beta));
    list->constraints[list->n_constraints++] = row;
}

void phx_joint_add_displacement(const phx_joint_frame *frame, int k, phx_joint_row_list *list)
{
    phx_row row = {.kind = PHX_ROW_DISPLACEMENT};
    memcpy(row.alpha, frame->in_a[k], sizeof(row.alpha));
    list->coordinates[list->n_coordinates++] = row;
}

static void add_dot(const double *in_a, const double *in_b, phx_joint_row_list *list)
{
    phx_row row = {.kind = PHX_ROW_DOT, .angular = true};
    memcpy(row.alpha, in_a, sizeof(row.alpha));
    memcpy(row.beta, in_b, sizeof(row.beta));
    list->constraints[list->n_constraints++] = row;
}

void phx_joint_add_tangent(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    for (int k = 1; k < frame->dim; k++) /* across the direction of A, whose length does not matter */
        add_dot(frame->in_a[0], frame->in_b[k], list);
}

void phx_joint_add_no_spin(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    if (frame->dim == 3)
        add_dot(frame->in_a[1], frame->in_b[2], list);
}

void phx_joint_add_place(phx_joint_row_list *list)
{
    list->coordinates[list->n_coordinates++] = (phx_row){.kind = PHX_ROW_POINT, .place = true};
}

void phx_joint_add_spin(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    /* B turned by psi about base 0: e_1 . (rotated e_1) = cos psi, -e_1 . (rotated e_2) = sin psi */
    phx_row row = {.kind = PHX_ROW_TURN, .angular = true, .unwrapped = true};
    memcpy(row.alpha, frame->in_a[1], sizeof(row.alpha));
    memcpy(row.beta, frame->in_b[1], sizeof(row.beta));
    memcpy(row.beta2, frame->in_b[2], sizeof(row.beta2));
    list->coordinates[list->n_coordinates++] = row;
}

void phx_joint_add_turn(const phx_joint_frame *frame, int k, phx_joint_row_list *list)
{
    /* B turned by psi about base k: e_{k+1} . (rotated e_{k+1}) = cos psi, e_{k+2} . (rotated e_{k+1}) = sin psi, and
     * the same from e_{k+2}; the sums hold beyond a quarter turn between the axes */
    phx_row row = {.kind = PHX_ROW_TURN, .angular = true, .unwrapped = true};
    memcpy(row.alpha, frame->in_a[(k + 1) % 3], sizeof(row.alpha));
    memcpy(row.alpha2, frame->in_a[(k + 2) % 3], sizeof(row.alpha2));
    memcpy(row.beta, frame->in_b[(k + 1) % 3], sizeof(row.beta));
    memcpy(row.beta2, frame->in_b[(k + 2) % 3], sizeof(row.beta2));
    list->coordinates[list->n_coordinates++] = row;
}

void phx_joint_add_first_turn(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    /* R = Rx(p) Ry(q) Rz(r): R_33 = cos p cos q, R_23 = -sin p cos q */
    phx_row row = {.kind = PHX_ROW_TURN, .angular = true, .unwrapped = true};
    memcpy(row.alpha, frame->in_a[2], sizeof(row.alpha));
    memcpy(row.beta, frame->in_b[2], sizeof(row.beta));
    for (int i = 0; i < 3; i++)
        row.alpha2[i] = -frame->in_a[1][i];
    list->coordinates[list->n_coordinates++] = row;
}

void phx_joint_add_last_turn(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    /* R_11 = cos q cos r, R_12 = -cos q sin r */
    phx_row row = {.kind = PHX_ROW_TURN, .angular = true, .unwrapped = true};
    memcpy(row.alpha, frame->in_a[0], sizeof(row.alpha));
    memcpy(row.beta, frame->in_b[0], sizeof(row.beta));
    memcpy(row.beta2, frame->in_b[1], sizeof(row.beta2));
    list->coordinates[list->n_coordinates++] = row;
}

void phx_joint_add_three_angles(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_row tilt = {.kind = PHX_ROW_TILT, .angular = true}; /* R_13 = sin q */
    memcpy(tilt.alpha, frame->in_a[0], sizeof(tilt.alpha));
    memcpy(tilt.beta, frame->in_b[2], sizeof(tilt.beta));
    phx_joint_add_first_turn(frame, list);
    list->coordinates[list->n_coordinates++] = tilt;
    phx_joint_add_last_turn(frame, list);
}

void phx_joint_add_plane_angle(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    list->coordinates[list->n_coordinates++] =
        (phx_row){.kind = PHX_ROW_ANGLE, .target = frame->angle, .angular = true};
}

static bool make_unit(int dim, const double *vector, double *unit)
{
    double length = dim == 2 ? hypot(vector[0], vector[1]) : hypot(hypot(vector[0], vector[1]), vector[2]);
    for (int i = 0; i < dim; i++)
        unit[i] = vector[i] / length;
    return isfinite(length) && length > 0.0;
}

/* Right-handed triad (plane: pair) that starts with a unit vector. In space the second is the port's direction after
 * the one nearest to the first, made perpendicular to it. */
static void make_triad(int dim, const double *first, double triad[3][3])
{
    memset(triad, 0, 9 * sizeof(double));
    for (int i = 0; i < dim; i++)
        triad[0][i] = first[i];
    if (dim == 2) {
        triad[1][0] = -first[1];
        triad[1][1] = first[0];
        return;
    }
    int nearest = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(first[i]) > fabs(first[nearest]))
            nearest = i;
    int next = (nearest + 1) % 3;
    double across[3];
    for (int i = 0; i < 3; i++)
        across[i] = (i == next ? 1.0 : 0.0) - first[next] * first[i];
    make_unit(3, across, triad[1]);
    phx_rot_x_vec(3, triad[0], triad[1], triad[2]);
}

/* |R^T R - I| <= 1e-6 everywhere and det R > 0; not a number fails */
static bool joint_is_rotation(int dim, const double *R)
{
    static const double ORTHOGONAL = 1e-6; /* entries of R^T R - I */

    for (int i = 0; i < dim; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = i == j ? -1.0 : 0.0;
            for (int k = 0; k < dim; k++)
                sum += R[k * dim + i] * R[k * dim + j];
            if (!(fabs(sum) <= ORTHOGONAL))
                return false;
        }
    }
    if (dim == 2)
        return R[0] * R[3] - R[1] * R[2] > 0.0;
    double cross[3];
    phx_rot_x_vec(3, R, R + 3, cross);
    return cross[0] * R[6] + cross[1] * R[7] + cross[2] * R[8] > 0.0;
}

/* Checks kind and dimension of a joint shape and that its three matrices are rotations; the error message names the
 * joint kind. */
static phx_status joint_check(phx_context *context, const phx_joint_shape *shape, const double *relative)
{
    const int dim = shape->dim;
    if (!is_kind(shape->kind))
        return phx_fail(context, PHX_ERR_ARGUMENT, "joint: kind %d is not one of 0 to %d", (int)shape->kind,
                        (int)PHX_JOINT_KINDS - 1);
    const phx_joint_info *kind = &kinds[shape->kind]->info;
    if (dim != 2 && dim != 3)
        return phx_fail(context, PHX_ERR_ARGUMENT, "%s joint: dimension %d, expected 2 or 3", kind->name, dim);
    if (dim == 2 ? !kind->plane : !kind->space)
        return phx_fail(context, PHX_ERR_UNSUPPORTED, "%s joint: this kind does not exist in dimension %d", kind->name,
                        dim);
    const double *rotations[3] = {shape->rotation_a, shape->rotation_b, relative};
    const char *what[3] = {"rotation of port A", "rotation of port B", "relative rotation"};
    for (int i = 0; i < 3; i++)
        if (!joint_is_rotation(dim, rotations[i]))
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "%s joint: the %s is no rotation, first row (%g, %g%s); give an orthonormal right-handed "
                            "matrix",
                            kind->name, what[i], rotations[i][0], rotations[i][1], dim == 3 ? ", ..." : "");
    return PHX_OK;
}

static phx_status read_axis(phx_context *context, const char *name, int dim, const char *what, const double *axis,
                            double *unit)
{
    if (!axis)
        return phx_fail(context, PHX_ERR_ARGUMENT, "%s joint: an %s is needed in dimension %d", name, what, dim);
    if (!make_unit(dim, axis, unit))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "%s joint: %s (%g, %g, %g), expected a finite vector that is not zero", name, what, axis[0],
                        axis[1], dim == 3 ? axis[2] : 0.0);
    return PHX_OK;
}

/* zero <- S zero, S the shortest turn from one unit vector to the other */
static void turn_shortest(int dim, const double *from, const double *to, double *zero)
{
    double S[9], column[3], turned[3];
    if (dim == 2) {
        double c = from[0] * to[0] + from[1] * to[1], s = from[0] * to[1] - from[1] * to[0];
        phx_rot_axis_angle(2, NULL, atan2(s, c), S);
    } else {
        phx_rot_shortest(from, to, S);
    }
    for (int j = 0; j < dim; j++) {
        for (int i = 0; i < dim; i++)
            column[i] = zero[i * dim + j];
        phx_rot_apply(dim, S, column, turned);
        for (int i = 0; i < dim; i++)
            zero[i * dim + j] = turned[i];
    }
}

/* Universal: the axes a of A and b of B are perpendicular at the zero; the triad is (a, b x a, b). */
static phx_status zero_of_cross(phx_context *context, const char *name, const double *a, const double *b, double *zero,
                                const double *relative, double triad[3][3])
{
    static const double ROUNDING = 1e-9; /* of the cosine between the axes */
    double third[3];
    double along = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    if (fabs(along) > ROUNDING) {
        memcpy(zero, relative, 9 * sizeof *zero);
        phx_rot_apply(3, relative, b, third);
        along = a[0] * third[0] + a[1] * third[1] + a[2] * third[2];
    } else {
        memcpy(third, b, sizeof third);
    }
    double across[3] = {third[0] - along * a[0], third[1] - along * a[1], third[2] - along * a[2]};
    if (fabs(along) > 1.0 - ROUNDING)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "%s joint: its axes are parallel in the poses as written; give poses in which they are nearly "
                        "perpendicular",
                        name);
    make_unit(3, across, triad[2]);
    turn_shortest(3, third, triad[2], zero);
    memcpy(triad[0], a, 3 * sizeof(double));
    phx_rot_x_vec(3, triad[2], triad[0], triad[1]);
    return PHX_OK;
}

/* The triad in port A's directions and the rotation `zero` from B's directions to A's that makes B's coincide. */
static phx_status find_zero(phx_context *context, const phx_joint_shape *shape, const double *relative,
                            double triad[3][3], double *zero)
{
    const phx_joint_operations *kind = kinds[shape->kind];
    const int dim = shape->dim;
    double a[3] = {1.0, 0.0, 0.0}, b[3];
    phx_status status = PHX_OK;

    if (kind->zero == PHX_ZERO_POSES)
        memcpy(zero, relative, (size_t)(dim * dim) * sizeof *zero);
    const char *name = kind->info.name;
    if (!has_axis(&kind->info, dim))
        return PHX_OK;
    status = read_axis(context, name, dim, "axis", shape->axis, a);
    if (!status && (shape->axis_b || kind->zero == PHX_ZERO_CROSS))
        status = read_axis(context, name, dim, "axis of B", shape->axis_b, b);
    else if (!status)
        phx_rot_apply_transposed(dim, relative, a, b);
    if (status)
        return status;
    if (kind->zero == PHX_ZERO_CROSS)
        return zero_of_cross(context, name, a, b, zero, relative, triad);
    make_triad(dim, a, triad);
    if (kind->zero == PHX_ZERO_AXIS || (kind->zero == PHX_ZERO_POSES && shape->axis_b)) {
        double from[3];
        phx_rot_apply(dim, zero, b, from);
        turn_shortest(dim, from, a, zero);
    }
    return PHX_OK;
}

/* base vector k in B's body axes: rotation_b zero^T triad[k]; in A's: rotation_a triad[k] */
static void make_frame(const phx_joint_shape *shape, const double *zero, double triad[3][3], phx_joint_frame *frame)
{
    const double *rotation_a = shape->rotation_a, *rotation_b = shape->rotation_b;
    const int dim = shape->dim;
    *frame = (phx_joint_frame){.dim = dim};
    for (int k = 0; k < dim; k++) {
        double in_port_b[3];
        phx_rot_apply(dim, rotation_a, triad[k], frame->in_a[k]);
        phx_rot_apply_transposed(dim, zero, triad[k], in_port_b);
        phx_rot_apply(dim, rotation_b, in_port_b, frame->in_b[k]);
    }
    if (dim == 2) {
        double c = rotation_a[0] * rotation_b[0] + rotation_a[2] * rotation_b[2];
        double s = rotation_a[2] * rotation_b[0] - rotation_a[0] * rotation_b[2];
        frame->angle = atan2(s, c);
    }
}

/* Builds the constraint and coordinate rows of a joint kind in the axes of its ports, with the zero of its coordinates
 * at the relative rotation of the ports. */
phx_status phx_joint_rows(phx_context *context, const phx_joint_shape *shape, int *n_constraints,
                          phx_row constraints[PHX_JOINT_MAX_ROWS], int *n_coordinates,
                          phx_row coordinates[PHX_JOINT_MAX_COORDINATES])
{
    static const double identity_2[4] = {1.0, 0.0, 0.0, 1.0};
    static const double identity_3[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    const double *identity = shape->dim == 2 ? identity_2 : identity_3;
    const double *relative = shape->relative ? shape->relative : identity;
    double triad[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, zero[9];
    phx_status status = joint_check(context, shape, relative);
    if (!status) {
        memcpy(zero, identity, (size_t)(shape->dim * shape->dim) * sizeof *zero);
        status = find_zero(context, shape, relative, triad, zero);
    }
    if (status)
        return status;

    phx_joint_frame frame;
    make_frame(shape, zero, triad, &frame);
    phx_joint_row_list list = {.constraints = constraints, .coordinates = coordinates};
    kinds[shape->kind]->rows(&frame, &list);
    *n_constraints = list.n_constraints;
    *n_coordinates = list.n_coordinates;
    return PHX_OK;
}
