#!/bin/sh
# The core is pure: linked whole with util it asks for nothing but mem*, __assert_fail and what the compiler itself puts in.
#   purity.sh CORE.a UTIL.a [SANITIZERS]
set -eu
if [ -n "${3:-}" ]; then
    echo "skipped: a sanitizer build calls its run time"
    exit 77
fi
if nm -u "$1" | grep -q ' __gcov_'; then
    echo "skipped: the counters of the preset coverage are variables"
    exit 77
fi
whole=$(mktemp)
trap 'rm -f "$whole"' EXIT
ld -r -o "$whole" --whole-archive "$1" "$2"
objcopy --wildcard --remove-section='.gnu.*lto*' "$whole" # nm would read the link-time code instead, and leave builtins out

needed=$(nm -u "$whole" | awk '{ print $NF }' | sort -u)
allowed='^(memcpy|memmove|memset|memcmp|__assert_fail|__stack_chk_fail|__(memcpy|memmove|memset)_chk|_GLOBAL_OFFSET_TABLE_)$'
foreign=$(printf '%s\n' "$needed" | grep -Ev "$allowed" || true)
if [ -n "$foreign" ]; then
    printf 'the core needs symbols it must not:\n%s\n' "$foreign"
    exit 1
fi

# No state of its own either: nothing writable but what the linker relocates.
state=$(nm "$whole" | awk '$2 ~ /^[bBdDcC]$/ { print $3 }' | grep -v '\.rel\.ro' || true)
if [ -n "$state" ]; then
    printf 'the core has variables:\n%s\n' "$state"
    exit 1
fi

# A proof that proves nothing is worse than none: the core is really in there.
nm "$whole" | grep -q ' T knell_node_step$'
printf '%s\n' "$needed" | grep -q '^memcpy$'
printf 'needs only: %s\n' "$(printf '%s' "$needed" | tr '\n' ' ')"
