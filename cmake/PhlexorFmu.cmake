# The shared object of FMUs: the layer cosim and those below it with LAPACK, BLAS and SuiteSparse linked statically, so
# that it needs libc and libm only. One file for all FMUs; phlexor fmu puts a copy of it under the name of the model.
#
#   PHX_FMU=AUTO  FMUs when the static libraries are there; otherwise a line says which is missing
#   PHX_FMU=ON    an error when one is missing
#   PHX_FMU=OFF   no FMUs
#
# phx_fmu_runtime(<variable>) sets <variable> to the assembler source that holds the shared object, or to nothing.
include_guard(GLOBAL)
enable_language(ASM)
set(PHX_FMU AUTO CACHE STRING "FMUs: AUTO (when the static libraries are there), ON or OFF")
set_property(CACHE PHX_FMU PROPERTY STRINGS AUTO ON OFF)

# CHOLMOD is not among them, its supernodal part is under the GPL: Cholesky factors of an FMU are made by KLU.
set(PHX_FMU_LIBRARIES klu btf amd colamd suitesparseconfig sundials_idas ${PHX_SUNDIALS} lapacke arpack tmglib lapack_pic
    blas)

# Sets `files` to the archives and `missing` to the names of those that are not there.
function(phx_fmu_libraries files missing)
    foreach(name IN LISTS PHX_FMU_LIBRARIES)
        # Debian's libblas.a is an alternative that may be another BLAS; the reference is in a folder of its own
        find_library(PHX_STATIC_${name} lib${name}.a HINTS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/${name} NO_CACHE)
        if(PHX_STATIC_${name})
            list(APPEND found ${PHX_STATIC_${name}})
        else()
            list(APPEND lacking lib${name}.a)
        endif()
    endforeach()
    set(${files} ${found} PARENT_SCOPE)
    set(${missing} ${lacking} PARENT_SCOPE)
endfunction()

function(phx_fmu_runtime variable)
    set(${variable} "" PARENT_SCOPE)
    if(NOT PHX_FMU)
        return()
    endif()
    phx_fmu_libraries(files missing)
    if(missing)
        if(NOT PHX_FMU STREQUAL "AUTO")
            message(FATAL_ERROR "PHX_FMU=${PHX_FMU}, but there is no ${missing}")
        endif()
        message(NOTICE "FMUs are off: there is no ${missing}")
        return()
    endif()
    set(layers cosim ${PHX_KNOWS_cosim})
    foreach(layer IN LISTS layers)
        get_target_property(type phx_${layer} TYPE)
        if(NOT type STREQUAL "INTERFACE_LIBRARY")
            list(APPEND targets phx_${layer})
            list(APPEND archives $<TARGET_FILE:phx_${layer}>)
        endif()
    endforeach()
    set(map ${PROJECT_BINARY_DIR}/fmu_runtime.map)
    file(CONFIGURE OUTPUT ${map} CONTENT "{\n    global: fmi2*; fmi3*;\n    local: *;\n};\n" @ONLY)
    add_library(phx_fmu_runtime MODULE ${PROJECT_SOURCE_DIR}/src/cosim/runtime/missing.c
        ${PROJECT_SOURCE_DIR}/src/algebra/cholesky_klu.c)
    target_include_directories(phx_fmu_runtime PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    target_include_directories(phx_fmu_runtime SYSTEM PRIVATE
        $<TARGET_PROPERTY:phx::klu,INTERFACE_INCLUDE_DIRECTORIES>)
    add_dependencies(phx_fmu_runtime ${targets})
    set_target_properties(phx_fmu_runtime PROPERTIES PREFIX "" OUTPUT_NAME fmu_runtime
        LINK_DEPENDS "${map}")
    target_compile_options(phx_fmu_runtime PRIVATE ${PHX_FLAGS})
    target_link_options(phx_fmu_runtime PRIVATE -Wl,--gc-sections -Wl,-Bsymbolic -Wl,--version-script=${map}
        -Wl,-u,fmi2DoStep -Wl,-u,fmi3DoStep -Wl,-s)
    if(NOT PHX_SANITIZE) # the sanitizers' own names stay open; an undefined name of Fortran must not
        target_link_options(phx_fmu_runtime PRIVATE -Wl,-z,defs)
    endif()
    target_link_libraries(phx_fmu_runtime PRIVATE -Wl,--start-group ${archives} ${files} m -Wl,--end-group)
    set(PHX_FMU_RUNTIME ${PROJECT_BINARY_DIR}/lib/fmu_runtime.so)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/fmu_runtime.s.in ${PROJECT_BINARY_DIR}/fmu_runtime.s @ONLY)
    set_source_files_properties(${PROJECT_BINARY_DIR}/fmu_runtime.s TARGET_DIRECTORY phx_fmu_runtime
        PROPERTIES OBJECT_DEPENDS ${PHX_FMU_RUNTIME} COMPILE_OPTIONS -Wno-unused-command-line-argument)
    set(${variable} ${PROJECT_BINARY_DIR}/fmu_runtime.s PARENT_SCOPE)
endfunction()
