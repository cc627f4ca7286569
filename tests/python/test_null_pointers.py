"""Every function of the library that returns a status, with NULL for each of its pointers in turn.

The declarations are read from the public headers. What a declaration allows to be NULL is listed here; for every other
pointer the call must say PHX_ERR_ARGUMENT, with a message that names it, and touch nothing else: all other pointers are
blocks of zeros, no objects. Each call runs in a process of its own, so that a crash is found and named.
"""

import ctypes
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "python" / "tools"))
import make_binding  # noqa: E402

ARGUMENT = -1
# Its status is that of what was added.
ASKED = {"phx_bundle_status"}
MAY_BE_NULL = {
    # what their declarations say
    "phx_csr_from_triplets": {"val"},
    "phx_descriptor_append": {"name"},
    "phx_descriptor_copy": {"name"},
    "phx_descriptor_eliminate": {"basis"},
    "phx_descriptor_gyrator": {"C"},
    "phx_descriptor_transformer": {"C"},
    "phx_export": {"output"},
    "phx_files_read": {"path"},
    "phx_files_write": {"path"},
    "phx_fmu_export": {"options", "report"},
    "phx_integrate": {"lambda", "sample", "stats", "user"},
    "phx_joint_space_evaluate": {"columns"},
    "phx_linear_stability": {"lambda"},
    "phx_linearise": {"options"},
    "phx_linearised_descriptor": {"measured"},
    "phx_linearised_period": {"left_out"},
    "phx_modal_point": {"rotation", "translation"},
    "phx_modal_solve": {"options"},
    "phx_model_build": {"options"},
    "phx_model_evaluate": {"model"},
    "phx_model_read": {"overrides"},
    "phx_model_read_text": {"overrides"},
    "phx_model_set_parameters": {"overrides"},
    "phx_plot": {"options", "picture_path"},
    "phx_plot_bundle": {"name", "options"},
    "phx_report_modes": {"options", "size"},
    "phx_report_result": {"options", "size"},
    "phx_reduction_descriptor": {"measured"},
    "phx_result_column": {"values"},
    "phx_result_ledger_values": {"values"},
    "phx_result_states": {"v", "x"},
    "phx_signal_create_function": {"breaks", "data", "free_data"},
    "phx_ss_hinf_norm": {"band"},
    "phx_ss_append": {"name"},
    "phx_ss_connect": {"inputs", "links", "outputs"},
    "phx_ss_copy": {"name", "prefix"},
    "phx_ss_poles": {"damping", "im", "omega", "re"},
    "phx_ss_sampled_poles": {"damping", "omega"},
    "phx_ss_sub": {"inputs", "outputs"},
    "phx_study_modes": {"report"},
    "phx_study_report": {"options", "size"},
    "phx_ss_inversion_follow": {"x"},
    "phx_study_inverse": {"table"},
    "phx_study_inverse_kinematics": {"table"},
    "phx_study_stable_inverse": {"table"},
    "phx_study_simulate_result": {"result"},
    "phx_study_simulate_size": {"sweep"},
    "phx_study_static": {"result"},
    "phx_study_view": {"options", "size"},
    "phx_system_add_body": {"pose", "source"},
    "phx_system_add_joint": {"id"},
    "phx_system_add_point_at": {"rotation"},
    "phx_system_add_port_at": {"rotation"},
    "phx_system_verify_structure": {"lambda"},
    "phx_system_buckling": {"shapes"},
    "phx_system_create": {"gravity"},
    "phx_system_linear": {"lambda"},
    "phx_system_linear_steady": {"axes", "lambda"},
    "phx_system_start": {"lambda", "options"},
    "phx_system_steady": {"axes", "lambda", "spin"},
}
# What a function takes over, and destroys when it fails: no block of zeros.
TAKEN_OVER = {
    "phx_system_add_body": {"body", "source"},
    "phx_signal_create_function": {"free_data"},
}


def handed(kind):
    """A value for an argument that is not looked at: one, or a block of zeros."""
    if kind.pointers or kind.extents or kind.function:
        return ctypes.cast(ctypes.create_string_buffer(1 << 16), ctypes.c_void_p)
    if kind.base == "double":
        return ctypes.c_double(1.0)
    return ctypes.c_int64(1)


def call(library, name, function, header, absent):
    """Exit status of a child that calls: 0 as it must be, 1 another status, 2 no message; a signal: it crashed."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(2)
    context = ctypes.c_void_p()
    library.phx_context_create(ctypes.byref(context))
    library.phx_context_message.restype = ctypes.c_char_p
    values, has_context = [], False
    for argument, kind in function.arguments:
        if argument == absent or argument in TAKEN_OVER.get(name, ()):
            values.append(ctypes.c_void_p())
        elif kind.base == "phx_context" and len(kind.pointers) == 1:
            values.append(context)
            has_context = True
        else:
            values.append(handed(kind))
    status = getattr(library, name)(*values)
    message = library.phx_context_message(context).decode()
    told = not has_context or (name in message and "NULL" in message)
    os._exit(1 if status != ARGUMENT else 0 if told else 2)


def by_value(function, header):
    """Whether a structure is handed over by value, which this test cannot make."""
    return any(not k.pointers and not k.function and k.base in header.structs for _, k in function.arguments)


class Arguments(unittest.TestCase):
    def test_null_is_refused(self):
        library = ctypes.CDLL(os.environ["PHLEXOR_LIBRARY"])
        header = make_binding.Reader().read()
        wrong, calls, functions = [], 0, 0
        for name, function in sorted(header.functions.items()):
            if function.result.base != "phx_status" or function.result.pointers:
                continue
            if name in ASKED or by_value(function, header):
                continue
            functions += 1
            for argument, kind in function.arguments:
                pointer = kind.pointers or kind.extents or kind.function or kind.base in header.function_types
                if not pointer or (kind.base == "phx_context" and name != "phx_context_create"):
                    continue
                if argument in MAY_BE_NULL.get(name, ()):
                    continue
                result = call(library, name, function, header, argument)
                calls += 1
                if result:
                    wrong.append(f"{name}, {argument} NULL: {result}")
        self.assertFalse(wrong, "\n" + "\n".join(wrong))
        self.assertGreater(calls, functions)

    def test_the_list_is_of_arguments(self):
        """What is listed exists."""
        functions = make_binding.Reader().read().functions
        for name, arguments in MAY_BE_NULL.items():
            known = {argument for argument, _ in functions[name].arguments}
            self.assertLessEqual(arguments, known, name)


if __name__ == "__main__":
    unittest.main()
