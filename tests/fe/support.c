#include "support.h"
#include "algebra/algebra.h"

const double quadrature_point[QUADRATURE_POINTS] = {
    0.5 - 0.5 * 0.9739065285171717200779640, 0.5 - 0.5 * 0.8650633666889845107320967,
    0.5 - 0.5 * 0.6794095682990244062343274, 0.5 - 0.5 * 0.4333953941292471907992659,
    0.5 - 0.5 * 0.1488743389816312108848260, 0.5 + 0.5 * 0.1488743389816312108848260,
    0.5 + 0.5 * 0.4333953941292471907992659, 0.5 + 0.5 * 0.6794095682990244062343274,
    0.5 + 0.5 * 0.8650633666889845107320967, 0.5 + 0.5 * 0.9739065285171717200779640};
const double quadrature_weight[QUADRATURE_POINTS] = {
    0.5 * 0.0666713443086881375935688, 0.5 * 0.1494513491505805931457763, 0.5 * 0.2190863625159820439955349,
    0.5 * 0.2692667193099963550912269, 0.5 * 0.2955242247147528701738930, 0.5 * 0.2955242247147528701738930,
    0.5 * 0.2692667193099963550912269, 0.5 * 0.2190863625159820439955349, 0.5 * 0.1494513491505805931457763,
    0.5 * 0.0666713443086881375935688};

phx_beam_def test_def(int dim, int order, phx_reference reference, int elements)
{
    phx_beam_def def = phx_beam_def_default();
    def.dim = dim;
    def.length = 1.3;
    def.mass_per_length = 0.7;
    def.axial_stiffness = 50.0;
    def.bending_stiffness[0] = 3.0;
    def.bending_stiffness[1] = 2.0;
    def.torsion_stiffness = 1.7;
    def.polar_inertia = 0.03;
    def.order = order;
    def.elements = elements;
    def.reference = reference;
    return def;
}

phx_beam *test_beam(phx_context *context, const phx_beam_def *def)
{
    phx_beam *beam = NULL;
    CHECK_STATUS(context, phx_beam_create(context, def, &beam), PHX_OK);
    assert_non_null(beam);
    return beam;
}

const char *reference_name(phx_reference reference)
{
    static const char *const names[] = {"cantilever", "simply supported", "free"};
    return names[reference];
}

double flex_form(const phx_flex *flex, const double *matrix, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < flex->n; i++)
        for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++)
            sum += x[i] * matrix[e] * y[flex->idx[e]];
    return sum;
}

void point_motion(const phx_flex *flex, const phx_flex_point *point, const double *q, double u[3], double theta[3])
{
    for (int a = 0; a < 3; a++)
        u[a] = theta[a] = 0.0;
    for (int a = 0; a < flex->dim; a++)
        for (int i = 0; i < point->n; i++)
            u[a] += point->phi[a * point->n + i] * q[point->dof[i]];
    for (int k = 0; k < flex->n_rot; k++)
        for (int i = 0; i < point->n; i++)
            theta[k] += point->theta[k * point->n + i] * q[point->dof[i]];
}

double *flex_dense(phx_context *context, const phx_flex *flex, const double *matrix)
{
    const size_t n = (size_t)flex->n;
    double *dense = phx_calloc(context, n * n, sizeof *dense);
    assert_non_null(dense);
    for (int i = 0; i < flex->n; i++)
        for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++)
            dense[(size_t)i * n + (size_t)flex->idx[e]] = matrix[e];
    return dense;
}

void check_mixed(const phx_flex *flex, const char *what)
{
    enum { MOST = 400 };
    double q[MOST], sigma[MOST] = {0}, left[MOST] = {0}, right[MOST] = {0}, size = 0.0, energy = 0.0;
    uint64_t seed = 11;
    const int n = flex->n_stress;

    assert_true(n <= MOST && flex->n <= MOST);
    assert_int_equal(flex->compliance.rows, n);
    assert_int_equal(flex->compliance.cols, n);
    assert_int_equal(flex->strain.rows, n);
    assert_int_equal(flex->strain.cols, flex->n);
    random_vector(&seed, flex->n, 1.0, q);
    phx_csr_apply(&flex->stress, 1.0, q, sigma);
    phx_csr_apply(&flex->compliance, 1.0, sigma, left);
    phx_csr_apply(&flex->strain, 1.0, q, right);
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(right[i]));
        energy += sigma[i] * left[i];
    }
    for (int i = 0; i < n; i++)
        CHECK_CLOSE(left[i], right[i], 1e-12 * size, "%s: M2 sigma = D q, row %d", what, i);
    CHECK_RELATIVE(energy, flex_form(flex, flex->K, q, q), 1e-11, "%s: sigma M2 sigma = q K q", what);
}
