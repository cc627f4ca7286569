/* dop853 on mechanisms whose joints form a tree: against gauss6 with short steps and closed forms; its order, its
 * ledger, full turns, instants between steps, and what it refuses. */
#include "mechanism.h"

#include "body/body.h"
#include "system/system.h"

/* Every way in which a body hangs on another, some with the parent as B: a free body whose arms carry more, a chain on
 * the ground, a pendulum on two axes, a weld, a slide across a turning arm. */
static const char forest[] =
    "phlexor: 1\n"
    "dimension: 3\n"
    "gravity: [0.5, -1, -9.81]\n"
    "ground: {ports: {O: {position: [0.2, 0.1, 1], rotation: {axis: [1, 1, 0], angle: 0.4}}}}\n"
    "bodies:\n"
    "  hub: {kind: rigid, mass: 4, inertia: [0.3, 0.4, 0.5], centre_of_mass: [0.05, 0.1, -0.1],\n"
    "    ports: {L: {position: [0.2, 0.3, 0]}, R: {position: [-0.1, 0.2, 0.3]}},\n"
    "    velocity: {linear: [0.4, -0.2, 3], angular: [1, -2, 0.5]}, pose: {position: [2, 0, 0]}}\n"
    "  left: {kind: rigid, mass: 1, inertia: [0.02, 0.03, 0.04], centre_of_mass: [0.2, 0, 0.1],\n"
    "    ports: {E: {position: [0.4, 0.1, 0]}}, pose: {position: [2.2, 0.3, 0]}}\n"
    "  right: {kind: rigid, mass: 1.5, inertia: [0.05, 0.03, 0.04], centre_of_mass: [0, 0.2, 0.1],\n"
    "    ports: {E: {position: [0, 0.4, 0.1]}}, pose: {position: [1.9, 0.2, 0.3]}}\n"
    "  tip: {kind: rigid, mass: 0.5, inertia: [0.01, 0.01, 0.02], pose: {position: [2.6, 0.4, 0]}}\n"
    "  upper: {kind: rigid, mass: 2, inertia: [0.1, 0.1, 0.2], centre_of_mass: [0.3, 0.1, 0],\n"
    "    ports: {E: {position: [0.6, 0, 0.1]}}, pose: {position: [0.2, 0.1, 1]}}\n"
    "  cuff: {kind: rigid, mass: 1, inertia: [0.05, 0.02, 0.03], centre_of_mass: [0.1, 0, 0],\n"
    "    ports: {E: {position: [0.3, 0, 0]}}, pose: {position: [0.8, 0.1, 1.1]}}\n"
    "  lower: {kind: rigid, mass: 1.2, inertia: [0.04, 0.05, 0.06], centre_of_mass: [0.2, 0, 0.1],\n"
    "    ports: {E: {position: [0.4, 0, 0]}}, pose: {position: [1.1, 0.1, 1.1]}}\n"
    "  bead: {kind: rigid, mass: 0.8, inertia: [0.02, 0.02, 0.03], pose: {position: [1.5, 0.1, 1.1]}}\n"
    "joints:\n"
    "  shoulder: {kind: revolute, ports: [left.P, hub.L], axis: [1, 2, 0], rate: 3}\n"
    "  fork: {kind: universal, ports: [right.P, hub.R], axes: [[1, 0, 0], [0, 1, 0]], rate: [1, -2]}\n"
    "  wrist: {kind: cylindrical, ports: [tip.P, left.E], axis: [0, 1, 1], rate: [4, 0.5]}\n"
    "  ball: {kind: spherical, ports: [upper.P, ground.O], rate: [1, 2, -1]}\n"
    "  cuff: {kind: weld, ports: [upper.E, cuff.P]}\n"
    "  elbow: {kind: prismatic, ports: [lower.P, cuff.E], axis: [0, 1, 2], rate: 0.3, stiffness: 50}\n"
    "  hand: {kind: planar, ports: [bead.P, lower.E], normal: [1, 0, 1], rate: [0.2, -0.1, 2]}\n"
    "outputs: {ball: {coordinate: ball}, wrist: {coordinate: wrist}, hand: {coordinate: hand}}\n";

/* A driven crane with everything that supplies and takes: an actuator, a damper, springs between points, a load that
 * jumps, drag. */
