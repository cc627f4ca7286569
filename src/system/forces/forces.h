/* Private to layer system: what it asks of every sort of force. The table is PHX_SYS_FORCE_LIST; only the file of a
 * sort knows how it works. */
#ifndef PHX_SYSTEM_FORCES_H
#define PHX_SYSTEM_FORCES_H

#include "system/snapshot/written.h"
#include "system/system_internal.h"

typedef struct force_operations {
    const char *noun; /* in the ledger and in messages */
    bool at_ports;    /* acts on ports a and b, which it couples */
    bool outside;     /* one that pushes from outside the model */
    /* Efforts and powers over the interval or at the current instant; with `linear` their derivatives into the
     * linearisation, `pair` being its own (phx_sys_pair_ports). res: of loads that do not act at ports. */
    phx_status (*evaluate)(workspace *ws, int pair, const force_slot *force, double t, bool linear, double *res);
    /* Its energy at the end of the views; NULL: none. x, v: of the system. */
    double (*energy)(const phx_system *system, const force_slot *force, const phx_port_view *a, const phx_port_view *b,
                     const double *x, const double *v);
    /* The rate of that at the current instant. */
    double (*energy_rate)(const workspace *ws, const force_slot *force);
    /* Its fields, written or read; those of every sort (name, signals) are others'. NULL: it follows from the joints.
     * Numbers that are read are checked. */
    void (*archive)(phx_archive *archive, phx_system *system, force_slot *force);
    /* How many links must follow it; NULL: none. */
    int (*links)(const force_slot *force);
    /* Once the start configuration is assembled; NULL: nothing to do. */
    void (*settle)(phx_system *system, force_slot *force, const double *x, const double *v);
    bool (*supplies)(const phx_system *system, const force_slot *force);
    bool (*dissipates)(const phx_system *system, const force_slot *force);
    /* Whether its efforts at rest need not be the derivatives of an energy at t, so that the stiffness is not
     * symmetric; NULL: they always are. */
    bool (*circulatory)(const phx_system *system, const force_slot *force, double t);
} force_operations;

#define PHX_SYS_FORCE_DECLARE(NAME, name) extern const force_operations phx_sys_force_##name;
PHX_SYS_FORCE_LIST(PHX_SYS_FORCE_DECLARE)
#undef PHX_SYS_FORCE_DECLARE

const force_operations *phx_sys_force_of(const force_slot *force);
/* Those of its kind, whether it acts or not. */
const force_operations *phx_sys_force_sort(const force_slot *force);
/* Adds alpha times an effort to the efforts on a port. */
void phx_sys_add_effort(workspace *ws, phx_port_id id, double alpha, const double *effort);
/* result <- part of it and the rest of `without`: a load, or what an actuator adds, where ws->forces.load of it acts.
 */
void phx_sys_take_part(double part, const phx_load_result *without, phx_load_result *result);
/* The result of an element of layer load into efforts, powers and the linearisation. */
void phx_sys_take_result(workspace *ws, int pair, const force_slot *force, bool linear, const phx_load_result *result);

/* For `supplies` and `dissipates`. */
bool phx_sys_force_never(const phx_system *system, const force_slot *force);
bool phx_sys_force_always(const phx_system *system, const force_slot *force);
/* For `circulatory`: a signal is given, whatever its value. */
bool phx_sys_force_is_given(const phx_system *system, const force_slot *force, double t);

/* ---- for `archive` ---- */
/* Ports a and b, or a alone. */
void phx_sys_archive_ports(phx_archive *archive, phx_system *system, int n_ports, force_slot *force);
/* Data of its own kind, `size` bytes of zeros when it is read. NULL: the archive has failed. */
void *phx_sys_archive_own(phx_archive *archive, size_t size, force_slot *force);
/* Its body and the points of its quadrature there. */
void phx_sys_archive_quadrature(phx_archive *archive, phx_system *system, force_slot *force);

/* ---- forces of the air (air.c) ---- */
/* The wind, inertial components; PHX_ERR_ANALYSIS when it is not finite. */
phx_status phx_sys_air_wind(const workspace *ws, const force_slot *force, double t, double *wind);
bool phx_sys_air_blows(const phx_system *system, const force_slot *force); /* for `supplies` */
/* A new force (NULL: it could not be made) takes over the wind; PHX_ERR_ARGUMENT for a coefficient that is negative or
 * not finite. `status` as it is so far. */
phx_status phx_sys_air_take(phx_system *system, force_slot *force, const char *noun, const char *name,
                            double coefficient, phx_signal *const wind[3], phx_status status);

/* ---- contacts ---- */
/* The gap is side s - offset: s along the normal of a plane, or the root of the squares of n rows, from the centre of a
 * sphere or the axis of a cylinder. */
typedef struct contact_shape {
    int n;
    bool plane;
    phx_row rows[3];
    double side, offset;
} contact_shape;
/* PHX_ERR_ARGUMENT, PHX_ERR_UNSUPPORTED: it is none. */
phx_status phx_sys_contact_shape(phx_system *system, const phx_contact_def *def, contact_shape *shape);
/* Whether a contact has friction, whose derivatives leave out how the place of contact moves. */
bool phx_sys_contact_rubs(const force_slot *force);
double phx_sys_contact_gap(const phx_system *system, const force_slot *force, const double *x, const double *v);
/* phx_system_add_contact of a rigid one (rigid_contact.c). */
phx_status phx_sys_add_rigid_contact(phx_system *system, const phx_contact_def *def);

/* ---- bushings ---- */
enum { PHX_SYS_BUSHING_ROWS = 6 };
/* What a bushing measures between its ports, which stays the system's, and the diagonal of its damping; returns their
 * number. */
int phx_sys_bushing_dampers(const force_slot *force, const phx_row **rows, double damping[PHX_SYS_BUSHING_ROWS]);

/* ---- making (build/forces.c) ---- */
/* One more force at ports, with `size` bytes of its own. On failure *out may be set: it is there all the same, until
 * phx_sys_keep_force or phx_sys_drop_force. */
phx_status phx_sys_new_force(phx_system *system, force_kind kind, const char *name, int n_ports,
                             const phx_port_id *ports, size_t size, force_slot **out);
/* The points of its quadrature along a body with sections; PHX_ERR_ARGUMENT: it has none. */
phx_status phx_sys_place_along(phx_system *system, phx_body_id body, force_slot *force);
/* The last force stays, or goes with a status that is an error. */
phx_status phx_sys_keep_force(phx_system *system, const force_slot *force, phx_status status);
void phx_sys_drop_force(phx_system *system);
/* Plane: angle of port A's directions in its body less that of port B's. */
double phx_sys_angle_between(const phx_system *system, phx_port_id a, phx_port_id b);

#endif
