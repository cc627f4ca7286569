# Files of the source tree as bytes in a library.
#
#   phx_embed(<variable> <name> HEADER x.h FILES a.csv b.yaml)
#
# makes <name>.c in the directory of the build and puts its path into <variable>. It includes x.h, which declares
#
#   typedef struct phx_embedded { const char *name; const unsigned char *bytes; size_t size; } phx_embedded;
#   extern const phx_embedded phx_<name>[];
#
# and defines the table: a row for each file, with the name without its folder, then one of zeros. A zero byte, which
# does not count, follows the bytes.
include_guard(GLOBAL)
set(PHX_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed.cmake)

function(phx_embed variable name)
    cmake_parse_arguments(ARG "" "HEADER" "FILES" ${ARGN})
    set(made ${CMAKE_CURRENT_BINARY_DIR}/${name}.c)
    foreach(file IN LISTS ARG_FILES)
        get_filename_component(file ${file} ABSOLUTE)
        list(APPEND files ${file})
    endforeach()
    get_filename_component(header ${ARG_HEADER} ABSOLUTE)
    add_custom_command(OUTPUT ${made}
        COMMAND ${CMAKE_COMMAND} -DOUTPUT=${made} -DNAME=${name} -DHEADER=${header} "-DFILES=${files}"
            -P ${PHX_EMBED_SCRIPT}
        DEPENDS ${files} ${PHX_EMBED_SCRIPT} VERBATIM)
    set(${variable} ${made} PARENT_SCOPE)
endfunction()
