# The libraries Phlexor is linked with, each as one imported target phx::<name>. Installed with the CMake package too,
# because whoever links the static library needs the same targets. Others are loaded: PhlexorLoaded.cmake.
include_guard(GLOBAL)
find_package(PkgConfig REQUIRED)

# phx::<name> from pkg-config.
function(phx_find_package name module)
    pkg_check_modules(PHX_${name} REQUIRED QUIET IMPORTED_TARGET ${module})
    add_library(phx::${name} INTERFACE IMPORTED)
    target_link_libraries(phx::${name} INTERFACE PkgConfig::PHX_${name})
    set_property(GLOBAL PROPERTY PHX_PC_MODULE_${name} ${module})
endfunction()

# phx::<name> from libraries and a header that have no pkg-config file: the first library is the one named.
function(phx_find_library name header suffix)
    find_path(PHX_${name}_INCLUDE ${header} PATH_SUFFIXES ${suffix} REQUIRED)
    mark_as_advanced(PHX_${name}_INCLUDE)
    add_library(phx::${name} INTERFACE IMPORTED)
    target_include_directories(phx::${name} INTERFACE ${PHX_${name}_INCLUDE})
    foreach(library IN LISTS ARGN)
        find_library(PHX_LIBRARY_${library} ${library} REQUIRED)
        mark_as_advanced(PHX_LIBRARY_${library})
        target_link_libraries(phx::${name} INTERFACE ${PHX_LIBRARY_${library}})
    endforeach()
    set_property(GLOBAL PROPERTY PHX_PC_LIBRARIES_${name} ${ARGN})
endfunction()

phx_find_package(openblas openblas) # <cblas.h>
phx_find_package(lapacke lapacke)   # <lapacke.h>
phx_find_package(arpack arpack)     # <arpack.h>
phx_find_package(fyaml libfyaml)    # <libfyaml.h>
phx_find_package(zlib zlib)         # <zlib.h>
phx_find_package(libdeflate libdeflate) # <libdeflate.h>

phx_find_library(klu klu.h suitesparse klu btf amd colamd suitesparseconfig)
if(PHX_GPL)
    phx_find_library(cholmod cholmod.h suitesparse cholmod amd colamd suitesparseconfig)
endif()

# <idas/idas.h> (everything of IDA is in it), serial vectors, dense and sparse matrices, dense and KLU solvers. SUNDIALS
# counts with 64 bits here, so its KLU is the long one. From version 7 on it has a library for what all of them share,
# and one that was built with MPI includes <mpi.h>.
set(PHX_SUNDIALS sundials_nvecserial sundials_sunmatrixdense sundials_sunmatrixsparse sundials_sunlinsoldense
    sundials_sunlinsolklu)
find_library(PHX_LIBRARY_sundials_core sundials_core)
mark_as_advanced(PHX_LIBRARY_sundials_core)
set(PHX_SUNDIALS_CORE) # in lists of libraries
if(PHX_LIBRARY_sundials_core)
    set(PHX_SUNDIALS_CORE sundials_core)
endif()
list(APPEND PHX_SUNDIALS ${PHX_SUNDIALS_CORE})
find_file(PHX_SUNDIALS_CONFIG sundials/sundials_config.h REQUIRED)
mark_as_advanced(PHX_SUNDIALS_CONFIG)
file(STRINGS ${PHX_SUNDIALS_CONFIG} PHX_SUNDIALS_MPI REGEX "define SUNDIALS_MPI_ENABLED 1")
set(PHX_SUNDIALS_WITH_MPI)
if(PHX_SUNDIALS_CORE AND PHX_SUNDIALS_MPI)
    find_package(MPI REQUIRED COMPONENTS C)
    set(PHX_SUNDIALS_WITH_MPI mpi)
endif()
phx_find_library(idas idas/idas.h "" sundials_idas ${PHX_SUNDIALS} ${PHX_SUNDIALS_WITH_MPI})
# <ida/ida.h>, the same without sensitivities. Link one of the two, never both.
phx_find_library(ida ida/ida.h "" sundials_ida ${PHX_SUNDIALS} ${PHX_SUNDIALS_WITH_MPI})
if(PHX_SUNDIALS_WITH_MPI)
    target_include_directories(phx::idas INTERFACE ${MPI_C_INCLUDE_DIRS})
    target_include_directories(phx::ida INTERFACE ${MPI_C_INCLUDE_DIRS})
endif()

target_link_libraries(phx::lapacke INTERFACE phx::openblas)
target_link_libraries(phx::arpack INTERFACE phx::openblas)
target_link_libraries(phx::idas INTERFACE phx::klu)
target_link_libraries(phx::ida INTERFACE phx::klu)
