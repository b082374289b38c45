#!/bin/sh
# Installs a build into a temporary prefix, then builds and runs small programs against it as strangers would: through
# find_package(knell) and through pkg-config, in C and in C++. Usage: run.sh BUILD CC [SANITIZERS]; status 77: skipped.
set -eu
build=$1 cc=$2 sanitize=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
flags=${sanitize:+-fsanitize=$sanitize}
grep -q -- --coverage "$build/CMakeCache.txt" && sanitize=coverage flags=--coverage
case $cc in
*clang*) cxx=clang++ ;;
*) cxx=c++ ;;
esac

cmake --install "$build" --prefix "$prefix" >/dev/null
for file in bin/knell share/man/man1/knell.1 share/man/man1/knell-fail.1 include/knell/wire.h include/knell/runtime.h \
    share/doc/knell/scenarios.md share/doc/knell/examples/fail/figure-4-5a.fail share/vim/vimfiles/syntax/fail.vim \
    share/vim/vimfiles/ftdetect/fail.vim share/nano/fail.nanorc share/bash-completion/completions/knell share/zsh/site-functions/_knell; do
    [ -e "$prefix/$file" ] || { echo "$file was not installed" >&2; exit 1; }
done
if grep -rlIF -e "$here" -e "$build" "$prefix" | grep .; then
    echo "these installed files point back to where they were built" >&2
    exit 1
fi

# Moved after the installation: nothing in it may remember the first place.
mv "$prefix" "$scratch/moved"
prefix=$scratch/moved
pc=$(dirname "$(find "$prefix" -name knell-core.pc)")
libdir=$(dirname "$pc")

[ -n "$sanitize" ] || "$here/symbols.sh" "$libdir/libknell.so" "$prefix/include"

# detects PROGRAM: two processes, one dies, the other is told
detects() {
    timeout 60 "$1" "$scratch/meeting" >"$scratch/said" || { echo "$1 failed: $(cat "$scratch/said")" >&2; exit 1; }
    grep -q '^rank 1 is dead' "$scratch/said"
    [ ! -e "$scratch/meeting" ]
}

cmake -S "$here" -B "$scratch/cmake" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_C_FLAGS="$flags" \
    -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$scratch/cmake" >/dev/null
"$scratch/cmake/consumer"
"$scratch/cmake/consumer-fail"
detects "$scratch/cmake/consumer-runtime"
detects "$scratch/cmake/consumer-runtime-cxx"
detects "$scratch/cmake/consumer-runtime-static"
echo "find_package: ok"

if ! command -v pkg-config >/dev/null 2>&1; then
    echo "pkg-config: skipped, the program is missing (tools/setup test installs it)"
    exit 77
fi
export PKG_CONFIG_PATH="$pc" LD_LIBRARY_PATH="$libdir"

# build COMPILER STANDARD SOURCE PACKAGE PROGRAM
build() {
    # shellcheck disable=SC2046,SC2086 # flags are words
    $1 $flags -Wall -Wextra -std=$2 -D_GNU_SOURCE "$here/$3" -o "$scratch/$5" $(pkg-config --cflags --libs $4)
}
build "$cc" c11 main.c knell-core consumer
"$scratch/consumer"
build "$cc" c11 fail.c knell-fail consumer-fail
"$scratch/consumer-fail"
build "$cc" c11 runtime.c knell consumer-runtime
detects "$scratch/consumer-runtime"
build "$cxx" c++17 runtime.cpp knell consumer-runtime-cxx
detects "$scratch/consumer-runtime-cxx"
echo "pkg-config: ok"
