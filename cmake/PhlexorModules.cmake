# Modules: lib/phlexor/phlexor-<name>.so, which a process loads when it is asked to, so that nothing else needs what they
# are linked with: MPI; PETSc with SLEPc and MUMPS, real, with indices of 32 or 64 bits. Each is built where its
# libraries are, and not for the sanitizers, which MPI does not live with. Debian's PETSc contains libraries under the
# GPL.
include_guard(GLOBAL)
if(NOT PHX_SANITIZE AND NOT PHX_FUZZ)
    find_package(MPI QUIET COMPONENTS C)
    if(MPI_C_FOUND AND PHX_GPL)
        pkg_check_modules(PHX_SLEPC QUIET ${PHX_SLEPC_PACKAGE})
    endif()
endif()

# Headers as those of the system: their warnings are not ours.
if(MPI_C_FOUND)
    add_library(phx::mpi INTERFACE IMPORTED)
    target_include_directories(phx::mpi SYSTEM INTERFACE ${MPI_C_INCLUDE_DIRS})
    target_link_libraries(phx::mpi INTERFACE ${MPI_C_LIBRARIES})
endif()
if(PHX_SLEPC_FOUND)
    add_library(phx::petsc INTERFACE IMPORTED)
    target_include_directories(phx::petsc SYSTEM INTERFACE ${PHX_SLEPC_INCLUDE_DIRS})
    target_link_libraries(phx::petsc INTERFACE ${PHX_SLEPC_LINK_LIBRARIES} phx::mpi)
endif()
if(NOT PHX_SLEPC_FOUND AND NOT PHX_SANITIZE AND NOT PHX_FUZZ)
    if(MPI_C_FOUND)
        set(without "PETSc and SLEPc (Debian: slepc-dev): no reduction of bodies over processes")
    else()
        set(without "MPI (Debian: slepc-dev): nothing over processes, neither bodies nor studies")
    endif()
    message(STATUS "Built without ${without}")
endif()

# A module of a layer, where phx::<name> is there; built with the layer.
function(phx_module layer name)
    if(NOT TARGET phx::${name})
        return()
    endif()
    add_library(phlexor_${name} MODULE ${ARGN})
    set_target_properties(phlexor_${name} PROPERTIES OUTPUT_NAME phlexor-${name} PREFIX "" LINKER_LANGUAGE C
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/phlexor)
    # PETSc puts the names of sources into the module: not those of this folder
    target_compile_options(phlexor_${name} PRIVATE ${PHX_FLAGS} -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
    target_link_libraries(phlexor_${name} PRIVATE phx::${name})
    add_dependencies(phx_${layer} phlexor_${name})
    install(TARGETS phlexor_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/phlexor COMPONENT processes)
endfunction()
