/* Inverse kinematics: the motions of the joints of a tree that bring a port to places, as a table.
 *
 * The coordinates y are angles and displacements over the size L. The errors e of a row are (place - p(y))/L and the
 * rotation vector that is left; J d is their decrease along d. */
#include "internal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 300, MOST_ERRORS = 6, MOST_STEPS = 300, MOST_ROUNDS = 60, STARTS = 9 };
static const double REACHED = 1e-13;   /* error of a place, relative to the size, and of directions, rad */
static const double SETTLED = 1e-13;   /* change of coordinates that ends the search for the least motion */
static const double LONGEST = 0.5;     /* step of a coordinate */
static const double DEPENDENT = 1e-11; /* singular values of zero, relative to the largest one */
static const double SINGULAR = 1e-6;   /* smallest singular value at which a place counts as singular, relative */

typedef struct pose_solver {
    phx_context *context;
    const phx_model *model;
    const phx_inverse_kinematics_options *given;
    phx_joint_space *space;
    phx_place_path path;
    int dim, row;        /* of the path */
    int m, n, n_u, rank; /* errors; coordinates that move the port; rates of the tree; generic rank of J */
    int body;            /* of the port, with its place and directions there */
    double point[3], rotation[9];
    double size;                     /* L, m */
    phx_tree_coordinate *coordinate; /* n */
    int *rate, *at;                  /* n: number in the tree; 2 n: sides of stops, released ones */
    double *scale, *lower, *upper;   /* n: unit of y; stops */
    double *y, *base, *best;         /* n; base: of the row before */
    double *trial, *next;
    double *d, *z;     /* n: step from y, from the base */
    double *q, *all;   /* of the tree: coordinates, Jacobian */
    double *J, *A, *V; /* m x n, m x n, n x n */
    double e[MOST_ERRORS], b[MOST_ERRORS], lambda[MOST_ERRORS], sigma[MOST_ERRORS];
} pose_solver;

/* ---- errors of a place ---- */
/* Rotation vector from the directions of the port, R of its body, to those of the row. */
static void direction_error(const pose_solver *s, const double *R, double *e)
{
    const double *target = s->path.rotations + s->row * (s->dim == 2 ? 1 : 4);
    double port[9] = {0.0}, wanted[9], rest[9];

    for (int i = 0; i < s->dim; i++)
        for (int k = 0; k < s->dim; k++)
            for (int a = 0; a < s->dim; a++)
                port[i * s->dim + k] += R[i * s->dim + a] * s->rotation[a * s->dim + k];
    if (s->dim == 2) {
        e[0] = remainder(target[0] - atan2(port[2], port[0]), 8.0 * atan(1.0));
        return;
    }
    phx_rot_from_quaternion(target, wanted);
    for (int i = 0; i < 9; i++)
        rest[i] = phx_dot(3, wanted + i / 3 * 3, port + i % 3 * 3);
    phx_rot_to_vector(rest, e);
}

/* Fills e and J at y; the norm of e. */
static double pose_error(pose_solver *s, const double *y)
{
    const double *target = s->path.places + s->row * s->dim;
    double p[3], R[9];

    for (int k = 0; k < s->n; k++)
        s->q[s->coordinate[k].q] = y[k] * s->scale[k];
    phx_tree_space_place(s->space->tree, s->body, s->point, s->q, p, R, s->all);
    for (int i = 0; i < s->dim; i++)
        s->e[i] = (target[i] - p[i]) / s->size;
    if (s->path.rotations)
        direction_error(s, R, s->e + s->dim);
    for (int i = 0; i < s->m; i++)
        for (int k = 0; k < s->n; k++)
            s->J[i * s->n + k] = s->all[i * s->n_u + s->rate[k]] * s->scale[k] / (i < s->dim ? s->size : 1.0);
    return sqrt(phx_dot(s->m, s->e, s->e));
}

/* Rounding of places far from the origin is allowed for. */
static bool is_reached(const pose_solver *s, double error)
{
    const double *target = s->path.places + s->row * s->dim;
    return error <= REACHED + 8.0 * DBL_EPSILON * sqrt(phx_dot(s->dim, target, target)) / s->size;
}

/* ---- steps ---- */
/* z of least |z| with A z = b, A = J without columns at stops (`at` not 0), damped by mu:
 * z = sum of v (A v).b/(sigma^2 + mu^2), v and sigma of A; lambda with A^T lambda = z. */
