# The page of `phlexor report` (web/): one html file, made by Node.js from web/ and the packages that
# web/package-lock.json pins, embedded into the layer results. Nothing is written into the source tree.
#
#   PHX_REPORT=AUTO  reports when Node.js, npm and the packages are there; otherwise a line says why not
#   PHX_REPORT=ON    an error when they are not
#   PHX_REPORT=OFF   no reports
#
# phx_page(<variable>) sets <variable> to the assembler source that holds the page, or to nothing.
include_guard(GLOBAL)
enable_language(ASM)
set(PHX_REPORT AUTO CACHE STRING "The page of reports: AUTO (when Node.js and its packages are there), ON or OFF")
set_property(CACHE PHX_REPORT PROPERTY STRINGS AUTO ON OFF)

set(PHX_PAGE_SOURCE ${PROJECT_SOURCE_DIR}/web)
set(PHX_PAGE_BUILD ${PROJECT_BINARY_DIR}/web)

# Sets `missing` to the reason why there is no Node.js that will do, or to nothing.
function(phx_page_find_node missing)
    find_program(PHX_NODE NAMES node nodejs DOC "Node.js, 18 or newer")
    find_program(PHX_NPM npm DOC "npm, which fetches the packages of web/package-lock.json")
    mark_as_advanced(PHX_NODE PHX_NPM)
    set(${missing} "" PARENT_SCOPE)
    if(NOT PHX_NODE OR NOT PHX_NPM)
        set(${missing} "Node.js and npm are not installed (Debian: nodejs npm)" PARENT_SCOPE)
        return()
    endif()
    execute_process(COMMAND ${PHX_NODE} --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    string(REGEX REPLACE "^v" "" version "${version}")
    if(NOT version VERSION_GREATER_EQUAL 18)
        set(${missing} "${PHX_NODE} is version \"${version}\", 18 or newer is needed" PARENT_SCOPE)
    endif()
endfunction()

# The packages, once for each lock file: npm ci in the build tree. Sets `missing` like above.
function(phx_page_packages missing)
    set(${missing} "" PARENT_SCOPE)
    set(files ${PHX_PAGE_SOURCE}/package.json ${PHX_PAGE_SOURCE}/package-lock.json)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
    find_program(PHX_CHROMIUM NAMES chromium-headless-shell chromium chromium-browser google-chrome
        DOC "The browser that the page is tested in")
    mark_as_advanced(PHX_CHROMIUM)
    set(omit --omit=dev) # what drives the browser
    if(BUILD_TESTING AND PHX_CHROMIUM)
        set(omit --include=dev)
    endif()
    file(SHA256 ${PHX_PAGE_SOURCE}/package-lock.json wanted)
    set(wanted "${wanted} ${omit}")
    set(stamp ${PHX_PAGE_BUILD}/packages.txt)
    if(EXISTS ${stamp})
        file(READ ${stamp} found)
    endif()
    if("${found}" STREQUAL "${wanted}")
        return()
    endif()
    message(STATUS "Fetching the packages of the report page with npm")
    file(COPY ${files} DESTINATION ${PHX_PAGE_BUILD})
    execute_process(
        COMMAND ${PHX_NPM} ci ${omit} --ignore-scripts --prefer-offline --no-audit --no-fund --no-progress
            --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=30000
        WORKING_DIRECTORY ${PHX_PAGE_BUILD} TIMEOUT 180 RESULT_VARIABLE result OUTPUT_VARIABLE log ERROR_VARIABLE log)
    if(NOT result STREQUAL "0")
        file(WRITE ${PHX_PAGE_BUILD}/npm.log "${log}")
        set(${missing} "npm could not fetch the packages (see ${PHX_PAGE_BUILD}/npm.log)" PARENT_SCOPE)
        return()
    endif()
    file(WRITE ${stamp} "${wanted}")
endfunction()

function(phx_page variable)
    set(${variable} "" PARENT_SCOPE)
    set(missing "PHX_REPORT=OFF")
    if(PHX_REPORT)
        phx_page_find_node(missing)
        if(NOT missing)
            phx_page_packages(missing)
        endif()
    endif()
    if(missing)
        if(PHX_REPORT AND NOT PHX_REPORT STREQUAL "AUTO")
            message(FATAL_ERROR "PHX_REPORT=${PHX_REPORT}, but ${missing}")
        endif()
        message(NOTICE "reports are off: ${missing}")
        set_property(GLOBAL PROPERTY PHX_PAGE "")
        return()
    endif()

    set(PHX_PAGE ${PHX_PAGE_BUILD}/page.html)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PHX_PAGE_SOURCE}/src/*)
    add_custom_command(OUTPUT ${PHX_PAGE}
        COMMAND ${PHX_NODE} ${PHX_PAGE_SOURCE}/build.mjs ${PHX_PAGE}
        DEPENDS ${sources} ${PHX_PAGE_SOURCE}/build.mjs ${PHX_PAGE_SOURCE}/package-lock.json
        WORKING_DIRECTORY ${PHX_PAGE_BUILD} COMMENT "Bundling the report page" VERBATIM)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/page.s.in ${PHX_PAGE_BUILD}/page.s @ONLY)
    set_source_files_properties(${PHX_PAGE_BUILD}/page.s PROPERTIES OBJECT_DEPENDS ${PHX_PAGE}
        COMPILE_OPTIONS -Wno-unused-command-line-argument) # clang, of those for C
    set_property(GLOBAL PROPERTY PHX_PAGE ${PHX_PAGE})
    set(${variable} ${PHX_PAGE_BUILD}/page.s PARENT_SCOPE)
endfunction()
