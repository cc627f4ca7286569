/* Functions that the files of layer system share, private to it. */
#ifndef PHX_SYSTEM_INTERNAL_H
#define PHX_SYSTEM_INTERNAL_H

#include "system/building.h"
#include "system/workspace.h"

/* Parts of a workspace. What is made before one fails is freed with the rest. */
phx_status phx_sys_values_create(phx_context *context, const kkt_matrix *kkt, kkt_values *values, mass_matrix *mass);
void phx_sys_values_free(kkt_values *values, mass_matrix *mass);
phx_status phx_sys_interval_create(phx_context *context, const phx_system *system, int n_l, step_interval *step);
void phx_sys_interval_free(step_interval *step);
phx_status phx_sys_rubbing_create(phx_context *context, const phx_system *system, int n_l, reaction_forces *made);
void phx_sys_rubbing_free(reaction_forces *made);
/* An interval begins, at the end of the last one or where that began; friction takes these multipliers; impulses of a
 * projection (NULL: none). */
void phx_sys_rubbing_begin(workspace *ws, bool goes_on, bool again);
void phx_sys_rubbing_take(workspace *ws, const double *lambda, bool interval);
/* The multipliers that the interval has been solved for; whether they are others than those that friction took. */
bool phx_sys_rubbing_retake(workspace *ws, const double *lambda);
void phx_sys_rubbing_project(workspace *ws, const double *impulses, double h);
/* The next multipliers of an iteration for them and friction at an instant; whether they have settled. */
bool phx_sys_rubbing_settles(workspace *ws, const double *x, const double *v, const double *lambda);
double phx_sys_reaction_force(const workspace *ws, const joint_slot *joint);
double phx_sys_friction_limit(const workspace *ws, const joint_slot *joint, const coordinate_slot *coordinate);
phx_status phx_sys_projection_create(phx_context *context, const phx_system *system, projection *made);
void phx_sys_projection_free(projection *made);
phx_status phx_sys_reactions_create(phx_context *context, const phx_system *system, int n_l, reactions *made);
void phx_sys_reactions_free(reactions *made);

phx_status phx_sys_workspace_create(phx_system *system, phx_context *context, phx_backend backend, int n_rows,
                                    const int *rows, workspace **out);
void phx_sys_workspace_destroy(workspace *ws);
/* The workspace with every row, start.assembly; made unless it is there. */
phx_status phx_sys_need_assembly(phx_system *system);
pattern_source phx_sys_pattern_source(const workspace *ws);
/* Pattern, places and elimination order; n_v, place, condensed and boundary are given (kkt.c). `val`: zeros on it. */
phx_status phx_sys_kkt_create(phx_context *context, const pattern_source *of, kkt_matrix *kkt, double **val);
void phx_sys_kkt_free(const phx_system *system, kkt_matrix *kkt);
/* Fills kkt->order (order.c). */
phx_status phx_sys_order(phx_context *context, const pattern_source *of, kkt_matrix *kkt);
/* The unknown of a velocity; -1: it is eliminated inside its body. */
int phx_sys_unknown_of(const kkt_matrix *kkt, int v);
/* Unknowns of a condensed body, the rigid ones first; their number. */
int phx_sys_body_columns(const phx_system *system, const kkt_matrix *kkt, int b, int *cols);
bool phx_sys_is_condensed(const kkt_matrix *kkt, int b);
/* Pairs of ports that couple through second derivatives: every joint first, then every force; whether this one does. */
int phx_sys_pair_count(const phx_system *system);
bool phx_sys_pair_ports(const phx_system *system, int pair, phx_port_id *a, phx_port_id *b);

/* Where a port or point is: a point of a flexible body, else a location of the body or the ground. The directions
 * `rotation` may be NULL. */