static phx_status least_norm(pose_solver *s, double mu)
{
    const int m = s->m, n = s->n;
    double Av[MOST_ERRORS];

    for (int k = 0; k < m * n; k++)
        s->A[k] = s->at[k % n] ? 0.0 : s->J[k];
    for (int k = 0; k < n; k++)
        s->z[k] = s->at[k] ? s->z[k] : 0.0;
    memset(s->lambda, 0, sizeof s->lambda);
    const phx_status status = phx_dense_singular_values(s->context, m, n, s->A, s->sigma, s->V);
    for (int k = 0; k < m && k < n && !status && s->sigma[k] > DEPENDENT * s->sigma[0]; k++) {
        const double square = s->sigma[k] * s->sigma[k];
        phx_dense_multiply(false, false, m, 1, n, 1.0, s->A, n, s->V + k, n, 0.0, Av, 1);
        const double part = phx_dot(m, Av, s->b) / (square + mu * mu);
        for (int c = 0; c < n; c++)
            s->z[c] += s->at[c] ? 0.0 : part * s->V[c * n + k];
        for (int i = 0; i < m; i++)
            s->lambda[i] += part * Av[i] / square;
    }
    return status;
}

/* The coordinate to be set onto a stop, the one farthest beyond; else one that the solution pulls back from its stop,
 * z - J^T lambda inwards, for the first time; else -1. */
static int change_stops(pose_solver *s, const double *base)
{
    double worst = SETTLED;
    int k = -1;

    for (int c = 0; c < s->n; c++) {
        const double over = fmax(base[c] + s->z[c] - s->upper[c], s->lower[c] - base[c] - s->z[c]);
        if (!s->at[c] && over > worst) {
            worst = over;
            k = c;
        }
    }
    for (int c = 0; c < s->n && k < 0; c++) {
        double pull = s->z[c];
        for (int i = 0; i < s->m; i++)
            pull -= s->J[i * s->n + c] * s->lambda[i];
        if (s->at[c] * pull > SETTLED && !s->at[s->n + c])
            k = c;
    }
    if (k >= 0 && s->at[k]) {
        s->at[k] = 0;
        s->at[s->n + k] = 1;
    } else if (k >= 0) {
        s->at[k] = base[k] + s->z[k] > s->upper[k] ? 1 : -1;
        s->z[k] = (s->at[k] > 0 ? s->upper[k] : s->lower[k]) - base[k];
    }
    return k;
}

/* The step d from y with J d = e, least |y + d - base| and y + d between the stops (active set), e and J those of y. */
static phx_status pose_step(pose_solver *s, const double *y, const double *base, double mu)
{
    phx_status status;

    memset(s->at, 0, 2 * (size_t)s->n * sizeof *s->at);
    do {
        for (int i = 0; i < s->m; i++) {
            s->b[i] = s->e[i];
            for (int c = 0; c < s->n; c++)
                s->b[i] += s->J[i * s->n + c] * (y[c] - base[c] - (s->at[c] ? s->z[c] : 0.0));
        }
        status = least_norm(s, mu);
    } while (!status && change_stops(s, base) >= 0);
    for (int c = 0; c < s->n; c++)
        s->d[c] = base[c] + s->z[c] - y[c];
    return status;
}

/* trial = y + part d, at most LONGEST and between the stops; the length of d. */
static double take_step(pose_solver *s, const double *y, double part)
{
    double length = 0.0;

    for (int k = 0; k < s->n; k++)
        length = fmax(length, fabs(s->d[k]));
    part *= length > LONGEST ? LONGEST / length : 1.0;
    for (int k = 0; k < s->n; k++)
        s->trial[k] = fmin(fmax(y[k] + part * s->d[k], s->lower[k]), s->upper[k]);
    return length;
}

/* Moves y to the place, or as near as possible, by damped least squares (Levenberg and Marquardt); the error left. */
static phx_status reach(pose_solver *s, double *y, double *left)
{
    static const double DAMPED = 1e-3, UNDAMPED = 1e-7, STUCK = 1e3;
    double mu = 0.0;
    phx_status status = PHX_OK;

    *left = pose_error(s, y);
    for (int k = 0; k < MOST_STEPS && !is_reached(s, *left) && mu < STUCK && !status; k++) {
        status = pose_step(s, y, y, mu);
        take_step(s, y, 1.0);
        const double error = pose_error(s, s->trial);
        if (error < *left) {
            memcpy(y, s->trial, (size_t)s->n * sizeof *y);
            *left = error;
            mu = mu > UNDAMPED ? 0.2 * mu : 0.0;
        } else {
            pose_error(s, y);
            mu = fmax(6.0 * mu, DAMPED);
        }
    }
    return status;
}

