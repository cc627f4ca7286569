# How Phlexor's directories become targets. A directory says only what is its own:
#
#   src/<layer>     phx_layer(<layer> DEPENDS base algebra [LIBS klu m] [LOADS cairo] [WITHOUT x.c] [SOURCES generated.c])
#                   all C files of the folder and its rooms but those of phx_layer_wide and WITHOUT;
#                   it is linked with what stands under LIBS; LOADS: PhlexorLoaded.cmake
#   cli             phx_program(LIBS klu LOADS cairo [WITHOUT x.c])
#   tests/<layer>   phx_test(<name> SOURCES test_x.c LAYERS fe algebra [LIBS ..] [LABELS slow] [TIMEOUT 60]
#                   [COST 10])   long tests have a cost, by which ctest begins with them
#   tests/fuzz      phx_fuzz(<name> SOURCES fuzz_x.c LAYERS model), corpus in tests/fuzz/corpus/<name>
#   examples        phx_example(<name> SOURCES x.c)
#   bench           phx_bench(<name> SOURCES x.c [LAYERS ..] [LIBS ..])
#
# Public headers are <phlexor/<layer>.h>, what a layer offers to the others and to the program is "<layer>/<layer>.h"; a
# private one is "x.h" beside the files of its layer (tests: "<layer>/x.h").
# A name under LIBS that is one of the targets phx::<name> of PhlexorLibraries.cmake means that target.
include_guard(GLOBAL)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(PhlexorEmbed)

# ---- flags ----
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g -fno-omit-frame-pointer")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

set(PHX_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes
    -Wmissing-prototypes)
# No contraction of a*b+c, or results would depend on the processor. Sections let the shared object of FMUs leave out
# what it does not call.
set(PHX_FLAGS ${PHX_WARNINGS} -ffp-contract=off -fno-math-errno -ffunction-sections -fdata-sections)
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(PHX_AVX2_FLAGS -mavx2)
    set(PHX_AVX512_FLAGS -mavx512f -mavx512dq -mavx512vl -mprefer-vector-width=512)
    foreach(wide IN ITEMS AVX2 AVX512)
        list(JOIN PHX_${wide}_FLAGS " " CMAKE_REQUIRED_FLAGS)
        check_c_source_compiles("int main(void) { return 0; }" PHX_${wide})
        unset(CMAKE_REQUIRED_FLAGS)
    endforeach()
    # Small arrays are cleared and copied by stores of full width and in loops that stay loops: by itself gcc puts
    # "rep stos" and calls there, which took a quarter of a step. The numbers are the same.
    set(PHX_TUNING -mtune=znver2 -mstore-max=256 -mmove-max=256 -fno-tree-loop-distribute-patterns
        -mmemset-strategy=unrolled_loop:256:noalign,libcall:-1:noalign)
    foreach(flag IN LISTS PHX_TUNING)
        string(MAKE_C_IDENTIFIER "PHX_HAS${flag}" known)
        check_c_compiler_flag(${flag} ${known})
        if(${known})
            list(APPEND PHX_FLAGS ${flag})
        endif()
    endforeach()
endif()
# gcc 12 for ARM ends with an internal error of its loop vectoriser (vect_transform_reduction) in three files.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64" AND CMAKE_C_COMPILER_ID STREQUAL GNU AND
   CMAKE_C_COMPILER_VERSION VERSION_LESS 13)
    list(APPEND PHX_FLAGS -fno-tree-loop-vectorize)
endif()
# What gcc suspects to be uninitialised differs with the processor that it compiles for.
if(PHX_WERROR AND NOT PHX_NATIVE)
    list(APPEND PHX_FLAGS -Werror)
endif()
if(PHX_NATIVE)
    list(APPEND PHX_FLAGS -march=native)