typedef struct place_def {
    phx_body_id body;
    const phx_flex_point *point;
    phx_location location;
    const double *rotation;
} place_def;
/* That place into `slot`, whose point and name are owned by the caller. */
phx_status phx_sys_place(const phx_system *system, const place_def *def, port_slot *slot);
void phx_sys_place_free(port_slot *slot);
/* ---- filters.c: numerical damping ---- */
void phx_sys_filters_free(workspace *ws);
void phx_sys_filters_begin(workspace *ws);
phx_status phx_sys_filters_residual(workspace *ws, double *res);
phx_status phx_sys_op_interval_finish(phx_dae *dae, double *v1, phx_work *work);
void phx_sys_op_keep(phx_dae *dae);
void phx_sys_op_take_memory(phx_dae *dae, const phx_dae *from);
/* ---- directions.c: PHX_ERR_ARGUMENT where a joint or load needs the directions of a port that has none ---- */
phx_status phx_sys_check_joint_directions(const phx_system *system, const joint_slot *joint);
phx_status phx_sys_check_load_directions(const phx_system *system, const phx_load_def *def);

/* By which sorts of locations the points of a body or the ground are given, as bits. */
unsigned phx_sys_location_sorts(const phx_system *system, phx_body_id body);

/* ---- blame.c: messages of equations that cannot be solved; all return PHX_SINGULAR ---- */
phx_status phx_sys_blame_body(phx_context *context, const phx_body *body, bool finite);
/* An equation of the whole matrix: a velocity of a body or the row of a joint. */
phx_status phx_sys_blame_equation(const workspace *ws, int equation, bool finite);
/* For phx_lu_factor: row `equation` of the matrix that failed stands for the unknown `column` of the whole one. */
phx_status phx_sys_blame_factor(const workspace *ws, const int *ptr, const double *val, int equation, int column);

/* Growing list of places of a pattern. */
typedef struct phx_sys_triplets {
    int *row, *col;
    size_t count, capacity;
} phx_sys_triplets;
phx_status phx_sys_put(phx_context *context, phx_sys_triplets *list, int row, int col);

/* ---- equations/memory.c ---- */
void phx_sys_op_archive(phx_dae *dae, phx_archive *archive);
/* A factorisation that there may be; created by `by` when it is read. */
typedef phx_status phx_sys_create_lu_fn(const workspace *ws, const kkt_matrix *kkt, bool complex_values, phx_lu **lu);
void phx_sys_archive_lu(phx_archive *archive, const workspace *ws, const kkt_matrix *kkt, phx_sys_create_lu_fn *by,
                        phx_lu **lu);

/* ---- inputs.c ---- */
/* Parts of the dae behind the ledger: the integral over the current interval of the quantity conjugate to each input;
 * in a projection, whose velocities and multipliers change by dv, its impulse. */
phx_status phx_sys_input_work(workspace *ws, double h, const double *lambda);
void phx_sys_input_project(workspace *ws, const double *dv);

/* ---- control: controllers ---- */
/* names.c: once joints, forces and outputs are numbered; PHX_ERR_INPUT for names that mean nothing, quantities that
 * cannot be fed back, and controllers that wait for each other. */
phx_status phx_sys_controllers_resolve(phx_system *system);
void phx_sys_controllers_free(controller_list *controllers);
/* Numbers the states of controllers behind those of the bodies; writes their start values. */
void phx_sys_controllers_number(phx_system *system);
void phx_sys_controllers_start(const phx_system *system, double *x);
/* controllers.c: their part of a workspace, whose ports are made. */
phx_status phx_sys_control_create(phx_context *context, const phx_system *system, const port_set *ports,
                                  control_work *made);
void phx_sys_control_free(const phx_system *system, control_work *control);
/* The ports that controllers act on and measure at, some of them several times. */
typedef void phx_sys_port_fn(void *user, phx_port_id id);
void phx_sys_each_controlled_port(const phx_system *system, phx_sys_port_fn *function, void *user);
/* Whether efforts act that depend on views of ports: forces or controllers. */
static inline bool phx_sys_has_forces(const phx_system *system)
{
    return system->n_forces > 0 || system->control.n > 0;
}
/* Efforts and powers of controllers at the instant or over the current interval, at whose end their states are set;
 * with `linear` their derivatives. Part of phx_sys_forces. */
