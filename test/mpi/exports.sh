#!/bin/sh
# The preloaded library exports MPI's names, ours, Fortran's, and those of other libraries that it stands before; nothing else: a program's
# own function of the same name would be called instead of ours, or ours instead of it. Usage: exports.sh LIBRARY
set -eu
nm -D --defined-only "$1" | awk '
{ name = $NF; sub(/@.*/, "", name) }
name ~ /^P?MPIX?_[A-Z]/ || name ~ /^p?mpix?_[a-z_]+_$/ || name ~ /^knell_[a-z]/ { seen++; next }
name == "process_vm_writev" || name ~ /^(epoll_wait|mca_btl_base_err|readv|writev)$/ || name ~ /^ucp_(disconnect_nb|ep_create|tag_[a-z_]+_nbx)$/ { next }
name ~ /^__(start|stop)_knell_calls$/ { next }
{ print "exported, and nobody needs it: " name; bad = 1 }
END { if (seen < 100) { print "only " seen + 0 " names are exported"; bad = 1 } exit bad }'