endif()
# PHX_ASAN: the address sanitizer's library, which a program that is not compiled with it loads first.
if(PHX_SANITIZE)
    list(APPEND PHX_FLAGS -fsanitize=${PHX_SANITIZE} -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${PHX_SANITIZE})
    if(PHX_SANITIZE_TRAP AND PHX_SANITIZE MATCHES undefined)
        list(APPEND PHX_FLAGS -fsanitize-trap=undefined)
    endif()
    if(CMAKE_C_COMPILER_ID MATCHES Clang) # what reports print; links in half the time
        list(APPEND PHX_FLAGS -gline-tables-only)
    endif()
    if(PHX_SANITIZE MATCHES address AND NOT PHX_FUZZ)
        set(name libasan.so)
        if(CMAKE_C_COMPILER_ID MATCHES Clang)
            set(name libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so)
        endif()
        execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=${name} OUTPUT_VARIABLE PHX_ASAN
            OUTPUT_STRIP_TRAILING_WHITESPACE)
        if(CMAKE_C_COMPILER_ID MATCHES Clang) # links it statically unless told, and does not say where it is
            get_filename_component(folder ${PHX_ASAN} DIRECTORY)
            add_link_options(-shared-libasan -Wl,-rpath,${folder})
        endif()
    endif()
endif()
if(PHX_COVERAGE)
    list(APPEND PHX_FLAGS --coverage)
    add_link_options(--coverage)
endif()
if(PHX_FUZZ)
    list(APPEND PHX_FLAGS -fsanitize=fuzzer-no-link)
endif()

# The programs of the tests and benchmarks are linked by gold, where it is there, in a quarter of the time, or by lld in
# two thirds of that.
include(CheckLinkerFlag)
check_linker_flag(C -fuse-ld=lld PHX_HAS_LLD)
check_linker_flag(C -fuse-ld=gold PHX_HAS_GOLD)
set(PHX_QUICK_LINK)
if(PHX_HAS_LLD AND NOT PHX_FUZZ)
    set(PHX_QUICK_LINK -fuse-ld=lld -Wl,--threads=1)
elseif(PHX_HAS_GOLD AND NOT PHX_FUZZ)
    set(PHX_QUICK_LINK -fuse-ld=gold)
endif()

# Where optimising takes longer than it saves: the tests, which compute little outside of the library and have as many
# lines, and with sanitizers (which make it six times as long) the kernels for registers of several numbers, which are
# large and run for moments, the program, and the layers that compute little.
set(PHX_TEST_FLAGS $<IF:$<CONFIG:Debug>,-O0,-O1>)
set(PHX_PLAIN_FLAGS)
set(PHX_UNOPTIMISED)
if(PHX_SANITIZE)
    set(PHX_PLAIN_FLAGS -O0)
    set(PHX_UNOPTIMISED file mesh model results study sensitivity optimize importer fmi fmu load control events linear cosim statespace)
endif()

# ---- the table of layers ----
# PHX_LAYERS: the layers, lowest first; PHX_KNOWS_<layer>: every layer below it.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/layers.txt)
file(STRINGS ${PROJECT_SOURCE_DIR}/src/layers.txt lines REGEX "^[a-z]+:")
foreach(line IN LISTS lines)
    string(REGEX MATCH "^([a-z]+):(.*)$" line "${line}")
    set(layer ${CMAKE_MATCH_1})
    separate_arguments(below UNIX_COMMAND "${CMAKE_MATCH_2}")
    set(PHX_KNOWS_${layer} ${below})
    foreach(other IN LISTS below)
        if(NOT other IN_LIST PHX_LAYERS)
            message(FATAL_ERROR "src/layers.txt: ${layer} knows ${other}, which does not stand above it in the table")
        endif()
        list(APPEND PHX_KNOWS_${layer} ${PHX_KNOWS_${other}})
    endforeach()
    list(REMOVE_DUPLICATES PHX_KNOWS_${layer})
    list(APPEND PHX_LAYERS ${layer})
endforeach()

