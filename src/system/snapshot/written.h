/* Shared by everything of a system that is written to archives; private to layer system. */
#ifndef PHX_SYSTEM_WRITTEN_H
#define PHX_SYSTEM_WRITTEN_H

#include "system/parts.h"

/* A struct whose fields are written by hand: a new one changes its size. */
#define PHX_SYS_WRITTEN(type, size)                                                                                    \
    _Static_assert(sizeof(void *) != 8 || sizeof(type) == (size), "write the new field here")
/* A number of one of `count` things, or -1. */
void phx_sys_archive_index(phx_archive *archive, int count, int *index);
/* A number that must be one of `count` things. */
void phx_sys_archive_member(phx_archive *archive, int count, int *index);
void phx_sys_archive_row(phx_archive *archive, phx_row *row);
void phx_sys_archive_friction(phx_archive *archive, phx_friction *friction);
void phx_sys_archive_penalty(phx_archive *archive, phx_penalty *penalty);
/* A point of a body, whose coordinates must be the body's. */
void phx_sys_archive_point(phx_archive *archive, const phx_system *system, phx_body_id body, phx_flex_point *point);
void phx_sys_archive_port(phx_archive *archive, phx_system *system, port_slot *slot);
void phx_sys_archive_joint(phx_archive *archive, phx_system *system, int j);
/* A controller without its connections. */
void phx_sys_archive_controller(phx_archive *archive, controller_slot *slot);
void phx_sys_archive_output(phx_archive *archive, const phx_system *system, output_slot *output);
/* ---- forces/forces.c ---- */
void phx_sys_archive_force(phx_archive *archive, phx_system *system, force_slot *force);
/* The links that a sum of coordinates needs follow it. */
bool phx_sys_links_follow(const phx_system *system);

#endif