phx_status phx_sys_controllers(workspace *ws, double t, bool linear);
/* A part of it: the effort of size one of actuation i on the ports as they are viewed, and its flow. */
phx_status phx_sys_find_flow(workspace *ws, int i);
/* Whether a sampled controller takes a sample at time t. */
bool phx_sys_sample_is_due(const controller_slot *slot, double t);
double phx_sys_controllers_energy(const phx_system *system, const double *x);
/* measures.c: mean of a measure; its derivative by the variation of the ports, or by their rates (is_rate), into
 * ws->control.row. */
double phx_sys_measure(const workspace *ws, const measure *gauge);
bool phx_sys_measure_is_rate(const phx_system *system, const measure *gauge);
void phx_sys_measure_row(workspace *ws, const measure *gauge);
/* Whether its mean over an interval is the mean of a place at both ends, or the increment of a place over h. Its row at
 * an instant is then the derivative of the place. */
bool phx_sys_measure_has_place(const phx_system *system, const measure *gauge);
/* The ports whose motion it follows, one or two. */
int phx_sys_measure_ports(const phx_system *system, const measure *gauge, phx_port_id ports[2]);
/* Whether a quantity can be fed back at once. */
bool phx_sys_quantity_fits(const phx_system *system, const phx_output_def *def);
/* couplings.c: places of the feedback in a pattern, and the feedback into the current linearisation. */
phx_status phx_sys_control_collect(phx_context *context, const pattern_source *of, const kkt_matrix *kkt,
                                   phx_sys_triplets *list);
phx_status phx_sys_control_locate(phx_context *context, const pattern_source *of, const phx_csr *pattern,
                                  kkt_matrix *kkt);
void phx_sys_control_couple(workspace *ws);
/* Columns of the velocities that an actuation acts on, those of port A first: how many, column k, and P^T e_i over them
 * while its ports are viewed. */
int phx_sys_acted_columns(const port_set *ports, const actuation *one);
int phx_sys_acted_column(const port_set *ports, const actuation *one, int k);
void phx_sys_pull_actuation(workspace *ws, int i, double *acted);
/* Rows over the measures of `count` values that follow the inputs of a controller by S (count x inputs), directly and
 * through the controllers that it reads. */
void phx_sys_control_chain(workspace *ws, const controller_slot *slot, int count, const double *S, double *rows);
/* Whether an actuation follows a measure, directly or through other controllers; at rest through sampled ones too. */
bool phx_sys_follows(const phx_system *system, bool at_rest, int controller, int row);
/* at_rest.c: part of phx_sys_controllers, of one controller at rest; rows: du/dy, outputs x measures. */
phx_status phx_sys_controller_at_rest(workspace *ws, int c, double t, double *rows);
/* Of a measure that is a rate: whether it is that of a place, and the place now. */
bool phx_sys_measure_place(const workspace *ws, const measure *gauge, double *place);
double phx_sys_op_next_sample(const phx_dae *dae, double t);

/* ---- point_index.c: points by body and name ---- */
/* Room for one more point; before it is added. */
phx_status phx_sys_point_index_reserve(phx_system *system);
/* Enter system->points[point]. */
void phx_sys_point_index_add(phx_system *system, int point);

/* Whether a body has parts that move apart: more frames than one, or vectors. */
static inline bool phx_sys_has_frames(const phx_system *system, int b)
{
    return !phx_body_floats(system->bodies[b].body);
}