# ---- what the functions below share ----
# Link `target` to layers and libraries.
function(phx_link target scope)
    foreach(name IN LISTS ARGN)
        if(name IN_LIST PHX_LAYERS)
            set(name phx_${name})
            if(NOT TARGET ${name})
                message(FATAL_ERROR "${target} needs ${name}, which is not built")
            endif()
        elseif(TARGET phx::${name})
            set(name phx::${name})
        endif()
        target_link_libraries(${target} ${scope} ${name})
    endforeach()
endfunction()

# How the sources of the tests, the fuzzers and the benchmarks are compiled: `flags` come last.
function(phx_compile_on_layers target layers libs flags)
    target_compile_options(${target} PRIVATE ${PHX_FLAGS} ${flags})
    target_compile_definitions(${target} PRIVATE PHX_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    phx_link(${target} PRIVATE ${layers} ${libs} m)
endfunction()

# A program of the tests, the fuzzers or the benchmarks on top of `layers`. The first source is the program's own,
# compiled with `flags`; the others, which several programs share, are compiled once and as the library is:
# tests/system/zoo.c by the target tests_system_zoo_c.
function(phx_add_on_layers target sources layers libs flags)
    list(POP_FRONT sources own)
    add_executable(${target} ${own})
    target_link_options(${target} PRIVATE ${PHX_QUICK_LINK})
    phx_compile_on_layers(${target} "${layers}" "${libs}" "${flags}")
    foreach(source IN LISTS sources)
        get_filename_component(source ${source} ABSOLUTE)
        file(RELATIVE_PATH shared ${PROJECT_SOURCE_DIR} ${source})
        string(MAKE_C_IDENTIFIER ${shared} shared)
        if(NOT TARGET ${shared})
            add_library(${shared} OBJECT ${source})
            phx_compile_on_layers(${shared} "${layers}" "${libs}" "")
        endif()
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${shared}>)
    endforeach()
endfunction()