static const char crane[] =
    "phlexor: 1\n"
    "dimension: 3\n"
    "gravity: [0, 0, -9.81]\n"
    "ground: {ports: {O: {}, S: {position: [0, 2, 1]}}}\n"
    "bodies:\n"
    "  tower: {kind: rigid, mass: 10, inertia: [1, 1, 0.5], ports: {T: {position: [0, 0, 1]}}}\n"
    "  boom: {kind: rigid, mass: 5, inertia: [0.1, 2, 2], centre_of_mass: [1, 0, 0], ports: {E: {position: [2, 0, "
    "0]}},\n"
    "    pose: {position: [0, 0, 1]}}\n"
    "  trolley: {kind: rigid, mass: 2, inertia: [0.1, 0.1, 0.1], pose: {position: [1, 0, 1]}}\n"
    "  load: {kind: rigid, mass: 3, inertia: [0.2, 0.3, 0.4], centre_of_mass: [0, 0, -0.5], pose: {position: [1, 0, "
    "1]}}\n"
    "joints:\n"
    "  slew: {kind: revolute, ports: [ground.O, tower.P], axis: [0, 0, 1], speed: 0.8*sin(2*t)}\n"
    "  luff: {kind: revolute, ports: [boom.P, tower.T], axis: [0, 1, 0], rate: 0, damping: 4, effort: 60*cos(3*t)}\n"
    "  rail: {kind: prismatic, ports: [boom.P, trolley.P], axis: [1, 0, 0], position: 1, rate: 0, stiffness: 80, rest: "
    "1,\n"
    "    damping: 3, friction: {force: 0.5, regularised: 0.3}}\n"
    "  hook: {kind: spherical, ports: [trolley.P, load.P], rate: [0.5, 0, 0.3], damping: [0.1, 0.1, 0.1]}\n"
    "springs:\n"
    "  stay: {ports: [ground.S, boom.E], stiffness: 30, damping: 2, length: 2}\n"
    "loads:\n"
    "  gust: {at: load.P, force: [0, 4*(t >= 0.7), 0]}\n"
    "outputs: {place: {position: load.P}, luff: {coordinate: luff}}\n";

static phx_integrate_options options_of(phx_integrator integrator, double end, double step, double rtol)
{
    phx_integrate_options options = phx_integrate_options_default();
    options.integrator = integrator;
    options.end = options.every = end;
    options.step = step;
    options.rtol = rtol;
    return options;
}

/* The largest difference of two final states, places and velocities. */
static double difference(mechanism *m, const phx_integrate_options *a, const phx_integrate_options *b)
{
    double *one = mechanism_final_state(m, a), *two = mechanism_final_state(m, b);
    const double worst = mechanism_distance(one, two, m->dae->n_x + m->dae->n_v);

    free(one);
    free(two);
    return worst;
}

static void every_joint_hangs_on_every_side(void **state)
{
    const phx_integrate_options reference = options_of(PHX_GAUSS6, 1.0, 1e-3, 0.0);
    const phx_integrate_options fixed = options_of(PHX_DOP853, 1.0, 0.01, 0.0);
    const phx_integrate_options chosen = options_of(PHX_DOP853, 1.0, 0.0, 1e-10);
    mechanism m;

    (void)state;
    mechanism_open(&m, forest, 0, NULL);
    CHECK_SMALL(difference(&m, &fixed, &reference), 1e-9, "steps of 0.01 s against gauss6");
    CHECK_SMALL(difference(&m, &chosen, &reference), 1e-8, "rtol 1e-10 against gauss6");
    CHECK_SMALL(m.largest_residual, 1e-9 * m.largest_energy, "balance");
    mechanism_reset(&m);
    mechanism_run(&m, &chosen);
    CHECK_SMALL(m.largest_drift, 4e-15, "gaps of the joints");
    CHECK_SMALL(m.largest_drift_rate, 4e-14, "their rates");
    CHECK_SMALL(m.largest_skewness, 1e-14, "attitudes");
    mechanism_close(&m);
}

static void steps_are_of_order_eight(void **state)
{
    static const char *const models[] = {forest, crane};
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double end = 0.6, h = end / (k == 0 ? 16 : 8); /* before the load jumps */
        const phx_integrate_options exact = options_of(PHX_DOP853, end, end / 256, 0.0);
        const phx_integrate_options coarse = options_of(PHX_DOP853, end, h, 0.0);
        const phx_integrate_options fine = options_of(PHX_DOP853, end, 0.5 * h, 0.0);
        mechanism m;
        mechanism_open(&m, models[k], 0, NULL);
        const double first = difference(&m, &coarse, &exact), second = difference(&m, &fine, &exact);
        print_message("model %d: %.2e, %.2e, order %.2f\n", k, first, second, log2(first / second));
        CHECK_BETWEEN(log2(first / second), 7.3, 9.0, "order of model %d", k);
        mechanism_close(&m);
    }
}

