#define _XOPEN_SOURCE 700 /* mkdtemp, nftw */
#include "sample.h"

#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/testing.h"

/* ---- the block: two hexahedra in a row along x ---- */
static const double size[3] = {0.2, 0.11, 0.07}, young = 2.1e11, poisson = 0.3, density = 7850.0;

/* Shape function a = (1 +- s)(1 +- t)(1 +- r)/8 of a box with edges h and its derivatives. */
static double shape(int a, const double s[3], const double h[3], double gradient[3])
{
    const double sign[3] = {a & 1 ? 1.0 : -1.0, a & 2 ? 1.0 : -1.0, a & 4 ? 1.0 : -1.0};
    double f[3];
    for (int c = 0; c < 3; c++)
        f[c] = 0.5 * (1.0 + sign[c] * s[c]);
    for (int c = 0; c < 3; c++)
        gradient[c] = sign[c] / h[c] * f[(c + 1) % 3] * f[(c + 2) % 3];
    return f[0] * f[1] * f[2];
}

/* K_ai,bj = lambda g_ai g_bj + mu (g_aj g_bi + delta_ij g_a.g_b), M_ai,bj = rho N_a N_b delta_ij */
static void add_point(sample *body, const int node[8], const double s[3], const double h[3])
{
    const double lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    const double mu = young / (2.0 * (1.0 + poisson)), weight = h[0] * h[1] * h[2] / 8.0;
    double N[8], g[8][3];
    for (int a = 0; a < 8; a++)
        N[a] = shape(a, s, h, g[a]);
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    const int row = 3 * node[a] + i, col = 3 * node[b] + j;
                    const double same = i == j ? g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2] : 0.0;
                    body->K[row][col] += weight * (lambda * g[a][i] * g[b][j] + mu * (g[a][j] * g[b][i] + same));
                    body->M[row][col] += i == j ? weight * density * N[a] * N[b] : 0.0;
                }
}

void sample_make(bool consecutive, sample *body)
{
    static const int labels[SAMPLE_NODES] = {17, 4, 205, 3, 12, 90, 1004, 7, 8, 55, 21, 6};
    const double h[3] = {size[0] / 2.0, size[1], size[2]}, point = 1.0 / sqrt(3.0);
    memset(body, 0, sizeof *body);
    for (int k = 0; k < SAMPLE_NODES; k++) {
        const int i = k % 3, j = k / 3 % 2, l = k / 6;
        body->x[k][0] = i * h[0];
        body->x[k][1] = j * h[1];
        body->x[k][2] = l * h[2];
        body->label[k] = consecutive ? k + 1 : labels[k];
    }
    for (int e = 0; e < 2; e++) {
        int node[8];
        for (int a = 0; a < 8; a++)
            node[a] = e + (a & 1) + 3 * (a >> 1 & 1) + 6 * (a >> 2);
        for (int p = 0; p < 8; p++)
            add_point(body, node,
                      (const double[3]){p & 1 ? point : -point, p & 2 ? point : -point, p & 4 ? point : -point}, h);
    }
    for (int i = 0; i < SAMPLE_UNKNOWNS; i++)
        for (int j = 0; j < i; j++) {
            body->K[i][j] = body->K[j][i];
            body->M[i][j] = body->M[j][i];
        }
    body->mass = density * size[0] * size[1] * size[2];
    for (int c = 0; c < 3; c++) {
        const double a = size[(c + 1) % 3], b = size[(c + 2) % 3];
        body->centre[c] = 0.5 * size[c];
        body->inertia[c] = body->mass * (a * a + b * b) / 12.0;
    }
}

/* ---- files ---- */
static char folder[] = "/tmp/phlexor-import-XXXXXX", before[PATH_MAX];

bool enter_folder(void)
{
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
    return getcwd(before, sizeof before) && mkdtemp(folder) && chdir(folder) == 0;
}

static int remove_file(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info;
    (void)type;
    (void)place;
    return remove(path);
}

void leave_folder(void)
{
    if (chdir(before) == 0)
        nftw(folder, remove_file, 8, FTW_DEPTH | FTW_PHYS);
}

static FILE *open_file(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    return file;
}

void write_text(const char *path, const char *format, ...)
{
    FILE *file = open_file(path);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fclose(file);
}

bool sample_has(sample_triangle triangle, int i, int j)
{
    return triangle == WHOLE || (triangle == LOWER ? j <= i : j >= i);
}

