/* Friction of rigid contacts on discs, spheres and cylinders: what rolls and slips there, against closed forms and
 * Newton-Euler in inertial coordinates; oblique impacts of two balls. */
#include "support.h"

#include "port/port.h"

static text_run run(phx_context *context, const char *text, double step)
{
    text_run r = run_text(context, text, step);
    CHECK_BELOW(r.report.largest_drift, 1e-12, "gap of a closed contact");
    return r;
}

/* ---- rolling ---- */
/* A ball rolls down a fixed one from its top and leaves it where N = 0: 17 z/R = 10 + 7 v^2/(g R), z the height and R
 * the distance of the centres. In space it does so obliquely to all axes. (It slips just before, for a time like 1/mu.)
 */
/* The ball rolls as long as the friction 2/7 g sin(phi) that this takes is at most mu N, slips then under mu N, and
 * leaves where N = g cos(phi) - u^2/R comes to zero: by the explicit midpoint rule in steps of 1e-9 s. Without the
 * slipping it would be at 1.2 (10 + 7/12)/17, 1.1e-6 lower. */
static double leaves_at(void)
{
    static const double g = 10.0, R = 1.2, mu = 1e4, energy = 12.7, part = 0.4, dt = 1e-9;
    double low = 0.74, high = 0.76;
    for (int k = 0; k < 60; k++) {
        const double z = 0.5 * (low + high), square = (energy - g * z) / (0.5 * (1.0 + part));
        const double friction = g * sin(acos(z / R)) * part / (1.0 + part);
        *(mu * (g * z / R - square / R) > friction ? &high : &low) = z;
    }
    double phi = acos(high / R), u = sqrt((energy - g * high) / (0.5 * (1.0 + part)));
    while (g * cos(phi) - u * u / R > 0.0) {
        const double um = u + 0.5 * dt * (g * sin(phi) - mu * (g * cos(phi) - u * u / R)), pm = phi + 0.5 * dt * u / R;
        u += dt * (g * sin(pm) - mu * (g * cos(pm) - um * um / R));
        phi += dt * um / R;
    }
    return R * cos(phi);
}

static void rolls_off_a_ball(void **state)
{
    static const char *const text[] = {
        "phlexor: 1\ndimension: 2\ngravity: [0, -10]\nbodies: {b: {kind: rigid, mass: 1, inertia: 0.016,"
        " pose: {position: [0, 1.2]}, velocity: {linear: [1, 0], angular: -5}}}\n"
        "forces: {hill: {kind: contact, ports: [ground.O, b.P], against: sphere, radius_a: 1, radius: 0.2,"
        " restitution: 0, friction: {coefficient: 1e4}}}\n"
        "outputs: {p: {position: b.P}}\nsimulate: {end: 0.8, step: 1e-3, every: 0.8}\n",
        "phlexor: 1\ndimension: 3\ngravity: [-6, 0, -8]\nbodies: {b: {kind: rigid, mass: 1, inertia: [0.016, 0.016,"
        " 0.016], pose: {position: [0.72, 0, 0.96]}, velocity: {linear: [0.64, 0.6, -0.48],"
        " angular: [-2.4, 4, 1.8]}}}\n"
        "forces: {hill: {kind: contact, ports: [ground.O, b.P], against: sphere, radius_a: 1, radius: 0.2,"
        " restitution: 0, friction: {coefficient: 1e4}}}\n"
        "outputs: {p: {position: b.P}}\nsimulate: {end: 0.8, step: 1e-3, every: 0.8}\n"};
    for (int i = 0; i < 2; i++) {
        text_run r = run(*state, text[i], 0.0);
        const size_t leaves = r.n - 2; /* the last but one: start, slips, leaves, end */
        const double x = record_at(*state, &r, "p.x", leaves);
        const double z =
            i == 0 ? record_at(*state, &r, "p.y", leaves) : 0.6 * x + 0.8 * record_at(*state, &r, "p.z", leaves);
        assert_int_equal(r.n, 4);
        CHECK_CLOSE(z, leaves_at(), 5e-7, "where it leaves");
        phx_result_destroy(r.result);
    }
}

/* ---- a top ---- */
/* Of a top whose round tip slips on a smooth plane: tilt, its rate, and the angle of the axis about the vertical. The
 * centre of mass moves up and down only, so that with a and b, the angular momenta about the vertical and the axis,
 *
 *     (I + m l^2 sin^2) tilt'' = -m l^2 sin cos tilt'^2 - d/dtilt [(a - b cos)^2/(2 I sin^2) + m g l cos] .
 */