/* The ledger, entry by entry, against gauss6; the balance shows the error of the method. */
typedef struct books {
    double work[2], ledger[16];
} books;

static phx_status keep_books(void *user, const phx_sample *sample)
{
    mechanism *m = user;
    books *it = m->looker;

    it->work[0] = sample->work.supplied;
    it->work[1] = sample->work.dissipated;
    memcpy(it->ledger, sample->ledger, (size_t)phx_system_ledger(m->system) * sizeof *it->ledger);
    return PHX_OK;
}

static void the_ledger_is_that_of_gauss6(void **state)
{
    phx_integrate_options exact = options_of(PHX_GAUSS6, 1.4, 1e-3, 0.0);
    phx_integrate_options runs[] = {options_of(PHX_DOP853, 1.4, 0.01, 0.0), options_of(PHX_DOP853, 1.4, 0.0, 1e-9)};
    books reference = {.work = {0.0}}, got = {.work = {0.0}};
    mechanism m;

    (void)state;
    mechanism_open(&m, crane, 0, NULL);
    assert_true(phx_system_ledger(m.system) <= 16);
    m.looker = &reference;
    CHECK_OK(m.context, phx_integrate(m.dae, &exact, &m.t, m.x, m.v, m.lambda, keep_books, &m, NULL));
    for (int k = 0; k < 2; k++) {
        mechanism_reset(&m);
        m.looker = &got;
        CHECK_OK(m.context, phx_integrate(m.dae, &runs[k], &m.t, m.x, m.v, m.lambda, keep_books, &m, NULL));
        for (int i = 0; i < phx_system_ledger(m.system); i++) {
            char name[64];
            phx_system_ledger_name(m.system, i, name, sizeof name);
            CHECK_CLOSE(got.ledger[i], reference.ledger[i], 1e-8, "run %d, %s", k, name);
        }
        CHECK_VECTOR(2, got.work, reference.work, 1e-8, "run %d, work", k);
        m.looker = NULL;
        mechanism_reset(&m);
        mechanism_run(&m, &runs[k]);
        CHECK_SMALL(m.largest_residual, 1e-8 * (fabs(got.work[0]) + m.largest_energy), "run %d, balance", k);
        CHECK_SMALL(m.largest_drift, 1e-14, "run %d, gaps", k);
    }
    mechanism_close(&m);
}

/* phi = 40 t in the plane and about an axis in space, whatever the steps. */
static void turns_are_counted(void **state)
{
    static const char *const models[] = {
        "phlexor: 1\ndimension: 2\nbodies: {a: {kind: rigid, mass: 1, inertia: 1, pose: {angle: 0.3}},\n"
        "  b: {kind: rigid, mass: 1, inertia: 1, pose: {angle: 0.5}}}\n"
        "joints: {j: {kind: revolute, ports: [a.P, ground.O], rate: -40},\n"
        "  k: {kind: revolute, ports: [ground.O, b.P], angle: 0.5, rate: 40}}\n"
        "outputs: {j: {coordinate: j}, k: {coordinate: k}, a: {angle: a.P}}\n",
        "phlexor: 1\ndimension: 3\nbodies: {a: {kind: rigid, mass: 1, inertia: [1, 1, 1]},\n"
        "  b: {kind: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {j: {kind: revolute, ports: [a.P, ground.O], axis: [1, 2, 2], rate: -40},\n"
        "  k: {kind: spherical, ports: [ground.O, b.P], angle: [0, 0, 0.5], rate: [0, 0, 40]}}\n"
        "outputs: {j: {coordinate: j}, k: {coordinate: k}}\n"};
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int chosen = 0; chosen < 2; chosen++) {
            phx_integrate_options options = options_of(PHX_DOP853, 2.0, chosen ? 0.0 : 0.02, chosen ? 1e-9 : 0.0);
            double start[8];
            mechanism m;
            mechanism_open(&m, models[k], 0, NULL);
            options.every = 0.5;
            CHECK_OK(m.context, phx_system_outputs(m.dae, 0.0, m.x, m.v, start));
            mechanism_run(&m, &options);
            CHECK_OK(m.context, phx_system_outputs(m.dae, 2.0, m.x, m.v, m.columns));
            CHECK_CLOSE(m.columns[0], start[0] - 80.0, 1e-6, "model %d, A on the child", k);
            const int last = k == 0 ? 1 : 3;
            CHECK_CLOSE(m.columns[last], start[last] + 80.0, 1e-6, "model %d, A on the ground", k);
            if (k == 0)
                CHECK_CLOSE(m.columns[2], 0.3 + 80.0, 1e-6, "angle of a body in the plane");
            if (k == 1 && !chosen) { /* steps in which the ball turns by 4 rad are divided */
                options.step = 0.1;
                mechanism_reset(&m);
                mechanism_run(&m, &options);
                CHECK_OK(m.context, phx_system_outputs(m.dae, 2.0, m.x, m.v, m.columns));
                CHECK_CLOSE(m.columns[last], start[last] + 80.0, 0.01, "long steps");
                assert_true(m.stats.halvings > 0);
            }
            mechanism_close(&m);
        }
}

