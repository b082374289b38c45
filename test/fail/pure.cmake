# FAIL is pure: it may call memory, string and formatting functions, the generator of util, and nothing that reads a clock,
# allocates or touches a file. Run as: cmake -DNM=... -DLIBRARY=... -P pure.cmake
execute_process(COMMAND ${NM} -u ${LIBRARY} OUTPUT_VARIABLE symbols RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "nm failed on ${LIBRARY}")
endif()
string(REGEX MATCHALL "U [^\n]+" symbols "${symbols}")
list(REMOVE_DUPLICATES symbols)
foreach(symbol IN LISTS symbols)
  string(REGEX REPLACE "U " "" symbol "${symbol}")
  if(NOT symbol MATCHES "^(knell_|_?_?mem|__[a-z]*mem|str|__strcat_chk|v?snprintf|__v?snprintf_chk|__assert_fail|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|__asan|__ubsan|__tsan|__[a-z]*ti[0-9]$)")
    message(FATAL_ERROR "FAIL uses ${symbol}: it must stay pure")
  endif()
endforeach()
