# Completions of shells, which the program writes from the tables of its commands and options.
set(completions_folder ${PROJECT_BINARY_DIR}/completions)
foreach(shell bash zsh fish)
  set(completion ${completions_folder}/linchpin.${shell})
  add_custom_command(OUTPUT ${completion}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${completions_folder}
      COMMAND linchpin completions ${shell} > ${completion}
      DEPENDS linchpin VERBATIM)
  list(APPEND completions ${completion})
endforeach()
add_custom_target(linchpin_completions ALL DEPENDS ${completions})