/* Instants within steps: as good as steps that end there, joints closed as there. */
typedef struct trace {
    double *rows; /* instants x (n_x + n_v + 2) */
    int count, width;
} trace;

static phx_status keep_row(void *user, const phx_sample *sample)
{
    mechanism *m = user;
    trace *it = m->looker;
    double *row = it->rows + (size_t)it->count++ * (size_t)it->width;

    memcpy(row, sample->x, (size_t)m->dae->n_x * sizeof *row);
    memcpy(row + m->dae->n_x, sample->v, (size_t)m->dae->n_v * sizeof *row);
    row[it->width - 2] = sample->work.supplied;
    row[it->width - 1] = sample->work.dissipated;
    return PHX_OK;
}

static void instants_within_steps_are_as_good(void **state)
{
    enum { INSTANTS = 61 };
    phx_integrate_options coarse = options_of(PHX_DOP853, 0.6, 0.0, 1e-9),
                          fine = options_of(PHX_DOP853, 0.6, 0.01, 0.0);
    trace rows[2];
    mechanism m;

    (void)state;
    mechanism_open(&m, crane, 0, NULL);
    coarse.every = fine.every = 0.01;
    for (int k = 0; k < 2; k++) {
        rows[k] = (trace){.width = m.dae->n_x + m.dae->n_v + 2};
        rows[k].rows = calloc(INSTANTS * (size_t)rows[k].width, sizeof(double));
        assert_non_null(rows[k].rows);
        m.looker = &rows[k];
        mechanism_reset(&m);
        CHECK_OK(m.context,
                 phx_integrate(m.dae, k ? &fine : &coarse, &m.t, m.x, m.v, m.lambda, keep_row, &m, &m.stats));
        assert_int_equal(rows[k].count, INSTANTS);
        if (k == 0)
            assert_true(m.stats.steps < INSTANTS / 2);
    }
    CHECK_SMALL(mechanism_distance(rows[0].rows, rows[1].rows, INSTANTS * rows[0].width), 1e-6, "instants");
    for (int k = 0; k < 2; k++)
        free(rows[k].rows);
    m.looker = NULL;
    mechanism_reset(&m);
    mechanism_run(&m, &coarse);
    CHECK_SMALL(m.largest_drift, 1e-14, "gaps at the instants");
    CHECK_SMALL(m.largest_residual, 1e-7 * m.largest_energy, "balance at the instants");
    mechanism_close(&m);
}

/* A heavy symmetric top on a ball: what it keeps. */
static void a_heavy_top_keeps_its_momenta(void **state)
{
    phx_integrate_options options = options_of(PHX_DOP853, 3.0, 0.0, 1e-11);
    const phx_integrate_options exact = options_of(PHX_GAUSS6, 3.0, 5e-4, 0.0);
    mechanism m;

    (void)state;
    mechanism_open(&m, "heavy_top.yaml", 0, NULL);
    CHECK_SMALL(difference(&m, &options, &exact), 1e-7, "against gauss6");
    mechanism_reset(&m);
    options.every = 0.1;
    mechanism_run(&m, &options);
    CHECK_SMALL(m.largest_residual, 1e-9 * m.largest_kinetic, "energy");
    mechanism_close(&m);
}