static double pose_distance(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

/* Moves y, at the place, along the solutions to the least |y - base|; the error left. */
static phx_status least_motion(pose_solver *s, double *error)
{
    static const double FEWEST = 1e-3; /* part of a step */
    const size_t bytes = (size_t)s->n * sizeof *s->y;
    double part = 1.0, last = INFINITY, left;
    phx_status status = PHX_OK;

    for (int k = 0; k < MOST_ROUNDS && part > FEWEST && !status; k++) {
        *error = pose_error(s, s->y);
        status = pose_step(s, s->y, s->base, 0.0);
        const double length = take_step(s, s->y, part);
        if (status || length <= SETTLED)
            break;
        memcpy(s->next, s->trial, bytes);
        status = reach(s, s->next, &left);
        if (is_reached(s, left) &&
            (2.0 * length < last || pose_distance(s->n, s->next, s->base) < pose_distance(s->n, s->y, s->base))) {
            memcpy(s->y, s->next, bytes);
            last = length;
            part = fmin(1.0, 2.0 * part);
        } else {
            part *= 0.25;
        }
    }
    return status;
}

/* Coordinates away from the base, for a start that is singular; number 0: the base. */
static void other_start(const pose_solver *s, int number, double *y)
{
    static const double GOLDEN = 0.618033988749895, FIRST = 0.2;
    const double size = (number % 2 ? 1.0 : -1.0) * FIRST * ((number + 1) / 2);

    for (int k = 0; k < s->n; k++)
        y[k] = fmin(fmax(s->base[k] + size * (0.5 + fmod((k + 1) * GOLDEN, 1.0)), s->lower[k]), s->upper[k]);
}

/* The coordinates of the row nearest to those before, of the first row from several starts; the error left. */
static phx_status pose_solve(pose_solver *s, double *error)
{
    double left, nearest = INFINITY;
    phx_status status = PHX_OK;

    memcpy(s->base, s->y, (size_t)s->n * sizeof *s->y);
    *error = INFINITY;
    for (int k = 0; k < (s->row == 0 ? STARTS : 1) && !status; k++) {
        other_start(s, k, s->y);
        status = reach(s, s->y, &left);
        if (!status && is_reached(s, left))
            status = least_motion(s, &left);
        const bool reached = is_reached(s, left);
        const double distance = reached ? pose_distance(s->n, s->y, s->base) : INFINITY;
        if (distance < nearest || (!reached && left < *error)) {
            memcpy(s->best, s->y, (size_t)s->n * sizeof *s->y);
            *error = left;
            nearest = distance;
        }
    }
    memcpy(s->y, s->best, (size_t)s->n * sizeof *s->y);
    pose_error(s, s->y);
    return status;
}

/* ---- the port and the joints ---- */
/* BODY.PORT, or the error with the nearest. */
static phx_status find_place(pose_solver *s)
{
    const char *text = s->given->port ? s->given->port : "", *point = strchr(text, '.');
    const char *port = point ? point + 1 : "";
    phx_nearest nearest = phx_nearest_to(port);
    char name[NAME_SIZE];

    snprintf(name, sizeof name, "%.*s", point ? (int)(point - text) : NAME_SIZE, text);
    const phx_status status = phx_study_find_body(s->context, s->model, name, &s->body);
    if (status)
        return status;
    const phx_model_body *body = &s->model->bodies[s->body];
    for (int k = 0; k < body->n_ports; k++) {
        phx_nearest_offer(&nearest, body->ports[k].name);
        if (strcmp(port, body->ports[k].name) != 0)
            continue;
        memcpy(s->point, body->ports[k].position, sizeof s->point);
        memcpy(s->rotation, body->ports[k].rotation.matrix, sizeof s->rotation);
        return PHX_OK;
    }
    return phx_model_fail(s->context, s->model, body, PHX_ERR_INPUT, "body '%s' has no port %s%s; expected BODY.PORT",
                          name, phx_shown_text(port).text, phx_nearest_hint(&nearest).text);
}

/* Refuses rigid couplings between coordinates that move the port. */
static phx_status check_couplings(const pose_solver *s)
{
    for (int f = 0; f < s->model->n_forces; f++) {
        const phx_model_force *force = &s->model->forces[f];
        phx_coupling_term terms[PHX_FORCE_MOST_TERMS];
        const int n = phx_model_force_holds(force) ? phx_model_force_terms(force, terms) : 0;
        int found = 0;
        for (int i = 0; i < n * s->n; i++)
            found += terms[i / s->n].joint == s->coordinate[i % s->n].joint &&
                     terms[i / s->n].coordinate == s->coordinate[i % s->n].coordinate;
        if (found > 1)
            return phx_model_fail(s->context, s->model, force, PHX_ERR_UNSUPPORTED,
                                  "the coupling '%s' holds two joints that move %s; leave 'rigid' out", force->name,
                                  s->given->port);
    }
    return PHX_OK;
}

/* Lists the coordinates that move the port, those of a joint in its order. */
static phx_status list_coordinates(pose_solver *s)
{
    int number;

    for (int k = 0; k < s->n_u; k++) {
        const phx_tree_coordinate c = phx_tree_space_coordinate(s->space->tree, s->body, k);
        int i = s->n;
        if (!c.moves)
            continue;
        if (c.coordinate < 0)
            return phx_fail(s->context, PHX_ERR_UNSUPPORTED,
                            "'%s' moves freely between the ground and %s and has no coordinate for a motion; weld it, "
                            "or use joints with coordinates",
                            phx_tree_space_name(s->space->tree, k, &number), s->given->port);
        for (; i > 0 && s->coordinate[i - 1].joint == c.joint && s->coordinate[i - 1].coordinate > c.coordinate; i--) {
            s->coordinate[i] = s->coordinate[i - 1];
            s->rate[i] = s->rate[i - 1];
        }
        s->coordinate[i] = c;
        s->rate[i] = k;
        s->n++;
    }
    return s->n > 0 ? check_couplings(s)
                    : phx_fail(s->context, PHX_ERR_INPUT, "no joint moves %s; choose a port of another body",
                               s->given->port);
}

/* The size L: the largest distance of the port from an axis at the start, or of the path from there. */
static void find_size(pose_solver *s)
{
    double p[3], R[9], zero[3] = {0.0}, arm[3];

    phx_tree_space_place(s->space->tree, s->body, s->point, s->q, p, R, s->all);
    for (int k = 0; k < s->n; k++) {
        for (int i = 0; i < s->dim; i++)
            arm[i] = s->coordinate[k].hinge ? s->all[i * s->n_u + s->rate[k]] : 0.0;
        s->size = fmax(s->size, pose_distance(s->dim, arm, zero));
    }
    for (int r = 0; r < s->path.n; r++)
        s->size = fmax(s->size, pose_distance(s->dim, s->path.places + r * s->dim, p));
    s->size = s->size > 0.0 ? s->size : 1.0;
}

/* Room, coordinates, stops and size, and the rank of J at a generic place. */
static phx_status solver_begin(pose_solver *s)
{
    s->n_u = phx_joint_space_rates(s->space);
    s->m = s->dim + (s->path.rotations ? phx_rotations(s->dim) : 0);
    const size_t n = (size_t)s->n_u, n_q = (size_t)phx_joint_space_coordinates(s->space);
    const phx_array arrays[] = {{&s->scale, n},
                                {&s->lower, n},
                                {&s->upper, n},
                                {&s->y, n},
                                {&s->base, n},
                                {&s->best, n},
                                {&s->trial, n},
                                {&s->next, n},
                                {&s->d, n},
                                {&s->z, n},
                                {&s->q, n_q},
                                {&s->all, MOST_ERRORS * n},
                                {&s->J, MOST_ERRORS * n},
                                {&s->A, MOST_ERRORS * n},
                                {&s->V, n * n}};
    phx_status status = phx_arrays_create(s->context, sizeof arrays / sizeof *arrays, arrays);
    s->coordinate = phx_calloc(s->context, n, sizeof *s->coordinate);
    s->rate = phx_calloc(s->context, n, sizeof *s->rate);
    s->at = phx_calloc(s->context, 2 * n, sizeof *s->at);
    if (status || !s->coordinate || !s->rate || !s->at)
        return PHX_ERR_MEMORY;
    phx_tree_space_state(s->space->tree, s->q, s->all);
    status = list_coordinates(s);
    if (status)
        return status;
    find_size(s);
    for (int k = 0; k < s->n; k++) {
        const phx_tree_coordinate *c = &s->coordinate[k];
        const phx_model_stops *stops = &s->model->joints[c->joint].coordinates[c->coordinate].stops;
        s->scale[k] = c->hinge ? 1.0 : s->size;
        s->lower[k] = stops->lower.given ? stops->lower.value / s->scale[k] : -INFINITY;
        s->upper[k] = stops->upper.given ? stops->upper.value / s->scale[k] : INFINITY;
        s->y[k] = s->base[k] = s->q[c->q] / s->scale[k];
    }
    other_start(s, 2, s->trial);
    pose_error(s, s->trial);
    status = phx_dense_singular_values(s->context, s->m, s->n, s->J, s->sigma, NULL);
    while (s->rank < s->m && s->rank < s->n && s->sigma[s->rank] > SINGULAR * s->sigma[0])
        s->rank++;
    return status;
}

static void solver_end(pose_solver *s)
{
    double *const arrays[] = {s->scale, s->lower, s->upper, s->y,   s->base, s->best, s->trial, s->next,
                              s->d,     s->z,     s->q,     s->all, s->J,    s->A,    s->V};

    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
    phx_free(s->coordinate);
    phx_free(s->rate);
    phx_free(s->at);
    phx_place_path_free(&s->path);
    phx_joint_space_destroy(s->space);
}

/* ---- the table ---- */
/* The error of a row that is not reached or singular: time, place, what is left, joints at their stops, remedy. */
static phx_status fail_place(const pose_solver *s, bool reached, double left, double singular)
{
    const double *target = s->path.places + s->row * s->dim;
    char what[300];
    int used = snprintf(what, sizeof what, "is in a singular position");

    if (!reached)
        used = snprintf(what, sizeof what, "stays away, by %.4g m and %.4g rad", left,
                        sqrt(phx_dot(s->m - s->dim, s->e + s->dim, s->e + s->dim)));
    for (int k = 0; k < s->n && used < (int)sizeof what; k++)
        if (fmin(s->y[k] - s->lower[k], s->upper[k] - s->y[k]) < SETTLED)
            used += snprintf(what + used, sizeof what - (size_t)used, ", '%s' at its stop",
                             s->model->joints[s->coordinate[k].joint].name);
    return phx_fail(s->context, PHX_ERR_ANALYSIS,
                    "t = %.9g s, place (%.6g, %.6g, %.6g) m: %s %s; the smallest singular value is %.2g times the "
                    "largest. Change the path or its directions, the start or the stops of the joints, or accept this "
                    "with the option 'nearest'",
                    s->path.t[s->row], target[0], target[1], s->dim == 3 ? target[2] : 0.0, s->given->port, what,
                    singular);
}

/* Opens the table: t and JOINT.coordinate, of joints with several coordinates JOINT.coordinate1 .. */
static phx_status open_motions(const pose_solver *s, phx_recorder **recorder)
{
    phx_record_column *columns = phx_calloc(s->context, (size_t)s->n + 1, sizeof *columns);
    char(*names)[NAME_SIZE] = phx_calloc(s->context, (size_t)s->n, NAME_SIZE);
    phx_recorder_def def = phx_recorder_def_default();
    phx_status status = columns && names ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < s->n && !status; k++) {
        const phx_model_joint *joint = &s->model->joints[s->coordinate[k].joint];
        const char *format = joint->n_coordinates > 1 ? "%s.coordinate%d" : "%s.coordinate";
        snprintf(names[k], NAME_SIZE, format, joint->name, s->coordinate[k].coordinate + 1);
        columns[k + 1] = (phx_record_column){names[k], s->coordinate[k].hinge ? "rad" : "m"};
    }
    if (!status) {
        columns[0] = (phx_record_column){"t", "s"};
        def.csv_path = s->given->csv_path;
        def.dimension = s->dim;
        def.n_columns = s->n + 1;
        def.columns = columns;
        def.model_name = s->model->title;
        def.model_text = s->model->text;
        def.program_version = phx_version();
        def.in_memory = true;
        status = phx_recorder_create(s->context, &def, recorder);
    }
    phx_free(columns);
    phx_free(names);
    return status;
}

