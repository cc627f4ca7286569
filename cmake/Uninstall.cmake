# cmake -DMANIFEST=build/install_manifest.txt -P Uninstall.cmake: removes what was installed (under DESTDIR of the
# environment), and the folders of Phlexor that are then empty.
if(NOT EXISTS "${MANIFEST}")
    message(FATAL_ERROR "${MANIFEST} does not exist: nothing was installed from this build")
endif()
file(STRINGS "${MANIFEST}" files)
set(folders "")
foreach(file IN LISTS files)
    file(REMOVE "$ENV{DESTDIR}${file}")
    get_filename_component(folder "${file}" DIRECTORY)
    while(folder MATCHES "[Pp]hlexor")
        list(APPEND folders "$ENV{DESTDIR}${folder}")
        get_filename_component(folder "${folder}" DIRECTORY)
    endwhile()
endforeach()
list(REMOVE_DUPLICATES folders)
list(SORT folders ORDER DESCENDING) # the inner ones first
foreach(folder IN LISTS folders)
    execute_process(COMMAND rmdir "${folder}" ERROR_QUIET) # which takes empty ones only
endforeach()
list(LENGTH files count)
message(STATUS "Removed ${count} files")
