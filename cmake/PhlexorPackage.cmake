# Debian packages of the components, by `make package` (cpack -G DEB): phlexor, libphlexor0.1, libphlexor-dev,
# python3-phlexor where PHX_PYTHON is on, and phlexor-doc where `make docs` was run.
include_guard(GLOBAL)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME phlexor)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_CONTACT "Phlexor authors <authors@phlexor.invalid>") # unless the environment says: PackageComponents.cmake
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/PackageComponents.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_BINARY_DIR}/PackageFiles.cmake)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(about "Phlexor computes the motion, the frequencies and linear models for control of
mechanisms and spacecraft made of rigid and flexible bodies, as
port-Hamiltonian systems: every body has an energy, joints exchange power and
make none, and the integrator keeps both facts.")

# phx_package(COMPONENT PACKAGE SECTION TEXT [DEPENDS])
macro(phx_package component package section text)
    string(TOUPPER ${component} upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
    set(CPACK_COMPONENT_${upper}_DESCRIPTION "${about}${text}")
    set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${ARGN}")
    list(APPEND PHX_PACKAGES ${component}:${package})
endmacro()

# What links the static library or asks pkg-config needs what Phlexor is linked with.
execute_process(COMMAND ${PROJECT_SOURCE_DIR}/tools/setup --list OUTPUT_VARIABLE packages)
string(REGEX MATCHALL "z?lib[a-z0-9]+-dev" packages "${packages}")
list(REMOVE_ITEM packages libc6-dev libcmocka-dev libhdf5-dev libmatio-dev libzip-dev libxml2-dev libcairo2-dev
    libassimp-dev libxlsxwriter-dev libnlopt-dev)
list(JOIN packages ", " packages)

# dpkg-shlibdeps finds what is linked, not what is loaded.
get_property(loaded GLOBAL PROPERTY PHX_LOADED_PACKAGES)
set(used ${loaded} fonts-liberation fonts-dejavu-core) # letters of pictures
list(JOIN loaded ", " loaded)
list(JOIN used ", " used)

set(soname libphlexor${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
phx_package(program phlexor science "" "${loaded}")
phx_package(library ${soname} libs "\n.\nThis package has the shared library."
    "${used}")
phx_package(development libphlexor-dev libdevel "\n.\nThis package has the headers and the static library."
    "${soname} (= ${PROJECT_VERSION}), libc6-dev, ${packages}")
if(TARGET phlexor_mpi)
    phx_package(processes phlexor-mpi science "\n.\nThis package has what bodies and studies on several processes need: MPI and PETSc."
        "phlexor (= ${PROJECT_VERSION})")
endif()
phx_package(documentation phlexor-doc doc "\n.\nThis package has the documentation as web pages.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS python3-phlexor) # commands in Python
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "chromium-headless-shell | chromium, ffmpeg") # of phlexor film
get_property(PHX_PYTHON_COMPONENT GLOBAL PROPERTY PHX_PYTHON_COMPONENT)
phx_package(python python3-phlexor python "\n.\nThis package has the library in Python."
    "python3 (>= 3.9), python3-numpy, ${soname} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
# Nothing in them is linked; cpack, asked to look, starts two programs for each file. So it does to write shlibs.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
file(WRITE ${PROJECT_BINARY_DIR}/shlibs
    "libphlexor ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} ${soname} (>= ${PROJECT_VERSION})\n")
file(WRITE ${PROJECT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/shlibs ${PROJECT_BINARY_DIR}/triggers)
# As dh_python3 has them: without, files compiled by root would stay when the package is removed.
foreach(script IN ITEMS postinst:py3compile prerm:py3clean)
    string(REGEX MATCH "(.*):(.*)" script ${script})
    file(WRITE ${PROJECT_BINARY_DIR}/python/${CMAKE_MATCH_1}
        "#!/bin/sh\nset -e\nif command -v ${CMAKE_MATCH_2} >/dev/null; then\n    ${CMAKE_MATCH_2} -p python3-phlexor\nfi\n")
    list(APPEND CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/python/${CMAKE_MATCH_1})
endforeach()
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SHLIBDEPS OFF)

configure_file(${PROJECT_SOURCE_DIR}/cmake/PackageComponents.cmake.in ${PROJECT_BINARY_DIR}/PackageComponents.cmake @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/cmake/PackageFiles.cmake.in ${PROJECT_BINARY_DIR}/PackageFiles.cmake @ONLY)
include(CPack)