/* Solves the row and judges it: fails at a place that is not reached or singular, unless the nearest is accepted. */
static phx_status follow_row(pose_solver *s, phx_inverse_kinematics_report *report)
{
    double error;
    phx_status status = pose_solve(s, &error);

    if (!status)
        status = phx_dense_singular_values(s->context, s->m, s->n, s->J, s->sigma, NULL);
    if (status)
        return status;
    const double singular = s->rank > 0 ? s->sigma[s->rank - 1] / s->sigma[0] : 0.0;
    const double left = s->size * sqrt(phx_dot(s->dim, s->e, s->e));
    const bool reached = is_reached(s, error);
    if (s->row == 0 || singular < report->singular) {
        report->singular = singular;
        report->singular_at = s->path.t[s->row];
    }
    report->missed += !reached;
    report->left = fmax(report->left, left);
    for (int k = 0; k < s->n && s->row > 0; k++)
        report->step = fmax(report->step, fabs(s->y[k] - s->base[k]));
    return s->given->nearest || (reached && singular > SINGULAR) ? PHX_OK : fail_place(s, reached, left, singular);
}

/* Follows the path, of which rows (n x (1 + coordinates)) get times and coordinates. */
static phx_status follow_path(pose_solver *s, double *rows, phx_inverse_kinematics_report *report)
{
    static const double WIDE = 1.0; /* change from row to row that splines through the table do not follow */
    phx_status status = PHX_OK;

    for (s->row = 0; s->row < s->path.n && !status; s->row++) {
        status = follow_row(s, report);
        *rows++ = s->path.t[s->row];
        for (int k = 0; k < s->n; k++)
            *rows++ = s->y[k] * s->scale[k];
        if (!status)
            status = phx_progress(s->context, "places", s->row + 1.0, s->path.n);
    }
    report->rows = (size_t)s->path.n;
    if (!status && report->missed > 0)
        phx_log(s->context, PHX_LOG_WARNING, "%zu of %d places are not reached; up to %.4g m are left", report->missed,
                s->path.n, report->left);
    if (!status && report->step > WIDE)
        phx_log(s->context, PHX_LOG_WARNING,
                "a joint moves by %.3g rad or sizes from one row to the next; give rows at shorter intervals",
                report->step);
    return status;
}