/* Coordinates of a body beside its frames in x, and their rates in v, vectors of the whole system. */
static inline const double *phx_sys_q(const body_slot *slot, const double *x)
{
    int at;
    (void)phx_body_coordinates(slot->body, &at, NULL);
    return x + slot->x + at;
}
static inline const double *phx_sys_q_dot(const body_slot *slot, const double *v)
{
    int at;
    (void)phx_body_coordinates(slot->body, NULL, &at);
    return v + slot->v + at;
}

/* About the origin of the first frame, the largest, of the undeformed body. */
double phx_sys_radius_of_gyration(const body_slot *slot);

/* A body at the current interval or instant. */
static inline phx_body_view phx_sys_body_view(const workspace *ws, int b)
{
    const phx_body_view *all = &ws->view;
    const int x = ws->system->bodies[b].x, v = ws->system->bodies[b].v;

    return (phx_body_view){.h = all->h,
                           .x0 = all->x0 + x,
                           .x1 = all->x1 + x,
                           .xm = all->xm + x,
                           .v0 = all->v0 + v,
                           .v1 = all->v1 + v,
                           .vm = all->vm + v,
                           .products = all->h == 0.0 ? NULL : ws->bodies.products[b]};
}

/* Point every body at an instant; and evaluate all ports. */
void phx_sys_point_at(workspace *ws, const double *x, const double *v);
void phx_sys_set_instant(workspace *ws, const double *x, const double *v);
/* A port of the ground: at rest for good. */
void phx_sys_ground_view(const phx_system *system, const port_slot *port, phx_port_view *view);
/* Efforts of forces into ws->ports.effort, powers into ws->forces.power; distributed loads straight into res (res -=
 * ...). With `linear` also tangents into K, D. */
phx_status phx_sys_forces(workspace *ws, double t, bool linear, double *res);
/* ---- one port or row at a time, whatever the evaluator ---- */
/* A port at the instant or over the current interval. */
void phx_sys_view_own_port(workspace *ws, phx_port_id id);
/* Covectors of a row and its prescribed rate at t, or the mean over [t, t + h]. */
void phx_sys_evaluate_row(workspace *ws, int k, double t, double h);
/* res (n_v) -= P^T e for the efforts on a port. */
void phx_sys_apply_port(const workspace *ws, phx_port_id id, double *res);
/* effort += covectors of a row times its multiplier, and of all rows */
void phx_sys_apply_multiplier(workspace *ws, int k, double lambda);
void phx_sys_apply_multipliers(workspace *ws, const double *lambda);
/* row (port_count) = covector^T P of a port at the view of its body. */
void phx_sys_pull(const workspace *ws, phx_port_id id, const double *covector, double *row);

/* ---- couplings.c: derivatives of what joins ports, at their places in the values of a matrix ---- */
/* Of the rows from `first` up to before `end`, which are on the same two ports: G, -G^T and K_l, and K of their
 * multipliers; G and -G^T alone, into val. */
void phx_sys_couple_rows(workspace *ws, const kkt_matrix *kkt, int first, int end, const double *lambda);
void phx_sys_put_pair_rows(workspace *ws, const kkt_matrix *kkt, int first, int end, double *val);
/* The geometric term of a port. */
void phx_sys_couple_port(workspace *ws, const kkt_matrix *kkt, phx_port_id id);
/* As pair_add and pair_rate_add of an evaluator. */
void phx_sys_couple_pair(workspace *ws, const kkt_matrix *kkt, int pair, double alpha, const double *block);
void phx_sys_couple_pair_rates(workspace *ws, const kkt_matrix *kkt, int pair, double alpha, const double *block);
/* Factorisation of a whole matrix on the KKT pattern; the first use of `lu` allocates. */
phx_status phx_sys_factor(workspace *ws, bool complex_values, const double *val, phx_lu **lu);
/* A(cj) on it into a slot. */
phx_status phx_sys_factor_whole(workspace *ws, int slot, double cj);
phx_status phx_sys_factor_whole_mass(workspace *ws, const double *x); /* factor_mass on it */
/* phx_sys_forces with `linear`, without its residual. */
phx_status phx_sys_add_forces(workspace *ws, double t);
/* Unwrapped joint angles in x1 as in x0. */
void phx_sys_begin_angles(workspace *ws);
bool phx_sys_has_angle(const joint_slot *joint); /* an unwrapped one */
/* Those of a joint in x, nearest to those that x has, at end 1 of the views. */
void phx_sys_unwrap_joint(const joint_slot *joint, const phx_port_view *a, const phx_port_view *b, double *x);
/* Values of [M -G^T; G 0] at the current instant view, whose rows are evaluated, into ws->mass.val. */
void phx_sys_mass_values(workspace *ws, const double *x);
phx_status phx_sys_parallel_create(const workspace *ws, parallel_rows *out);
void phx_sys_parallel_free(parallel_rows *parallel);
/* Of the rows that are on, those that depend on others of their pair at the instant whose G is in ws->values.val;
 * whether they are others than before. */