# ---- what the directories call ----
function(phx_layer layer)
    cmake_parse_arguments(ARG "" "" "SOURCES;WITHOUT;DEPENDS;LIBS;LOADS" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/*.c)
    list(FILTER sources EXCLUDE REGEX "_avx[0-9]+\\.c$")
    list(REMOVE_ITEM sources "" ${ARG_WITHOUT})
    list(APPEND sources ${ARG_SOURCES})
    foreach(other IN LISTS ARG_DEPENDS)
        if(NOT other IN_LIST PHX_KNOWS_${layer})
            message(FATAL_ERROR "layer ${layer} must not know ${other}: see src/layers.txt")
        endif()
    endforeach()
    if(NOT sources) # nothing but headers
        add_library(phx_${layer} INTERFACE)
        target_include_directories(phx_${layer} INTERFACE ${PROJECT_SOURCE_DIR}/include)
        phx_link(phx_${layer} INTERFACE ${ARG_DEPENDS})
        return()
    endif()
    add_library(phx_${layer} STATIC ${sources})
    target_compile_options(phx_${layer} PRIVATE "$<$<COMPILE_LANGUAGE:C>:${PHX_FLAGS}>") # the page is assembled
    if(layer IN_LIST PHX_UNOPTIMISED)
        target_compile_options(phx_${layer} PRIVATE $<$<COMPILE_LANGUAGE:C>:${PHX_PLAIN_FLAGS}>)
    endif()
    target_include_directories(phx_${layer} PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/src)
    phx_link(phx_${layer} PUBLIC ${ARG_DEPENDS})
    phx_link(phx_${layer} PRIVATE ${ARG_LIBS})
    if(ARG_LOADS)
        phx_load(${layer} ${ARG_LOADS})
    endif()
    set_property(GLOBAL APPEND PROPERTY PHX_BUILT ${layer})
    set_property(GLOBAL APPEND PROPERTY PHX_LIBS ${ARG_LIBS})
endfunction()

# More sources of a layer: kernels compiled once more for processors with registers of four numbers (AVX2) or eight
# (AVX512), which the layer asks phx_cpu_has_avx2 or phx_cpu_has_avx512 for. The numbers are the same. They are told by
# PHX_FOR_AVX2 or PHX_FOR_AVX512: with PHX_NATIVE the compiler's own names are defined everywhere.
function(phx_layer_wide layer wide)
    if(PHX_${wide})
        target_sources(phx_${layer} PRIVATE ${ARGN})
        set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${PHX_${wide}_FLAGS};${PHX_PLAIN_FLAGS}"
            COMPILE_DEFINITIONS PHX_FOR_${wide})
        target_compile_definitions(phx_${layer} PRIVATE PHX_${wide})
    endif()
endfunction()

# The program: bin/phlexor.
function(phx_program)
    cmake_parse_arguments(ARG "" "" "WITHOUT;LIBS;LOADS" ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/*.c)
    list(REMOVE_ITEM sources "" ${ARG_WITHOUT})
    add_executable(phlexor_program ${sources})
    set_target_properties(phlexor_program PROPERTIES OUTPUT_NAME phlexor)
    target_compile_options(phlexor_program PRIVATE ${PHX_FLAGS} ${PHX_PLAIN_FLAGS})
    target_include_directories(phlexor_program PRIVATE ${PROJECT_SOURCE_DIR}/src)
    phx_link(phlexor_program PRIVATE phlexor_static ${ARG_LIBS} m)
    phx_see_loaded(phlexor_program PRIVATE ${ARG_LOADS})
    install(TARGETS phlexor_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endfunction()

# With PHX_LEAVE_COVERED the program of a test in tests/covered, or of one whose LABELS contain slow, is not built with
# all others.
function(phx_leave_covered name target)
    if(PHX_LEAVE_COVERED)
        file(STRINGS ${PROJECT_SOURCE_DIR}/tests/covered covered REGEX "^[^#]")
        if(name IN_LIST covered OR slow IN_LIST ARGN)
            set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
        endif()
    endif()
endfunction()

# A cmocka test, with what all tests share (tests/support). `src` is on its include path, so that "fe/shapes.h" is a
# private header of the layer fe. The program sees PHX_SOURCE_DIR (a string) and runs in the directory of the build.
function(phx_test name)
    cmake_parse_arguments(ARG "" "TIMEOUT;COST" "SOURCES;LAYERS;LIBS;LABELS" ${ARGN})
    phx_add_on_layers(test_${name} "${ARG_SOURCES}" "${ARG_LAYERS}" "phx_testing;${ARG_LIBS}" "${PHX_TEST_FLAGS}")
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 120)
    endif()
    if(NOT ARG_COST)
        set(ARG_COST 0)
    endif()
    phx_leave_covered(${name} test_${name} ${ARG_LABELS})
    add_test(NAME ${name} COMMAND test_${name})
    set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} COST ${ARG_COST}
        ENVIRONMENT "OPENBLAS_NUM_THREADS=1")
endfunction()

# A fuzzer: SOURCES define LLVMFuzzerTestOneInput. With PHX_FUZZ it is linked to libFuzzer, else it becomes a test that
# runs every file of corpus/<name> through it once.
function(phx_fuzz name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LAYERS;LIBS" ${ARGN})
    set(sources ${ARG_SOURCES})
    if(NOT PHX_FUZZ)
        list(APPEND sources ${PROJECT_SOURCE_DIR}/tests/fuzz/replay.c)
    endif()
    phx_add_on_layers(fuzz_${name} "${sources}" "${ARG_LAYERS}" "${ARG_LIBS}" "${PHX_TEST_FLAGS}")
    if(PHX_FUZZ)
        target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    else()
        add_test(NAME fuzz_${name}_corpus COMMAND fuzz_${name} ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name})
        set_tests_properties(fuzz_${name}_corpus PROPERTIES TIMEOUT 120 ENVIRONMENT "OPENBLAS_NUM_THREADS=1")
    endif()
endfunction()

# An example sees what a user sees: the public headers and the library. It is run as a test.
function(phx_example name)
    cmake_parse_arguments(ARG "" "" "SOURCES" ${ARGN})
    add_executable(example_${name} ${ARG_SOURCES})
    set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name}
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
    target_compile_options(example_${name} PRIVATE ${PHX_FLAGS})
    target_link_libraries(example_${name} PRIVATE phlexor_static m)
    if(BUILD_TESTING)
        add_test(NAME example_${name} COMMAND example_${name})
        set_tests_properties(example_${name} PROPERTIES TIMEOUT 120)
    endif()
endfunction()

# A benchmark, run by the target `bench`.
function(phx_bench name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LAYERS;LIBS" ${ARGN})
    phx_add_on_layers(bench_${name} "${ARG_SOURCES}" "${ARG_LAYERS}" "${ARG_LIBS}" "")
    set_target_properties(bench_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
    if(NOT TARGET bench)
        add_custom_target(bench)
    endif()
    add_custom_target(run_bench_${name} COMMAND ${CMAKE_COMMAND} -E env OPENBLAS_NUM_THREADS=1 $<TARGET_FILE:bench_${name}>
        WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/bench USES_TERMINAL)
    add_dependencies(bench run_bench_${name})
endfunction()

# ---- what the top level calls ----
macro(phx_add_layers)
    foreach(layer IN LISTS PHX_LAYERS)
        add_subdirectory(src/${layer})
    endforeach()
endmacro()

macro(phx_add_tests)
    file(GLOB directories CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*/CMakeLists.txt)
    foreach(directory IN LISTS directories)
        get_filename_component(directory ${directory} DIRECTORY)
        add_subdirectory(${directory})
    endforeach()
    add_test(NAME layers COMMAND ${PROJECT_SOURCE_DIR}/tools/check-layers)
