# Libraries that are loaded when they are first used (phx_library of src/base/base.h): what most runs do not need and
# what costs the start of every run much, by itself or by what it is linked with. They are found when Phlexor is built,
# for their headers, their names in the file system and Debian's packages of them.
#
# phx_load(<layer> <name>...), called by phx_layer, gives a layer <loaded/<name>.h>, made from src/<layer>/<name>.names,
# the functions and variables of the library that Phlexor uses, one a line. Whoever includes it writes the calls as with
# the header of the library, after phx_load_<name>(context).
include_guard(GLOBAL)
find_package(PkgConfig REQUIRED)
find_program(PHX_DPKG_QUERY dpkg-query)
mark_as_advanced(PHX_DPKG_QUERY)
set(PHX_OWNERS) # lines "package:architecture: file" of all shared libraries: dpkg-query takes as long for one
if(PHX_DPKG_QUERY)
    execute_process(COMMAND ${PHX_DPKG_QUERY} -S "*.so.*" OUTPUT_VARIABLE PHX_OWNERS ERROR_QUIET)
endif()

# What is known of a library that is to be loaded.
function(phx_describe_loaded name title soname package)
    foreach(what IN ITEMS title soname package)
        set_property(GLOBAL PROPERTY PHX_LOADED_${name}_${what} "${${what}}")
    endforeach()
    set_property(GLOBAL PROPERTY PHX_LOADED_${name}_headers ${ARGN})
    set_property(GLOBAL APPEND PROPERTY PHX_LOADED_PACKAGES ${package})
endfunction()

# phx::<name> from pkg-config (the first of the modules that is there), or without it (-l<library>), to be loaded, with
# its name for messages and its headers.
function(phx_find_loaded name modules title)
    if(modules MATCHES "^-l(.+)")
        set(library ${CMAKE_MATCH_1})
        phx_find_library(${name} ${ARGV3} "" ${library})
        set(file ${PHX_LIBRARY_${library}})
    else()
        pkg_search_module(PHX_${name} REQUIRED QUIET IMPORTED_TARGET ${modules})
        add_library(phx::${name} INTERFACE IMPORTED)
        target_link_libraries(phx::${name} INTERFACE PkgConfig::PHX_${name})
        list(GET PHX_${name}_LINK_LIBRARIES 0 file)
    endif()
    execute_process(COMMAND ${CMAKE_READELF} -d ${file} OUTPUT_VARIABLE dynamic ERROR_QUIET)
    if(NOT dynamic MATCHES "soname: *\\[([^]]+)\\]")
        message(FATAL_ERROR "${file}: ${title} must be a shared library, which Phlexor loads when it needs it")
    endif()
    set(soname ${CMAKE_MATCH_1})
    set(package)
    get_filename_component(folder ${file} REALPATH)
    get_filename_component(folder ${folder} DIRECTORY)
    string(REGEX REPLACE "([.+])" "\\\\\\1" pattern ${folder}/${soname})
    if("\n${PHX_OWNERS}" MATCHES "\n([^:, \n]+)[^\n]*: ${pattern}\n")
        set(package ${CMAKE_MATCH_1})
    endif()
    phx_describe_loaded(${name} ${title} ${soname} "${package}" ${ARGN})
endfunction()

phx_find_loaded(hdf5 "hdf5-serial;hdf5" HDF5 hdf5.h) # Debian's name, the name elsewhere
phx_find_loaded(matio matio matio matio.h)
# Its module in Debian 13 needs the one of minizip, whose <zip.h> would stand before libzip's.
phx_find_loaded(xlsxwriter -lxlsxwriter libxlsxwriter xlsxwriter.h)
phx_find_loaded(cairo cairo Cairo cairo.h cairo-pdf.h)
add_library(phx::rsvg INTERFACE IMPORTED) # without its headers: rsvg.h declares what is used
phx_describe_loaded(rsvg librsvg librsvg-2.so.2 librsvg2-2 results/plot/rsvg.h)
phx_find_loaded(zip libzip libzip zip.h)
phx_find_loaded(assimp assimp Assimp assimp/cimport.h assimp/postprocess.h assimp/scene.h assimp/version.h)
phx_find_loaded(nlopt nlopt NLopt nlopt.h)
phx_find_loaded(xml2 libxml-2.0 libxml2 libxml/parser.h)

# Let the sources of a target include <loaded/<name>.h>.
function(phx_see_loaded target scope)
    target_include_directories(${target} ${scope} ${PROJECT_BINARY_DIR}/generated)
    foreach(name IN LISTS ARGN)
        target_include_directories(${target} SYSTEM ${scope} $<TARGET_PROPERTY:phx::${name},INTERFACE_INCLUDE_DIRECTORIES>)
    endforeach()
endfunction()

function(phx_load layer)
    set(folder ${PROJECT_BINARY_DIR}/generated/loaded)
    foreach(name IN LISTS ARGN)
        set(list ${PROJECT_SOURCE_DIR}/src/${layer}/${name}.names)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
        file(STRINGS ${list} symbols)
        foreach(what IN ITEMS title soname package headers)
            get_property(${what} GLOBAL PROPERTY PHX_LOADED_${name}_${what})
        endforeach()
        foreach(part IN ITEMS includes members names defines)
            set(${part})
        endforeach()
        foreach(header IN LISTS headers)
            string(APPEND includes "#include <${header}>\n")
        endforeach()
        foreach(symbol IN LISTS symbols)
            string(APPEND members "    __typeof__(&${symbol}) ${symbol};\n")
            string(APPEND names "\"${symbol}\", ")
            string(APPEND defines "#define ${symbol} (*phx_loaded_${name}.${symbol})\n")
        endforeach()
        foreach(kind IN ITEMS h c)
            configure_file(${PROJECT_SOURCE_DIR}/cmake/loaded.${kind}.in ${folder}/${name}.${kind} @ONLY)
        endforeach()
        target_sources(phx_${layer} PRIVATE ${folder}/${name}.c)
    endforeach()
    phx_see_loaded(phx_${layer} PUBLIC ${ARGN})
endfunction()