bool phx_sys_parallel_choose(const workspace *ws, const bool *on, parallel_rows *parallel);
bool phx_sys_dropped(const workspace *ws, int unknown); /* the unknown is the multiplier of such a row */
/* factor_mass of the evaluator with the deformations held and the rows of `on` only, eps > 0 times its Schur diagonal
 * on the multipliers: solvable with redundant rows. Factored by itself. */
phx_status phx_sys_factor_rigid(workspace *ws, const double *x, const bool *on);
/* b (n) <- its solution, zero on the deformations. */
phx_status phx_sys_solve_rigid(workspace *ws, double *b);
void phx_sys_rigid_free(rigid_kkt *rigid);

extern const phx_dae_ops phx_sys_ops;
phx_status phx_sys_op_project(phx_dae *dae, double t1, double h, bool interval, bool may_reject, const double *x1,
                              double *v1, double *lambda, phx_work *work);
phx_status phx_sys_op_linearise(phx_dae *dae, double t, const double *x, const double *v, const double *lambda);
phx_status phx_sys_op_interval_linearise(phx_dae *dae);
phx_status phx_sys_op_factor(phx_dae *dae, int slot, double cj);
phx_status phx_sys_op_factor_complex(phx_dae *dae, int slot, double re, double im);
phx_status phx_sys_op_accelerations(phx_dae *dae, double t, const double *x, const double *v, double *v_dot,
                                    double *lambda);
bool phx_sys_closes_loops(const workspace *ws);
double phx_sys_op_regularity(phx_dae *dae, double t, const double *x, const double *v);
void phx_sys_op_dependent(phx_dae *dae, double t, const double *x, const double *v, size_t size, char *text);
/* Impulses of gravity and loads on the free components over the interval; the views are the interval's. */
void phx_sys_impulses(workspace *ws);
/* Whether a force is a load at a port of a body; its impulse over [t0, t0 + h] on the momenta (dim + n_rot) is added.
 */
bool phx_sys_pushes_freely(const phx_system *system, const force_slot *force);
void phx_sys_load_impulse(const phx_system *system, const force_slot *force, const phx_port_view *view, double t0,
                          double h, double *sum);
/* The velocities v at x put on the rows of ws by an impulse of the joints: v += M^-1 G^T mu, S mu = w - G v. The work
 * of the drives mu.w, and what the joints take, 1/2 e^T S^-1 e, J. */
phx_status phx_sys_impulse(workspace *ws, double t, const double *x, double *v, phx_work *work);
/* The acceleration of a row of a joint with covectors g, that of a coordinate with the velocities' accelerations v_dot,
 * at the current instant, and P^T g into `along`. */
double phx_sys_rate_of_rate(workspace *ws, const phx_port_id ends[2], const phx_row *row, const double *g,
                            const double *v_dot, double *along);