static void top_rates(const double y[3], double rates[3])
{
    const double g = 10.0, m = 0.3, l = 0.05, I = 4e-4, b = 3e-4 * 150.0, a = b * cos(0.5);
    const double s = sin(y[0]), c = cos(y[0]), turn = (a - b * c) / (I * s * s);

    rates[0] = y[1];
    rates[1] = (-m * l * l * s * c * y[1] * y[1] - turn * b * s + turn * turn * I * s * c + m * g * l * s) /
               (I + m * l * l * s * s);
    rates[2] = turn;
}

static void top_spins_on_a_smooth_plane(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\ngravity: [0, 0, -10]\n"
        "parameters: {l: 0.05, r: 0.01, tilt: 0.5, spin: 150, I: 4e-4, C: 3e-4}\n"
        "bodies: {top: {kind: rigid, mass: 0.3, inertia: [I, I, C],"
        " pose: {position: [0, 0, r + l*cos(tilt)], rotation: {axis: [0, 1, 0], angle: tilt}},"
        " velocity: {angular: [spin*sin(tilt), 0, spin*cos(tilt)]},"
        " ports: {tip: {position: [0, 0, -l]}, head: {position: [0, 0, 1]}}}}\n"
        "forces: {floor: {kind: contact, ports: [ground.O, top.tip], against: plane, normal: [0, 0, 1], radius: r,"
        " restitution: 0}}\n"
        "outputs: {head: {position: top.head}}\nsimulate: {end: 0.25, step: 1e-4, every: 0.25}\n";
    enum { STEPS = 2500 };
    const double dt = 0.25 / STEPS;
    double y[3] = {0.5, 0.0, 0.0}, error[2];

    for (int n = 0; n < STEPS; n++) { /* Runge-Kutta */
        static const double at[] = {0.0, 0.5, 0.5, 1.0}, weight[] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
        double k[3] = {0.0, 0.0, 0.0}, sum[3] = {0.0, 0.0, 0.0};
        for (int stage = 0; stage < 4; stage++) {
            double middle[3];
            for (int i = 0; i < 3; i++)
                middle[i] = y[i] + dt * at[stage] * k[i];
            top_rates(middle, k);
            for (int i = 0; i < 3; i++)
                sum[i] += dt * weight[stage] * k[i];
        }
        for (int i = 0; i < 3; i++)
            y[i] += sum[i];
    }
    const double head[] = {sin(y[0]) * cos(y[2]), sin(y[0]) * sin(y[2]), 0.01 + 1.05 * cos(y[0])};
    for (int i = 0; i < 2; i++) {
        text_run r = run(*state, text, i == 0 ? 2e-4 : 1e-4);
        error[i] = fabs(record_at(*state, &r, "head.x", r.n - 1) - head[0]) +
                   fabs(record_at(*state, &r, "head.y", r.n - 1) - head[1]) +
                   fabs(record_at(*state, &r, "head.z", r.n - 1) - head[2]);
        CHECK_CLOSE(record_at(*state, &r, "residual", r.n - 1), 0.0, 1e-11 * record_at(*state, &r, "energy", r.n - 1),
                    "balance");
        CHECK_CLOSE(record_at(*state, &r, "dissipated", r.n - 1), 0.0, 0.0, "a smooth plane takes nothing");
        phx_result_destroy(r.result);
    }
    CHECK_CLOSE(error[1], 0.0, 1e-4, "where the axis points");
    CHECK_CLOSE(error[0] / error[1], 4.0, 0.2, "second order");
}

/* Half the period of a pendulum of length l, let go at rest: pi sqrt(l/g)/agm(1, cos(angle/2)). */
static double half_period(double l, double g, double angle)
{
    double a = 1.0, b = cos(0.5 * angle);
    const double pi = acos(-1.0);

    for (int k = 0; k < 8; k++) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return pi * sqrt(l / g) / a;
}

