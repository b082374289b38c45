// The same program as C++: the headers are good for both.
#include "runtime.c"
