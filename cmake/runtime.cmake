# What is linked into the programs that `linchpin test` makes: src/runtime and what it needs of the
# library, as one object. It is never sanitized (the code under test is watched by the runtime
# itself), not position-independent (test programs are at fixed addresses), and shows nothing but
# what compilers call and what stands for functions of libraries. Its variables are in sections of
# their own, so that all others are known to be the user's (src/runtime/globals.h), and so is its
# code, by which its frames are known (src/runtime/stacks.h).
set(runtime_folder ${PROJECT_BINARY_DIR}/lib/linchpin)
file(GLOB runtime_sources CONFIGURE_DEPENDS src/runtime/*.c)
set(runtime_library_sources)
foreach(room base value spec history monitor search lang code lin scenario)
  file(GLOB sources CONFIGURE_DEPENDS src/${room}/*.c)
  list(APPEND runtime_library_sources ${sources})
endforeach()
# Test programs are linked where the libraries that it needs may be missing: src/runtime/codecs.c
list(FILTER runtime_library_sources EXCLUDE REGEX "/base/codec\\.c$")

add_library(linchpin_runtime_objects OBJECT ${runtime_sources})
add_library(linchpin_runtime_library STATIC ${runtime_library_sources})
foreach(target linchpin_runtime_objects linchpin_runtime_library)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_include_directories(${target} PRIVATE src include)
  target_link_libraries(${target} PRIVATE linchpin_plain_options PkgConfig::YAJL
                        PkgConfig::XXHASH PkgConfig::EXPAT PkgConfig::UTF8PROC)
  target_compile_definitions(${target} PRIVATE LINCHPIN_ONE_THREAD)
  target_compile_options(${target} PRIVATE -O3 -fno-pie -fno-stack-protector -fcf-protection=none)
endforeach()
# Exceptions of the code under test pass through it; fibers are switched where it says so
# (src/runtime/fiber.h).
target_compile_options(linchpin_runtime_objects PRIVATE -fno-omit-frame-pointer -fexceptions
                       -mno-red-zone)

set(runtime ${runtime_folder}/runtime.o)
set(runtime_header ${runtime_folder}/include/linchpin/test.h)
add_custom_command(OUTPUT ${runtime} ${runtime_header}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${runtime_folder}/include/linchpin
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/include/linchpin/test.h ${runtime_header}
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/src/runtime/instrumented.h ${runtime_folder}
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${PROJECT_SOURCE_DIR}/src/runtime/include
            ${runtime_folder}/include
    COMMAND ${CMAKE_LINKER} -r -o ${runtime} $<TARGET_OBJECTS:linchpin_runtime_objects>
            $<TARGET_FILE:linchpin_runtime_library>
    COMMAND ${CMAKE_OBJCOPY} --strip-debug --wildcard --keep-global-symbol=__tsan_*
            --keep-global-symbol=linchpin_bound_* --keep-global-symbol=main
            --keep-global-symbol=_Zn[wa]m* --keep-global-symbol=_Zd[la]Pv*
            --keep-global-symbol=__cxa_allocate_* --keep-global-symbol=__cxa_free_*
            --rename-section .data=linchpin_data --rename-section .bss=linchpin_bss,alloc
            --rename-section .text=linchpin_text --rename-section .text.unlikely=linchpin_text
            --rename-section .text.hot=linchpin_text ${runtime}
    # by which a program that was linked with it is known (src/scenario/inspection.h)
    COMMAND ${CMAKE_COMMAND} -E chdir ${runtime_folder} ${CMAKE_COMMAND} -E sha256sum runtime.o
            > ${PROJECT_BINARY_DIR}/runtime.sum
    COMMAND ${CMAKE_OBJCOPY} --add-section linchpin_runtime=${PROJECT_BINARY_DIR}/runtime.sum
            ${runtime}
    DEPENDS linchpin_runtime_objects $<TARGET_OBJECTS:linchpin_runtime_objects>
            linchpin_runtime_library include/linchpin/test.h src/runtime/instrumented.h
            src/runtime/include/condition_variable
    COMMENT "Joining ${runtime}" COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(linchpin_runtime ALL DEPENDS ${runtime})

# The same for `linchpin stress`: src/stress, which needs nothing of the library, and of src/runtime
# how tests are described.
file(GLOB stress_sources CONFIGURE_DEPENDS src/stress/*.c src/runtime/describe.c)
add_library(linchpin_stress_objects OBJECT ${stress_sources})
set_target_properties(linchpin_stress_objects PROPERTIES POSITION_INDEPENDENT_CODE OFF)
target_include_directories(linchpin_stress_objects PRIVATE src include)
target_link_libraries(linchpin_stress_objects PRIVATE linchpin_plain_options)
target_compile_options(linchpin_stress_objects PRIVATE -O2 -fno-pie)
set(stress ${runtime_folder}/stress.o)
add_custom_command(OUTPUT ${stress}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${runtime_folder}
    COMMAND ${CMAKE_LINKER} -r -o ${stress} $<TARGET_OBJECTS:linchpin_stress_objects>
    COMMAND ${CMAKE_OBJCOPY} --strip-debug --wildcard --keep-global-symbol=__tsan_*
            --keep-global-symbol=main ${stress}
    DEPENDS linchpin_stress_objects $<TARGET_OBJECTS:linchpin_stress_objects>
    COMMENT "Joining ${stress}" COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(linchpin_stress ALL DEPENDS ${stress})
# What programs without tests that `linchpin cc` makes are linked with: the same callbacks, which
# never give way.
set(plain ${runtime_folder}/plain.o)
add_library(linchpin_plain_objects OBJECT src/stress/callbacks.c)
set_target_properties(linchpin_plain_objects PROPERTIES POSITION_INDEPENDENT_CODE OFF)
target_include_directories(linchpin_plain_objects PRIVATE src include)
target_link_libraries(linchpin_plain_objects PRIVATE linchpin_plain_options)
target_compile_options(linchpin_plain_objects PRIVATE -O2 -fno-pie)
add_custom_command(OUTPUT ${plain}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${runtime_folder}
    COMMAND ${CMAKE_OBJCOPY} --strip-debug --wildcard --keep-global-symbol=__tsan_*
            $<TARGET_OBJECTS:linchpin_plain_objects> ${plain}
    DEPENDS linchpin_plain_objects $<TARGET_OBJECTS:linchpin_plain_objects>
    COMMENT "Making ${plain}" COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(linchpin_plain ALL DEPENDS ${plain})

# The program finds them beside itself, so they are built with it. Those of its tests that run under
# the thread sanitizer test no C code, so that they are not built a third time for them.
if(NOT LINCHPIN_SANITIZE STREQUAL "thread")
  add_dependencies(linchpin linchpin_runtime linchpin_stress linchpin_plain)
endif()