/* A disc rolls to and fro in a round bowl, like a pendulum of length (R - r)(1 + I/(m r^2)). */
static void rolls_in_a_bowl(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -10]\nparameters: {T: %.17g}\nbodies: {b: {kind: rigid, mass: 1,"
        " inertia: 0.5*0.04, pose: {position: [sin(1), -cos(1)]}}}\n"
        "forces: {bowl: {kind: contact, ports: [ground.O, b.P], against: sphere, inside: true, radius_a: 1.2,"
        " radius: 0.2, restitution: 0, friction: {coefficient: 2}}}\n"
        "outputs: {p: {position: b.P}, v: {velocity: b.P}, a: {angle: b.P}}\n"
        "simulate: {end: 3*T, step: T/%d, every: T/4}\n";
    double error[2];
    for (int i = 0; i < 2; i++) {
        char made[1000];
        snprintf(made, sizeof made, text, half_period(1.5, 10.0, 1.0), 500 << i);
        text_run r = run(*state, made, 0.0);
        assert_int_equal(r.report.transitions, 0);
        error[i] = record_at(*state, &r, "p.x", r.n - 1) + sin(1.0); /* after three half periods: on the other side */
        CHECK_CLOSE(record_at(*state, &r, "dissipated", r.n - 1), 0.0, 1e-14, "rolling takes nothing");
        CHECK_CLOSE(record_at(*state, &r, "a", r.n - 1), 2.0 * 5.0, 1e-3, "how far it has rolled");
        phx_result_destroy(r.result);
    }
    CHECK_CLOSE(error[1], 0.0, 1e-5, "where it turns round");
}

/* A ball rolls round in an upright pipe: it does not fall out, but goes up and down,
 *     z = -(5/7) g (1 - cos(w t))/w^2,   w = sqrt(2/7) times the angular velocity round the axis */
static void rolls_in_a_pipe(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\ngravity: [0, 0, -10]\nbodies: {b: {kind: rigid, mass: 1, inertia: [0.016, 0.016,"
        " 0.016], pose: {position: [1, 0, 0]}, velocity: {linear: [0, 5, 0], angular: [0, 0, -25]}}}\n"
        "forces: {pipe: {kind: contact, ports: [ground.O, b.P], against: cylinder, axis: [0, 0, 1], inside: true,"
        " radius_a: 1.2, radius: 0.2, restitution: 0, friction: {coefficient: 3}}}\n"
        "outputs: {p: {position: b.P}}\nsimulate: {end: 2, step: 1e-3, every: 2}\n";
    const double w = 5.0 * sqrt(2.0 / 7.0), z = -50.0 / 7.0 * (1.0 - cos(2.0 * w)) / (w * w);
    double error[2];
    for (int i = 0; i < 2; i++) {
        text_run r = run(*state, text, 1e-3 / (1 << i));
        assert_int_equal(r.report.transitions, 0);
        error[i] = record_at(*state, &r, "p.z", r.n - 1) - z;
        CHECK_CLOSE(record_at(*state, &r, "dissipated", r.n - 1), 0.0, 1e-12, "rolling takes nothing");
        phx_result_destroy(r.result);
    }
    CHECK_BETWEEN(error[0] / error[1], 3.8, 4.2, "order 2");
    CHECK_CLOSE(error[1] + (error[1] - error[0]) / 3.0, 0.0, 1e-4, "height, extrapolated");
}

/* ---- slipping ---- */
enum { P, V = 3, W = 6, N = 9 }; /* place and velocity of the centre, angular velocity */
static const double MU = 0.2, MASS = 1.0, R = 0.2, INERTIA = 0.016, DISTANCE = 1.2;
static const double GRAVITY[3] = {0.0, 0.0, -10.0};

/* m v' = N n + m g - mu N s/|s|,  I w' = mu N r n x s/|s|,  N from n.v' = -v^2/R,  s = v - r w x n */
static void rates(const double *y, double *dy)
{
    double n[3], arm[3], turned[3], s[3], torque[3], size = 0.0, force = 0.0;

    for (int i = 0; i < 3; i++) {
        n[i] = y[P + i] / DISTANCE;
        arm[i] = -R * n[i];
        force -= MASS * (GRAVITY[i] * n[i] + y[V + i] * y[V + i] / DISTANCE);
    }
    phx_vec_x_vec(3, y + W, arm, turned);
    for (int i = 0; i < 3; i++) {
        s[i] = y[V + i] + turned[i];
        size += s[i] * s[i];
    }
    size = sqrt(size);
    phx_vec_x_vec(3, n, s, torque);
    for (int i = 0; i < 3; i++) {
        dy[P + i] = y[V + i];
        dy[V + i] = GRAVITY[i] + force / MASS * (n[i] - MU * s[i] / size);
        dy[W + i] = MU * force * R / INERTIA * torque[i] / size;
    }
}

/* A spinning ball slips down a fixed one on a curve; so it does where both are written about other axes. */
static void slips_on_a_ball(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\ngravity: [0, 0, -10]\nbodies: {b: {kind: rigid, mass: 1, inertia: [0.016, 0.016,"
        " 0.016], pose: {position: [0, 0, 1.2]}, velocity: {linear: [1, 0.5, 0], angular: [10, 15, 20]}}}\n"
        "ground: {ports: {A: {%s}}}\n"
        "forces: {hill: {kind: contact, ports: [ground.A, b.P], against: sphere, radius_a: 1, radius: 0.2,"
        " restitution: 0, friction: {coefficient: 0.2}}}\n"
        "outputs: {p: {position: b.P}, v: {velocity: b.P}, w: {angular_velocity: b.P}}\n"
        "simulate: {end: 0.4, step: 1e-3, every: 0.4}\n";
    static const char *const names[N] = {"p.x", "p.y", "p.z", "v.x", "v.y", "v.z", "w.x", "w.y", "w.z"};
    static const char *const frames[2] = {"position: [0, 0, 0]", "rotation: {axis: [1, 2, 0.5], angle: 1.9}"};
    double found[2][2][N];
    for (int frame = 0; frame < 2; frame++)
        for (int i = 0; i < 2; i++) {
            char made[1000];
            snprintf(made, sizeof made, text, frames[frame]);
            text_run r = run(*state, made, 5e-4 / (1 << i));
            assert_int_equal(r.report.transitions, 0);
            for (int k = 0; k < N; k++)
                found[frame][i][k] = record_at(*state, &r, names[k], r.n - 1);
            phx_result_destroy(r.result);
        }
    double y[N] = {0.0, 0.0, 1.2, 1.0, 0.5, 0.0, 10.0, 15.0, 20.0};
    runge_kutta(N, rates, 0.4, 4000, y);
    for (int k = 0; k < N; k++) {
        CHECK_CLOSE(found[0][1][k] + (found[0][1][k] - found[0][0][k]) / 3.0, y[k], 1e-6, "%s, extrapolated", names[k]);
        CHECK_CLOSE(found[1][1][k], found[0][1][k], 1e-9, "%s in other axes", names[k]);
    }
}

/* ---- impacts ---- */
/* Two free balls, both spinning, strike obliquely: they slip, and the impulse is mu (1 + e) P against the slip, or they
 * stick and it takes all of the slip. Momenta of both together stay. */
static void balls_strike_obliquely(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\nbodies:\n"
        "  a: {kind: rigid, mass: 1, inertia: [0.01, 0.01, 0.01], velocity: {linear: [3, 0.4, 0], angular: [1, 7, 2]},"
        " pose: {position: [-0.45, -0.04, 0]}}\n"
        "  b: {kind: rigid, mass: 2, inertia: [0.05, 0.05, 0.05], velocity: {linear: [0, 0, -0.5], angular: [4, 0,"
        " -6]}, pose: {position: [0.15, 0, 0.05]}}\n"
        "forces: {c: {kind: contact, ports: [a.P, b.P], against: sphere, radius_a: 0.1, radius: 0.2, restitution: 0.7,"
        " friction: {coefficient: %g}}}\n"
        "outputs: {pa: {position: a.P}, pb: {position: b.P}, va: {velocity: a.P}, vb: {velocity: b.P},"
        " wa: {angular_velocity: a.P}, wb: {angular_velocity: b.P}}\n"
        "simulate: {end: 0.2, step: 1e-2, every: 0.2}\n";
    static const char *const axis[3] = {"x", "y", "z"};
    static const double ma = 1.0, mb = 2.0, Ia = 0.01, Ib = 0.05, ra = 0.1, rb = 0.2, e = 0.7;
    const double va[3] = {3.0, 0.4, 0.0}, wa[3] = {1.0, 7.0, 2.0}, vb[3] = {0.0, 0.0, -0.5}, wb[3] = {4.0, 0.0, -6.0};
    const double mass_n = 1.0 / (1.0 / ma + 1.0 / mb),
                 mass_t = 1.0 / (1.0 / ma + 1.0 / mb + ra * ra / Ia + rb * rb / Ib);
    for (int i = 0; i < 2; i++) {
        const double mu = i == 0 ? 0.05 : 1.0;
        char made[1000];
        snprintf(made, sizeof made, text, mu);
        text_run r = run(*state, made, 0.0);
        assert_int_equal(r.report.impacts, 1);
        double n[3], spin[3], turned[3], s[3], rate = 0.0, slip = 0.0;
        for (int k = 0; k < 3; k++) {
            char name[2][8];
            snprintf(name[0], sizeof name[0], "pa.%s", axis[k]);
            snprintf(name[1], sizeof name[1], "pb.%s", axis[k]);
            n[k] = (record_at(*state, &r, name[1], 1) - record_at(*state, &r, name[0], 1)) / (ra + rb);
            rate += n[k] * (vb[k] - va[k]);
            spin[k] = ra * wa[k] + rb * wb[k];
        }
        phx_vec_x_vec(3, spin, n, turned);
        for (int k = 0; k < 3; k++) {
            s[k] = vb[k] - va[k] - rate * n[k] - turned[k];
            slip += s[k] * s[k];
        }
        slip = sqrt(slip);
        const double push = -(1.0 + e) * mass_n * rate, rub = fmin(mu * push, mass_t * slip);
        double impulse[3], torque[3];
        for (int k = 0; k < 3; k++)
            impulse[k] = push * n[k] - rub * s[k] / slip; /* on b */
        phx_vec_x_vec(3, impulse, n, torque);
        for (int k = 0; k < 3; k++) {
            char name[4][8];
            for (int c = 0; c < 4; c++)
                snprintf(name[c], sizeof name[c], "%c%c.%s", "vvww"[c], "abab"[c], axis[k]);
            CHECK_CLOSE(record_at(*state, &r, name[0], 1), va[k] - impulse[k] / ma, 1e-13, "mu %g: %s", mu, name[0]);
            CHECK_CLOSE(record_at(*state, &r, name[1], 1), vb[k] + impulse[k] / mb, 1e-13, "mu %g: %s", mu, name[1]);
            CHECK_CLOSE(record_at(*state, &r, name[2], 1), wa[k] + ra * torque[k] / Ia, 1e-12, "mu %g: %s", mu,
                        name[2]);
            CHECK_CLOSE(record_at(*state, &r, name[3], 1), wb[k] + rb * torque[k] / Ib, 1e-12, "mu %g: %s", mu,
                        name[3]);
        }
        const double lost = 0.5 * (1.0 - e * e) * mass_n * rate * rate + rub * slip - 0.5 * rub * rub / mass_t;
        CHECK_CLOSE(r.report.impact_loss, lost, 1e-12, "mu %g: loss", mu);
        phx_result_destroy(r.result);
    }
}

/* Two free balls that a spring holds together rub until they roll on each other, all the way round: momenta stay, and
 * so does the rolling. */
static void free_balls_rub(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\nbodies:\n"
        "  a: {kind: rigid, mass: 1, inertia: [0.01, 0.01, 0.01], velocity: {linear: [0, 0.4, 0], angular: [1, 7, "
        "20]}}\n"
        "  b: {kind: rigid, mass: 2, inertia: [0.05, 0.05, 0.05], velocity: {linear: [0, -0.2, -0.1], angular: [4, 0,"
        " -6]}, pose: {position: [0.3, 0, 0]}}\n"
        "springs: {s: {ports: [a.P, b.P], stiffness: 200, length: 0.2}}\n"
        "forces: {c: {kind: contact, ports: [a.P, b.P], against: sphere, radius_a: 0.1, radius: 0.2, restitution: 0.7,"
        " friction: {coefficient: 0.1}}}\n"
        "outputs: {pa: {position: a.P}, pb: {position: b.P}, va: {velocity: a.P}, vb: {velocity: b.P},"
        " wa: {angular_velocity: a.P}, wb: {angular_velocity: b.P}}\n"
        "simulate: {end: 3, step: 1e-3, every: 0.5}\n";
    static const char *const names[6] = {"pa", "pb", "va", "vb", "wa", "wb"};
    const double momentum[3] = {0.0, 0.0, -0.2}, moment[3] = {0.21, 0.13, -0.22};
    enum { PA, PB, VA, VB, WA, WB };
    text_run r = run(*state, text, 0.0);
    assert_int_equal(r.report.transitions, 1);
    for (size_t k = 0; k < r.n; k++) {
        double q[6][3], orbit[2][3], spin[3], turned[3], n[3], slip = 0.0;
        for (int c = 0; c < 6; c++)
            for (int i = 0; i < 3; i++) {
                char name[8];
                snprintf(name, sizeof name, "%s.%c", names[c], "xyz"[i]);
                q[c][i] = record_at(*state, &r, name, k);
            }
        phx_vec_x_vec(3, q[PA], q[VA], orbit[0]);
        phx_vec_x_vec(3, q[PB], q[VB], orbit[1]);
        for (int i = 0; i < 3; i++) {
            CHECK_CLOSE(q[VA][i] + 2.0 * q[VB][i], momentum[i], 1e-14, "momentum %d", i);
            CHECK_CLOSE(orbit[0][i] + 2.0 * orbit[1][i] + 0.01 * q[WA][i] + 0.05 * q[WB][i], moment[i], 1e-13,
                        "angular momentum %d", i);
            spin[i] = 0.1 * q[WA][i] + 0.2 * q[WB][i];
            n[i] = (q[PB][i] - q[PA][i]) / 0.3;
        }
        phx_vec_x_vec(3, spin, n, turned);
        for (int i = 0; i < 3; i++)
            slip = fmax(slip, fabs(q[VB][i] - q[VA][i] - turned[i]));
        if (record_at(*state, &r, "t", k) > 0.4)
            CHECK_BELOW(slip, 1e-13, "they roll");
    }
    phx_result_destroy(r.result);
}

/* Spinning balls in a box strike each other and its walls more than a hundred times: energy never grows, and what is
 * lost is in the ledger. */
static void balls_in_a_box(void **state)
{
    enum { BALLS = 4 };
    static const char *const wall[6] = {"[1, 0, 0]",  "[-1, 0, 0]", "[0, 1, 0]",
                                        "[0, -1, 0]", "[0, 0, 1]",  "[0, 0, -1]"};
    char text[12000];
    int at = snprintf(text, sizeof text,
                      "phlexor: 1\ndimension: 3\nground: {ports: {L: {position: [-0.5, -0.5, -0.5]},"
                      " R: {position: [0.5, 0.5, 0.5]}}}\nbodies:\n");
    for (int k = 0; k < BALLS; k++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  b%d: {kind: rigid, mass: %d, inertia: [0.01, 0.02, 0.03], pose: {position: [%g, %g, 0]},"
                       " velocity: {linear: [%d, %d, %d], angular: [%d, %d, 40]}}\n",
                       k, k + 1, k % 2 ? 0.25 : -0.25, k / 2 ? 0.25 : -0.25, 5 - 3 * k, 2 * k - 4, 3 + k, 20 * k, 30);
    at += snprintf(text + at, sizeof text - (size_t)at, "forces:\n");
    for (int k = 0; k < BALLS; k++) {
        for (int w = 0; w < 6; w++)
            at +=
                snprintf(text + at, sizeof text - (size_t)at,
                         "  w%d%d: {kind: contact, ports: [ground.%s, b%d.P], against: plane, normal: %s, radius: 0.1,"
                         " restitution: 1, friction: {coefficient: 0.05}}\n",
                         k, w, w % 2 ? "R" : "L", k, wall[w]);
        for (int j = 0; j < k; j++)
            at +=
                snprintf(text + at, sizeof text - (size_t)at,
                         "  c%d%d: {kind: contact, ports: [b%d.P, b%d.P], against: sphere, radius_a: 0.1, radius: 0.1,"
                         " restitution: 0.98, friction: {coefficient: 0.2}}\n",
                         k, j, k, j);
    }
    snprintf(text + at, sizeof text - (size_t)at, "simulate: {end: %d, step: 1e-2, every: 5}\n", TEST_SHORTER(5, 1));
    text_run r = run(*state, text, 0.0);
    double *energy = record_column(*state, &r, "energy"), *lost = record_column(*state, &r, "dissipated");
    print_message("%d impacts, %.3g of %.3g J left\n", (int)r.report.impacts, energy[r.n - 1], energy[0]);
    assert_true(r.report.impacts > TEST_SHORTER(100, 20));
    for (size_t k = 1; k < r.n; k++)
        CHECK_BELOW(energy[k], energy[k - 1] + 1e-13 * energy[0], "energy after impact %zu", k);
    CHECK_CLOSE(lost[r.n - 1], energy[0] - energy[r.n - 1], 1e-12 * energy[0], "the ledger");
    CHECK_CLOSE(r.report.impact_loss, lost[r.n - 1], 1e-12 * energy[0], "all in impacts");
    free(energy), free(lost);
    phx_result_destroy(r.result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rolls_off_a_ball, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(top_spins_on_a_smooth_plane, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(rolls_in_a_bowl, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(rolls_in_a_pipe, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(slips_on_a_ball, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(balls_strike_obliquely, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(free_balls_rub, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(balls_in_a_box, study_setup, study_teardown)};
    return cmocka_run_group_tests_name("study_rolling", tests, NULL, NULL);
}