/* Number k of the rigid contacts at the current instant, with the accelerations v_dot and the reactions of all rows. */
void phx_sys_look_at_rigid_contact(workspace *ws, int k, const double *v_dot, phx_rigid_contact *out);
/* Signals that vary: the list, and a look at them in a step. */
phx_status phx_sys_watch_signals(phx_context *context, const phx_system *system, signal_watch *made);
void phx_sys_watch_free(signal_watch *watch);
void phx_sys_look_at_signals(workspace *ws, double t0, double t1);
/* The same of contacts by penalty, after an accepted step (contact_watch.c). */
phx_status phx_sys_watch_contacts(phx_context *context, const phx_system *system, int **touched);
void phx_sys_look_at_contacts(workspace *ws, double t0, double t1);
/* The same of turns: after an interval, and after an accepted step (turn_watch.c). */
phx_status phx_sys_watch_turns(phx_context *context, const phx_system *system, turn_watch *made);
phx_status phx_sys_note_turns(workspace *ws, const double *v1);
void phx_sys_look_at_turns(workspace *ws, double t0);
/* The same of dampers too strong for the step, after an accepted step (damper_watch.c). */
phx_status phx_sys_watch_dampers(phx_context *context, const phx_system *system, damper_watch *made);
void phx_sys_look_at_dampers(workspace *ws, double t0, double t1);
bool phx_sys_varies(const phx_system *system);
phx_status phx_sys_op_check_signals(phx_dae *dae, double t0, double t1);
double phx_sys_op_next_break(const phx_dae *dae, double t);
/* Linear and angular momentum of every component: (dim + n_rot) values each. */
void phx_sys_momenta(const workspace *ws, const double *x, const double *v, double *momenta);
/* G_dot v of row k at the current instant view. */
double phx_sys_row_acceleration(workspace *ws, int k);

/* The place of A along its body of a joint that slides: as it says, else nearest to the point of B in the poses as
 * written; and the axes of the section there, a rotation (dim x dim). Into x for all such joints: the first guess. */
phx_status phx_sys_guess_place(const phx_system *system, const joint_slot *joint, double *place, double *axes);
phx_status phx_sys_guess_places(phx_system *system, double *x);
/* PHX_ERR_ARGUMENT when the place of a joint lies beyond its body at the start x. */
phx_status phx_sys_check_start_places(const phx_system *system, const double *x);
/* The same from x, moved as little as possible; only coordinates with a motion are held, at their values at t. */
phx_status phx_sys_assemble_from(phx_system *system, double t, double *x);
/* Another configuration with closed joints about so far (rad, and times the size) from x, coordinates free; fails when
 * none is found. */
phx_status phx_sys_neighbour(phx_system *system, double distance, double *x);
/* A stride of `distance` (as above, up to 0.4) along the free motion from x, as nearly straight on from `way` (n_v,
 * rigid velocities) as the joints allow; `way` becomes the direction taken. Fails where nothing moves or the joints
 * cannot be closed. phx_sys_any_way: a direction to begin with, another one for each seed. */
phx_status phx_sys_walk(phx_system *system, double distance, double *way, double *x);
void phx_sys_any_way(const phx_system *system, int seed, double *way);
/* Assembly residuals at x, negated, into rhs (rows; NULL: none); on[] says which rows ask for a position (with `hold`
 * also the held coordinates). Returns the largest, relative to the size of the system for lengths. */
double phx_sys_assembly_residual(workspace *ws, const double *x, bool hold, double *rhs);
/* Minus the gradient of 1/2 (sum m |dc|^2 + dtheta . I_c dtheta) over the changes from the poses as written: n_v. */
void phx_sys_pull_back(const workspace *ws, const double *x, double *rhs);
/* Puts the poses of x in place of those that the user gave, which go to `written`. */
void phx_sys_exchange_poses(phx_system *system, const double *x, phx_pose *written);
/* Offsets that make every coordinate count from its given start value at x, and the unwrapped joint angles in x. */
void phx_sys_set_offsets(phx_system *system, double *x);
/* Values of the output columns (wanted: per output; NULL: all) at the instant of the workspace, from accelerations and
 * the multipliers of all rows. */
