# What is installed and packed, in components: program (with man pages, completions, examples), library (the shared one),
# development (headers, static library, CMake package, pkg-config file), python (python/CMakeLists.txt) and
# documentation (HTML, where `make docs` was run). Nothing that is installed has an absolute path in it.
include_guard(GLOBAL)

# PHX_PC_...: what phlexor.pc says. The prefix is found from the place of the file.
function(phx_configure_pkg_config)
    set(folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
    if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
        set(PHX_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
        set(PHX_PC_LIBDIR ${CMAKE_INSTALL_FULL_LIBDIR})
        set(PHX_PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_INCLUDEDIR})
    else()
        file(RELATIVE_PATH up /${folder} /)
        string(REGEX REPLACE "/$" "" up "${up}")
        set(PHX_PC_PREFIX "\${pcfiledir}/${up}")
        set(PHX_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
        set(PHX_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
    endif()
    get_property(libs GLOBAL PROPERTY PHX_LIBS)
    list(REMOVE_DUPLICATES libs)
    foreach(name IN LISTS libs)
        get_property(module GLOBAL PROPERTY PHX_PC_MODULE_${name})
        get_property(names GLOBAL PROPERTY PHX_PC_LIBRARIES_${name})
        if(module)
            string(APPEND PHX_PC_REQUIRES " ${module}")
        endif()
        foreach(library IN LISTS names)
            string(APPEND PHX_PC_LIBS " -l${library}")
        endforeach()
    endforeach()
    configure_file(${PROJECT_SOURCE_DIR}/cmake/phlexor.pc.in ${PROJECT_BINARY_DIR}/phlexor.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/phlexor.pc DESTINATION ${folder} COMPONENT development)
endfunction()

function(phx_install_library)
    set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Phlexor)
    install(TARGETS phlexor_static phlexor_shared EXPORT Phlexor
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/phlexor DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT development FILES_MATCHING PATTERN "*.h")
    install(EXPORT Phlexor NAMESPACE Phlexor:: FILE PhlexorTargets.cmake DESTINATION ${package} COMPONENT development)
    configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/PhlexorConfig.cmake.in
        ${PROJECT_BINARY_DIR}/PhlexorConfig.cmake INSTALL_DESTINATION ${package})
    write_basic_package_version_file(${PROJECT_BINARY_DIR}/PhlexorConfigVersion.cmake COMPATIBILITY SameMinorVersion)
    install(FILES ${PROJECT_BINARY_DIR}/PhlexorConfig.cmake ${PROJECT_BINARY_DIR}/PhlexorConfigVersion.cmake
        ${PROJECT_SOURCE_DIR}/cmake/PhlexorLibraries.cmake DESTINATION ${package} COMPONENT development)
    phx_configure_pkg_config()
endfunction()

function(phx_install_documents)
    set(documents ${CMAKE_INSTALL_DATAROOTDIR}/doc/phlexor)
    install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${documents}
        COMPONENT program)
    install(FILES ${PROJECT_SOURCE_DIR}/web/LICENCES.md DESTINATION ${documents} COMPONENT program RENAME LICENCES-report.md)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${documents} COMPONENT program
        PATTERN CMakeLists.txt EXCLUDE)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/html DESTINATION ${documents} COMPONENT documentation OPTIONAL)
endfunction()

macro(phx_install)
    phx_install_library()
    phx_install_documents()
    include(PhlexorPackage)
endmacro()
