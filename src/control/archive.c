/* Controllers in an archive: what a block holds, not how it was defined. */
#include "block.h"

/* A new field changes the size: it is written here too. */
_Static_assert(sizeof(void *) != 8 || sizeof(phx_block) == 408, "write the new field here");

static void archive_signals(phx_archive *archive, int count, phx_signal ***signals)
{
    if (phx_archive_reads(archive)) {
        *signals = phx_calloc(phx_archive_context(archive), (size_t)count, sizeof **signals);
        phx_archive_fail(archive, *signals ? PHX_OK : PHX_ERR_MEMORY);
    }
    for (int k = 0; k < count && !phx_archive_status(archive); k++)
        phx_signal_archive(archive, &(*signals)[k]);
}

static void archive_numbers(phx_archive *archive, phx_controller_def *def)
{
    double *const numbers[] = {&def->sample, &def->kp, &def->ki, &def->kd, &def->filter, &def->anti_windup};

    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        phx_archive_double(archive, numbers[k]);
    phx_archive_count(archive, &def->delay);
}

static void archive_matrices(phx_archive *archive, phx_block *block)
{
    const size_t n = (size_t)block->n, in = (size_t)block->n_inputs, out = (size_t)block->n_outputs;

    phx_archive_double_array(archive, out, &block->lower);
    phx_archive_double_array(archive, out, &block->upper);
    phx_archive_double_array(archive, n, &block->initial);
    phx_archive_double_array(archive, n * n, &block->A);
    phx_archive_double_array(archive, n * in, &block->B);
    phx_archive_double_array(archive, out * n, &block->C);
    phx_archive_double_array(archive, out * in, &block->D);
    phx_archive_double_array(archive, n * n, &block->storage);
    phx_archive_double_array(archive, (n + in) * (n + in), &block->loss);
}

/* The expressions of a function. */
static void archive_function(phx_archive *archive, phx_block *block)
{
    phx_context *context = phx_archive_context(archive);
    phx_controller_def *def = &block->def;

    int shapes = def->function == phx_ida_pbc_evaluate;

    if (!phx_archive_reads(archive) && !shapes && def->function != phx_controller_programs_evaluate) {
        phx_archive_fail(archive, phx_fail(context, PHX_ERR_UNSUPPORTED,
                                           "controller '%s' is a function of the program, of which only the program "
                                           "knows the code; give expressions",
                                           block->name));
        return;
    }
    phx_archive_choice(archive, 1, &shapes);
    if (shapes) {
        phx_ida_pbc *data = def->data;
        phx_ida_pbc_archive(archive, &data);
        def->data = data;
        def->function = phx_ida_pbc_evaluate;
        def->energy = phx_ida_pbc_energy;
        def->free_data = phx_ida_pbc_free;
        return;
    }
    if (phx_archive_reads(archive) && !phx_archive_status(archive)) {
        phx_controller_programs *made = NULL;
        phx_archive_fail(archive, phx_controller_programs_create(context, block->n_inputs, block->n_outputs, &made));
        def->data = made;
        def->function = phx_controller_programs_evaluate;
        def->free_data = phx_controller_programs_free;
    }
    phx_controller_programs *programs = def->data;
    for (int k = 0; k < block->n_outputs && !phx_archive_status(archive); k++)
        phx_program_archive(archive, 1 + block->n_inputs, &programs->programs[k]);
}

static phx_status refuse_external(phx_archive *archive, const phx_block *block)
{
    return phx_fail(phx_archive_context(archive), PHX_ERR_UNSUPPORTED,
                    "controller '%s' runs beside the simulation, an FMU in a process of its own, and cannot be part of "
                    "this file; leave it out, and connect the two where the file is used",
                    block->name);
}

/* Writes or reads a controller with its signals and matrices. External controllers cannot be written; *made is NULL
 * after a failure. */
void phx_block_archive(phx_archive *archive, phx_block **made)
{
    const bool reads = phx_archive_reads(archive);

    if (!reads && (*made)->def.kind == PHX_CONTROLLER_EXTERNAL) {
        phx_archive_fail(archive, refuse_external(archive, *made));
        return;
    }
    phx_block *block = reads ? phx_calloc(phx_archive_context(archive), 1, sizeof *block) : *made;

    *made = NULL;
    if (!block) {
        phx_archive_fail(archive, PHX_ERR_MEMORY);
        return;
    }
    int kind = (int)block->def.kind;
    phx_archive_choice(archive, PHX_CONTROLLER_EXTERNAL - 1, &kind); /* the last one is never written */
    block->def.kind = (phx_controller_kind)kind;
    block->ops = phx_block_kinds[kind];
    phx_archive_text(archive, &block->name);
    phx_archive_count(archive, &block->n);
    phx_archive_count(archive, &block->n_inputs);
    phx_archive_count(archive, &block->n_outputs);
    archive_numbers(archive, &block->def);
    archive_signals(archive, block->n_inputs, &block->reference);
    archive_signals(archive, block->n_outputs, &block->feedforward);
    archive_matrices(archive, block);
    if (block->def.kind == PHX_CONTROLLER_FUNCTION)
        archive_function(archive, block);
    if (reads && phx_archive_status(archive)) {
        phx_block_destroy(block);
        return;
    }
    *made = block;
}