void write_deck(const char *path, const sample *body)
{
    FILE *file = open_file(path);
    fprintf(file, "*HEADING\n a block\n** nodes\n*NODE, NSET=ALL\n");
    for (int k = 0; k < SAMPLE_NODES; k++)
        fprintf(file, "%d, %.17g, %.17g, %.17g\n", body->label[k], body->x[k][0], body->x[k][1], body->x[k][2]);
    fprintf(file, "*ELEMENT, TYPE=C3D8, ELSET=SOLID\n");
    for (int e = 0; e < 2; e++) {
        static const int order[8] = {0, 1, 4, 3, 6, 7, 10, 9};
        fprintf(file, "%d", e + 1);
        for (int a = 0; a < 8; a++)
            fprintf(file, ", %d", body->label[e + order[a]]);
        fprintf(file, "\n");
    }
    fclose(file);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void put_value(FILE *file, const char *format, double value)
{
    fprintf(file, format, value);
}
#pragma GCC diagnostic pop

void write_coordinates(const char *path, double (*a)[SAMPLE_UNKNOWNS], sample_triangle triangle, const char *format)
{
    FILE *file = open_file(path);
    for (int j = 0; j < SAMPLE_UNKNOWNS; j++)
        for (int i = 0; i < SAMPLE_UNKNOWNS; i++) {
            if (!sample_has(triangle, i, j))
                continue;
            fprintf(file, "%d %d ", i + 1, j + 1);
            put_value(file, format, a[i][j]);
            fprintf(file, "\n");
        }
    fclose(file);
}

void write_labelled(const char *path, const sample *body, double (*a)[SAMPLE_UNKNOWNS], sample_triangle triangle)
{
    FILE *file = open_file(path);
    fprintf(file, "** written by a test\n");
    for (int i = 0; i < SAMPLE_UNKNOWNS; i++)
        for (int j = 0; j < SAMPLE_UNKNOWNS; j++)
            if (sample_has(triangle, i, j) && a[i][j] != 0.0)
                fprintf(file, "%d,%d, %d,%d,  %.17g\n", body->label[i / 3], i % 3 + 1, body->label[j / 3], j % 3 + 1,
                        a[i][j]);
    fclose(file);
}

void write_market(const char *path, double (*a)[SAMPLE_UNKNOWNS], bool symmetric)
{
    FILE *file = open_file(path);
    int count = 0;
    for (int i = 0; i < SAMPLE_UNKNOWNS; i++)
        for (int j = 0; j < SAMPLE_UNKNOWNS; j++)
            count += a[i][j] != 0.0 && sample_has(symmetric ? LOWER : WHOLE, i, j);
    fprintf(file, "%%%%MatrixMarket matrix coordinate real %s\n%% of a test\n%d %d %d\n",
            symmetric ? "symmetric" : "general", SAMPLE_UNKNOWNS, SAMPLE_UNKNOWNS, count);
    for (int i = 0; i < SAMPLE_UNKNOWNS; i++)
        for (int j = 0; j < SAMPLE_UNKNOWNS; j++)
            if (a[i][j] != 0.0 && sample_has(symmetric ? LOWER : WHOLE, i, j))
                fprintf(file, "%d %d %.17g\n", i + 1, j + 1, a[i][j]);
    fclose(file);
}

void write_market_array(const char *path, double (*a)[SAMPLE_UNKNOWNS], bool symmetric)
{
    FILE *file = open_file(path);
    fprintf(file, "%%%%MatrixMarket matrix array real %s\n%d %d\n", symmetric ? "symmetric" : "general",
            SAMPLE_UNKNOWNS, SAMPLE_UNKNOWNS);
    for (int j = 0; j < SAMPLE_UNKNOWNS; j++)
        for (int i = symmetric ? j : 0; i < SAMPLE_UNKNOWNS; i++)
            fprintf(file, "%.17g\n", a[i][j]);
    fclose(file);
}

void write_dof(const char *path, const sample *body)
{
    FILE *file = open_file(path);
    for (int i = 0; i < SAMPLE_UNKNOWNS; i++)
        fprintf(file, "%d.%d\n", body->label[i / 3], i % 3 + 1);
    fclose(file);
}

void write_table(const char *path, const sample *body)
{
    FILE *file = open_file(path);
    fprintf(file, "# nodes\nnode, x, y, z\n");
    for (int k = 0; k < SAMPLE_NODES; k++)
        fprintf(file, "%d, %.17g, %.17g, %.17g\n", body->label[k], body->x[k][0], body->x[k][1], body->x[k][2]);
    fclose(file);
}

/* A number in 8 columns as Nastran does: 1.2346+5. */
static void put_short(FILE *file, double value)
{
    char text[32], mantissa[32];
    int exponent;
    for (int digits = 5; digits > 0; digits--) {
        snprintf(text, sizeof text, "%.*e", digits, value);
        sscanf(text, "%31[^e]e%d", mantissa, &exponent);
        snprintf(text, sizeof text, "%.20s%+d", mantissa, exponent);
        if (strlen(text) <= 8)
            break;
    }
    fprintf(file, "%-8s", text);
}

static void put_grid(FILE *file, const sample *body, bulk_style style, int k)
{
    const double *x = body->x[k];
    if (style == SMALL_FIELD)
        fprintf(file, "GRID    %-8d%-8s%-8.6g%-8.6g%-8.6g\n", body->label[k], "", x[0], x[1], x[2]);
    else if (style == LARGE_FIELD)
        fprintf(file, "GRID*   %-16d%-16s%-16.9E%-16.9E*N%d\n*N%-6d%-16.9E\n", body->label[k], "0", x[0], x[1], k, k,
                x[2]);
    else
        fprintf(file, "GRID,%d,,%.12g,%.12g,%.12g\n", body->label[k], x[0], x[1], x[2]);
}

static void put_entry(FILE *file, bulk_style style, int node, int component, double value, int entry)
{
    if (style == FREE_FIELD)
        fprintf(file, "%s%d,%d,%.12e,", entry == 0 ? "" : entry % 2 ? "\n+," : ",", node, component, value);
    else if (style == LARGE_FIELD) {
        char text[32];
        snprintf(text, sizeof text, "%16.9E", value);
        *strchr(text, 'E') = 'D';
        fprintf(file, "*       %16d%16d%16s\n", node, component, text);
    } else {
        fprintf(file, "%s%-8d%-8d", entry == 0 ? "" : entry % 2 ? "\n+       " : "        ", node, component);
        put_short(file, value);
    }
}

static void put_dmig(FILE *file, const sample *body, const char *name, double (*a)[SAMPLE_UNKNOWNS], bulk_style style,
                     sample_triangle triangle)
{
    const int form = triangle == WHOLE ? 1 : 6;
    if (style == FREE_FIELD)
        fprintf(file, "DMIG,%s,0,%d,2,0\n", name, form);
    else
        fprintf(file, "DMIG    %-8s%8d%8d%8d%8d        %8s%8d\n", name, 0, form, 2, 0, "", SAMPLE_UNKNOWNS);
    for (int j = 0; j < SAMPLE_UNKNOWNS; j++) {
        const int node = body->label[j / 3], component = j % 3 + 1;
        int entries = 0;
        if (style == FREE_FIELD)
            fprintf(file, "DMIG,%s,%d,%d,,", name, node, component);
        else if (style == LARGE_FIELD)
            fprintf(file, "DMIG*   %-16s%16d%16d\n", name, node, component);
        else
            fprintf(file, "DMIG    %-8s%-8d%-8d        ", name, node, component);
        for (int i = 0; i < SAMPLE_UNKNOWNS; i++)
            if (sample_has(triangle, i, j) && a[i][j] != 0.0)
                put_entry(file, style, body->label[i / 3], i % 3 + 1, a[i][j], entries++);
        fprintf(file, "\n");
    }
}

void write_bulk(const char *path, const sample *body, bulk_style style, sample_triangle triangle)
{
    FILE *file = open_file(path);
    sample copy = *body;
    fprintf(file, "$ of a test\nPARAM,POST,-1\n");
    for (int k = 0; k < SAMPLE_NODES; k++)
        put_grid(file, body, style, k);
    fprintf(file, "CHEXA,1,1,1,2,3,4,5,6,\n+,7,8\n");
    put_dmig(file, body, "KAAX", copy.K, style, triangle);
    put_dmig(file, body, "BAAX", copy.K, style, triangle); /* left out */
    put_dmig(file, body, "MAAX", copy.M, style, triangle);
    fprintf(file, "ENDDATA\nGRID,1,,not,read,here\n");
    fclose(file);
}

/* Values from row i on, 3 a line. */
static void put_op4_values(FILE *file, double (*a)[SAMPLE_UNKNOWNS], int col, int first, int count)
{
    for (int k = 0; k < count; k++)
        fprintf(file, "%23.16E%s", a[first + k][col], k % 3 == 2 || k == count - 1 ? "\n" : "");
}

/* The next run of entries other than 0 from `first` on; its length, 0: there is none. */
static int next_run(double (*a)[SAMPLE_UNKNOWNS], int col, int *first)
{
    int count = 0;
    while (*first < SAMPLE_UNKNOWNS && a[*first][col] == 0.0)
        ++*first;
    while (*first + count < SAMPLE_UNKNOWNS && a[*first + count][col] != 0.0)
        count++;
    return count;
}

static void put_op4(FILE *file, const char *name, double (*a)[SAMPLE_UNKNOWNS], op4_style style)
{
    const int n = SAMPLE_UNKNOWNS;
    fprintf(file, "%8d%8d%8d%8d%-8s1P,3E23.16\n", n, style == OP4_BIG ? -n : n, 6, 2, name);
    for (int j = 0; j < n; j++) {
        int words = 0;
        if (style == OP4_DENSE) {
            fprintf(file, "%8d%8d%8d\n", j + 1, 1, n);
            put_op4_values(file, a, j, 0, n);
            continue;
        }
        for (int first = 0, count; (count = next_run(a, j, &first)) > 0; first += count)
            words += 2 * count + (style == OP4_BIG ? 2 : 1);
        fprintf(file, "%8d%8d%8d\n", j + 1, 0, words);
        for (int first = 0, count; (count = next_run(a, j, &first)) > 0; first += count) {
            if (style == OP4_BIG)
                fprintf(file, "%8d%8d\n", 2 * count + 1, first + 1);
            else
                fprintf(file, "%8d\n", 65536 * (2 * count + 1) + first + 1);
            put_op4_values(file, a, j, first, count);
        }
    }
    fprintf(file, "%8d%8d%8d\n%23.16E\n", n + 1, 1, 1, 1.0);
}

void write_op4(const char *path, const sample *body, op4_style style)
{
    FILE *file = open_file(path);
    sample copy = *body;
    put_op4(file, "KGG", copy.K, style);
    put_op4(file, "BGG", copy.K, style); /* left out */
    put_op4(file, "MGG", copy.M, style);
    fclose(file);
}

static void put_square(FILE *file, int n, const double *a)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            fprintf(file, "%.17g%s", a[i * n + j], j == n - 1 ? "\n" : " ");
}