phx_inverse_kinematics_options phx_inverse_kinematics_options_default(void)
{
    return (phx_inverse_kinematics_options){0};
}

/* Reads the path, follows it row by row, and then writes the table of the joint coordinates. */
static phx_status make_motions(pose_solver *s, phx_inverse_kinematics_report *report, phx_result **table)
{
    phx_recorder *recorder = NULL;
    double *rows = NULL;
    phx_status status = phx_model_protect(s->context, s->model);

    if (!status)
        status = phx_place_path_create(s->context, s->dim, s->given, &s->path);
    if (!status)
        status = phx_files_check(s->context, 1, &s->given->csv_path);
    if (!status)
        status = find_place(s);
    if (!status)
        status = phx_joint_space_create(s->context, s->model, false, &s->space);
    if (!status)
        status = solver_begin(s);
    if (!status) {
        rows = phx_calloc(s->context, (size_t)s->path.n * (size_t)(s->n + 1), sizeof *rows);
        status = rows ? follow_path(s, rows, report) : PHX_ERR_MEMORY;
    }
    if (!status)
        status = open_motions(s, &recorder);
    for (size_t r = 0; r < report->rows && !status; r++)
        status = phx_recorder_append(recorder, rows + r * (size_t)(s->n + 1), NULL, NULL);
    if (!status)
        status = phx_recorder_finish(recorder, 0, NULL);
    if (!status && table)
        status = phx_recorder_take(recorder, s->context, table);
    phx_recorder_destroy(recorder);
    phx_free(rows);
    return status;
}

phx_status phx_study_inverse_kinematics(phx_context *context, const phx_model *model,
                                        const phx_inverse_kinematics_options *options,
                                        phx_inverse_kinematics_report *report, phx_result **table)
{
    if (!model || !options || !report)
        return phx_fail_null(context, __func__, "model, options or report");
    pose_solver solver = {.context = context, .model = model, .given = options, .dim = model->dimension};

    *report = (phx_inverse_kinematics_report){0};
    if (table)
        *table = NULL;
    phx_files_begin(context);
    const phx_status status = make_motions(&solver, report, table);
    solver_end(&solver);
    phx_files_end(context);
    return phx_conclude(context, status);
}