void phx_sys_output_values(workspace *ws, double t, const double *v_dot, const double *all, const bool *wanted,
                           double *columns);
/* Some output is an acceleration, or a reaction. */
bool phx_sys_outputs_accelerate(const phx_system *system);
/* phx_system_drift where the ports have been viewed at the instant (equations/dae.c). */
void phx_sys_drift(const workspace *ws, double t, double *position, double *velocity);
/* Those of `count` rows from row `first` on between the ports of these views, kept where they are larger. */
void phx_sys_rows_drift(const phx_system *system, int first, int count, const phx_port_view *a, const phx_port_view *b,
                        double t, double *position, double *velocity);
double phx_sys_coordinate_value(const workspace *ws, int joint, int coordinate, int end);
/* Whether controllers shape the energy and nothing else is done by any; then the energy of the closed loop and its
 * rate, which have columns behind those of the controllers, PHX_SYS_CLOSED_LOOP.energy and .rate. */
#define PHX_SYS_CLOSED_LOOP "closed_loop"
enum { PHX_SYS_SHAPED = 2 };
bool phx_sys_is_shaped(const phx_system *system);
phx_status phx_sys_shaped(workspace *ws, double t, const double *x, const double *v, double values[PHX_SYS_SHAPED]);
double phx_sys_coordinate_rate(const workspace *ws, int joint, int coordinate); /* of the instant */
/* The force along a coordinate at the current instant; not a number where its actuator is not finite. */
phx_scalar_result phx_sys_coordinate_along(const workspace *ws, int joint, int coordinate, double t);
/* Unwrapped joint angles in x, nearest to those that x has: at the instant that all ports have been viewed at; their
 * rates.
 */
void phx_sys_unwrap_angles(const workspace *ws, double *x);
void phx_sys_angle_rates(const phx_system *system, const double *x, const double *v, double *x_dot);
/* A port of a state, without a workspace. */
void phx_sys_view_port(const phx_system *system, phx_port_id id, const double *x, const double *v, phx_port_view *view);
/* Directions of a deformed section, orthonormal, inertial components: dim x dim, a column for each direction of the
 * port; `own` has them in the undeformed body, body axes. */
void phx_sys_section_frame(const phx_port_view *view, const double *own, double *frame);
void phx_sys_port_deformation(const workspace *ws, phx_port_id id, double *out); /* dim, body axes */
void phx_sys_port_attitude(workspace *ws, phx_port_id id, double *out);          /* quaternion of the port's axes */
/* Multipliers of all rows of the system, least-norm with redundant ones; the mass at the current instant is factored.
 */
phx_status phx_sys_all_multipliers(workspace *ws, const double *lambda, double *all);
/* G_r = C G of the redundant rows by those of the workspace, C redundant x n_l; after factor_mass. */
phx_status phx_sys_dependence(workspace *ws, double *C);
/* Generalised forces of a distributed load at the current view into res (n_v): res -= ...; with `linear` also its
 * stiffness into K. */
phx_status phx_sys_distributed_force(workspace *ws, const force_slot *force, double t, bool linear, double *res);
/* Rows of the workspace that depend on rows before them at x: their numbers, ascending, and count. */
phx_status phx_sys_dependent_rows(workspace *ws, const double *x, int *dependent, int *count);
/* The entries of the ledger (ledger.c); then parts of the dae: h times the power of the last evaluation and of the
 * drives, nothing, the work of the drives in a projection. */
phx_status phx_sys_ledger_create(phx_system *system);
void phx_sys_ledger_work(workspace *ws, double h, const double *lambda);
void phx_sys_ledger_nothing(workspace *ws);
void phx_sys_ledger_project(workspace *ws, const double *dv, const double *e);
void phx_sys_output_free(output_slot *output);
phx_status phx_sys_output_prepare(phx_system *system);

#endif