void write_fem(const char *path, const sample *body, int count, double (*mode)[6 * SAMPLE_NODES], const double *M,
               const double *K)
{
    FILE *file = open_file(path);
    fprintf(file,
            "** MBDyn MODAL DATA FILE\n** NODE SET \"ALL\"\n\n** RECORD GROUP 1, HEADER\n"
            "**   REVISION,  NODE,  NORMAL, ATTACHMENT, CONSTRAINT, REJECTED MODES.\n"
            "      REV0  %d %d 0 0 0\n**\n** RECORD GROUP 2, FINITE ELEMENT NODE LIST\n",
            SAMPLE_NODES, count);
    for (int k = 0; k < SAMPLE_NODES; k++)
        fprintf(file, "%d%s", body->label[k], k % 6 == 5 ? "\n" : " ");
    fprintf(file, "**\n** RECORD GROUP 3, INITIAL MODAL DISPLACEMENTS\n");
    for (int k = 0; k < count; k++)
        fprintf(file, "0\n");
    fprintf(file, "**\n** RECORD GROUP 4, INITIAL MODAL VELOCITIES\n");
    for (int k = 0; k < count; k++)
        fprintf(file, "0\n");
    for (int c = 0; c < 3; c++) {
        fprintf(file, "**\n** RECORD GROUP %d, NODAL %c COORDINATES\n", 5 + c, "XYZ"[c]);
        for (int k = 0; k < SAMPLE_NODES; k++)
            fprintf(file, "%.17g\n", body->x[k][c]);
    }
    fprintf(file, "**\n** RECORD GROUP 8, MODE SHAPES\n");
    for (int k = 0; k < count; k++) {
        fprintf(file, "**    NORMAL MODE SHAPE # %d\n", k + 1);
        for (int i = 0; i < 6 * SAMPLE_NODES; i++)
            fprintf(file, "%.17g%s", mode[k][i], i % 6 == 5 ? "\n" : " ");
    }
    fprintf(file, "**\n** RECORD GROUP 9, MODAL MASS MATRIX\n");
    put_square(file, count, M);
    fprintf(file, "**\n** RECORD GROUP 10, MODAL STIFFNESS MATRIX\n");
    put_square(file, count, K);
    fprintf(file, "**\n** RECORD GROUP 11, DIAGONAL OF LUMPED MASS MATRIX\n");
    for (int k = 0; k < SAMPLE_NODES; k++) {
        double sum = 0.0;
        for (int j = 0; j < SAMPLE_UNKNOWNS; j++)
            sum += body->M[3 * k][j];
        fprintf(file, "%.17g %.17g %.17g 0 0 0\n", sum, sum, sum);
    }
    fprintf(file, "**\n** RECORD GROUP 12, RIGID BODY INERTIA MATRIX\n%g\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n**\n",
            body->mass);
    fclose(file);
}

phx_status import_files(phx_context *context, phx_import_def def, phx_elastic_model **model, ...)
{
    const char *files[8];
    va_list arguments;
    va_start(arguments, model);
    for (def.n_files = 0; (files[def.n_files] = va_arg(arguments, const char *)) != NULL; def.n_files++)
        assert_true(def.n_files < 7);
    va_end(arguments);
    def.files = files;
    return phx_import_create(context, &def, model);
}