/* A load that jumps at 0.3 s and a drive's acceleration too: steps end there. x'' = 5 (t >= 0.3). */
static void steps_end_where_a_load_jumps(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\nbodies: {m: {kind: rigid, mass: 2, inertia: 1}, n: {kind: rigid, mass: 1, inertia: "
        "1}}\n"
        "joints: {j: {kind: prismatic, ports: [ground.O, m.P], axis: [1, 0], rate: 0},\n"
        "  k: {kind: prismatic, ports: [ground.O, n.P], axis: [0, 1], speed: (t - 0.3)*(t >= 0.3)}}\n"
        "loads: {f: {at: m.P, force: [10*(t >= 0.3), 0]}}\n";
    const double s = 1.0 - 0.3;
    phx_integrate_options options = options_of(PHX_DOP853, 1.0, 0.0, 1e-8);
    mechanism m;

    (void)state;
    mechanism_open(&m, text, 0, NULL);
    mechanism_run(&m, &options);
    CHECK_CLOSE(m.x[0], 2.5 * s * s, 1e-13, "place of the loaded body");
    CHECK_CLOSE(m.x[6], 0.5 * s * s, 1e-13, "place of the driven body");
    assert_int_equal(m.stats.rejected, 0);
    assert_true(m.stats.steps < 30);
    options = options_of(PHX_DOP853, 1.0, 0.125, 0.0);
    mechanism_reset(&m);
    mechanism_run(&m, &options);
    CHECK_CLOSE(m.x[0], 2.5 * s * s, 1e-13, "place, fixed steps");
    mechanism_close(&m);
}

/* A slide of 3 kg under a hanging rod (2 kg, c = 0.5 m to its centre, J = 0.7 kg m^2 about the hinge) starts at once
 * with w = 0.6 m/s: the rod's rate jumps by -m c w/J, and the drive works w L/2, L = 5 w + m c (rate). */
static void a_drive_that_jumps_takes_an_impulse(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\nbodies: {s: {kind: rigid, mass: 3, inertia: 1},\n"
        "  r: {kind: rigid, mass: 2, inertia: 0.2, centre_of_mass: [0, -0.5]}}\n"
        "joints: {j: {kind: prismatic, ports: [ground.O, s.P], axis: [1, 0], speed: 0.6*(t >= 0.25)},\n"
        "  h: {kind: revolute, ports: [s.P, r.P], rate: 0}}\noutputs: {h: {rate: h}}\n";
    const double w = 0.6, rate = -2.0 * 0.5 * w / 0.7, impulse = 5.0 * w + 2.0 * 0.5 * rate;
    mechanism m;
    books got = {.work = {0.0}};

    (void)state;
    mechanism_open(&m, text, 0, NULL);
    for (int chosen = 0; chosen < 2; chosen++) {
        phx_integrate_options options = options_of(PHX_DOP853, 0.25, chosen ? 0.0 : 0.05, chosen ? 1e-8 : 0.0);
        mechanism_reset(&m);
        m.looker = &got;
        CHECK_OK(m.context, phx_integrate(m.dae, &options, &m.t, m.x, m.v, m.lambda, keep_books, &m, NULL));
        CHECK_CLOSE(m.v[0], w, 1e-15, "the slide");
        CHECK_CLOSE(m.v[5], rate, 1e-14, "the rod");
        CHECK_CLOSE(got.work[0], 0.5 * w * impulse, 1e-14, "work of the drive");
        CHECK_CLOSE(got.ledger[0], 0.5 * w * impulse, 1e-14, "entry of the drive");
    }
    phx_integrate_options options = options_of(PHX_DOP853, 1.0, 0.0, 1e-9);
    options.every = 0.11;
    m.looker = NULL;
    mechanism_reset(&m);
    mechanism_run(&m, &options);
    CHECK_SMALL(m.largest_residual, 1e-9, "balance over the jump");
    const double end = m.x[0];
    options = options_of(PHX_DOP853, 1.0, 0.1, 0.0); /* with a step that ends at the jump */
    mechanism_reset(&m);
    mechanism_run(&m, &options);
    CHECK_SMALL(m.largest_residual, 1e-9, "balance, fixed steps");
    CHECK_CLOSE(m.x[0], end, 1e-14, "the slide");
    assert_int_equal(m.stats.steps, 11);
    mechanism_close(&m);
}

static phx_status status_of(mechanism *m, const char *text, double rtol)
{
    phx_integrate_options options = options_of(PHX_DOP853, 1.0, rtol > 0.0 ? 0.0 : 0.01, rtol);
    mechanism_open(m, text, 0, NULL);
    return phx_integrate(m->dae, &options, &m->t, m->x, m->v, m->lambda, NULL, NULL, &m->stats);
}

#define PLANE "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"
#define BODY  "{kind: rigid, mass: 1, inertia: 0.1, centre_of_mass: [0.5, 0], ports: {E: {position: [1, 0]}}"

static void what_is_no_tree_is_refused(void **state)
{
    static const struct {
        const char *text, *said;
    } cases[] = {
        {PLANE
         "ground: {ports: {Q: {position: [1, 0]}}}\nbodies: {a: " BODY "}}\n"
         "joints: {one: {kind: revolute, ports: [ground.O, a.P]}, two: {kind: revolute, ports: [a.E, ground.Q]}}\n",
         "joint 'two' closes a loop"},
        {PLANE "materials: {steel: {density: 7800, young: 2e11}}\n"
               "bodies: {rod: {kind: beam, length: 1, section: {kind: circle, diameter: 0.02}, material: steel, "
               "elements: 2,\n"
               "  reference: cantilever}}\njoints: {j: {kind: revolute, ports: [ground.O, rod.P]}}\n",
         "'rod' deforms"},
        {PLANE "bodies: {a: " BODY "}}\njoints: {j: {kind: revolute, ports: [ground.O, a.P], friction: {force: 1}}}\n",
         "joint 'j' has friction that sticks"},
        {PLANE "bodies: {a: " BODY "}}\njoints: {j: {kind: revolute, ports: [ground.O, a.P],\n"
               "  friction: {coefficient: 0.1, radius: 0.1, regularised: 0.01}}}\n",
         "joint 'j' has friction by its reactions"},
        {PLANE "bodies: {a: " BODY "}}\njoints: {j: {kind: revolute, ports: [ground.O, a.P]}}\n"
               "controllers: {c: {kind: pid, measure: j, effort: j, kp: 1}}\n",
         "controllers"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mechanism m;
        CHECK_STATUS(m.context, status_of(&m, cases[k].text, 1e-6), PHX_ERR_UNSUPPORTED);
        CHECK_MESSAGE(m.context, cases[k].said);
        mechanism_close(&m);
    }
}

/* A damper a thousand times as fast as the motion, and a body that nothing resists. */
static void stiffness_is_found(void **state)
{
    static const char stiff[] =
        PLANE "bodies: {a: " BODY "}}\njoints: {j: {kind: revolute, ports: [ground.O, a.P], damping: 1e4}}\n";
    mechanism m;

    (void)state;
    CHECK_STATUS(m.context, status_of(&m, stiff, 1e-6), PHX_NOT_CONVERGED);
    CHECK_MESSAGE(m.context, "dop853 stopped at t = ");
    CHECK_MESSAGE(m.context, "is stiff");
    CHECK_MESSAGE(m.context, "radau5");
    assert_true(m.stats.steps < 100);
    mechanism_close(&m);
    CHECK_STATUS(m.context, status_of(&m, stiff, 0.0), PHX_ERR_ANALYSIS);
    CHECK_MESSAGE(m.context, "with a step of 0.01 s the accelerations grow beyond all numbers; try a smaller step");
    mechanism_close(&m);
}

typedef struct allocations {
    phx_context *context;
    size_t first, last;
    int samples;
} allocations;

static phx_status count_allocations(void *user, const phx_sample *sample)
{
    allocations *it = user;

    (void)sample;
    it->last = phx_context_allocations(it->context);
    if (it->samples++ == 0)
        it->first = it->last;
    return PHX_OK;
}

static void steps_allocate_nothing(void **state)
{
    (void)state;
    for (int chosen = 0; chosen < 2; chosen++) {
        phx_integrate_options options = options_of(PHX_DOP853, 1.0, chosen ? 0.0 : 0.03, chosen ? 1e-7 : 0.0);
        mechanism m;
        options.every = 0.01;
        mechanism_open(&m, crane, 0, NULL);
        allocations it = {.context = m.context};
        CHECK_OK(m.context, phx_integrate(m.dae, &options, &m.t, m.x, m.v, m.lambda, count_allocations, &it, NULL));
        assert_int_equal(it.samples, 101);
        assert_int_equal(it.last - it.first, 0);
        mechanism_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_joint_hangs_on_every_side),
        cmocka_unit_test(steps_are_of_order_eight),
        cmocka_unit_test(the_ledger_is_that_of_gauss6),
        cmocka_unit_test(turns_are_counted),
        cmocka_unit_test(instants_within_steps_are_as_good),
        cmocka_unit_test(a_heavy_top_keeps_its_momenta),
        cmocka_unit_test(steps_end_where_a_load_jumps),
        cmocka_unit_test(a_drive_that_jumps_takes_an_impulse),
        cmocka_unit_test(what_is_no_tree_is_refused),
        cmocka_unit_test(stiffness_is_found),
        cmocka_unit_test(steps_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