endmacro()

# Writes the version script of the shared library: the functions that the public headers declare, each at the start of a
# line as .clang-format has them, and nothing else.
function(phx_write_exports map)
    file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/phlexor/*.h)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
    foreach(header IN LISTS headers)
        file(STRINGS ${header} lines REGEX "^[a-z].*[ *]phx_[A-Za-z0-9_]+\\(")
        foreach(line IN LISTS lines)
            if(NOT line MATCHES "^(static|typedef) ")
                string(REGEX MATCH "(phx_[A-Za-z0-9_]+)\\(" match "${line}")
                string(APPEND names " ${CMAKE_MATCH_1};")
            endif()
        endforeach()
    endforeach()
    file(CONFIGURE OUTPUT ${map} CONTENT "{\n    global:${names}\n    local: *;\n};\n" @ONLY)
endfunction()

# The layers folded into one libphlexor. Targets phlexor_static and phlexor_shared; Phlexor::static and Phlexor::shared
# in the installed package.
function(phx_add_library)
    get_property(layers GLOBAL PROPERTY PHX_BUILT)
    get_property(libs GLOBAL PROPERTY PHX_LIBS)
    list(REMOVE_DUPLICATES libs)
    foreach(layer IN LISTS layers)
        list(APPEND objects $<TARGET_OBJECTS:phx_${layer}>)
    endforeach()
    foreach(kind IN ITEMS static shared)
        string(TOUPPER ${kind} type)
        add_library(phlexor_${kind} ${type} ${objects})
        set_target_properties(phlexor_${kind} PROPERTIES OUTPUT_NAME phlexor EXPORT_NAME ${kind})
        target_include_directories(phlexor_${kind} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
        phx_link(phlexor_${kind} PRIVATE ${libs} m)
    endforeach()
    set(map ${PROJECT_BINARY_DIR}/libphlexor.map)
    phx_write_exports(${map})
    set_target_properties(phlexor_shared PROPERTIES VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINK_DEPENDS ${map})
    target_link_options(phlexor_shared PRIVATE -Wl,--version-script=${map})
    if(NOT PHX_SANITIZE) # the sanitizers' own names stay open in a shared library
        target_link_options(phlexor_shared PRIVATE -Wl,-z,defs)
    endif()
endfunction()
