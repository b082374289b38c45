#!/bin/sh
# Installs a build into a temporary prefix, then builds and runs a small program against it as strangers would: through
# find_package(knell) and through pkg-config. Usage: run.sh BUILD CC [SANITIZERS]; status 77: skipped.
set -eu
build=$1 cc=$2 sanitize=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
flags=${sanitize:+-fsanitize=$sanitize}

cmake --install "$build" --prefix "$prefix" >/dev/null
for file in bin/knell share/man/man1/knell.1 share/man/man1/knell-fail.1 include/knell/wire.h \
    share/doc/knell/scenarios.md share/doc/knell/examples/fail/figure-4-5a.fail share/vim/vimfiles/syntax/fail.vim \
    share/vim/vimfiles/ftdetect/fail.vim share/nano/fail.nanorc; do
    [ -e "$prefix/$file" ] || { echo "$file was not installed" >&2; exit 1; }
done
if grep -rlIF -e "$here" -e "$build" "$prefix" | grep .; then
    echo "these installed files point back to where they were built" >&2
    exit 1
fi

# Moved after the installation: nothing in it may remember the first place.
mv "$prefix" "$scratch/moved"
prefix=$scratch/moved

cmake -S "$here" -B "$scratch/cmake" -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$flags" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$scratch/cmake" >/dev/null
"$scratch/cmake/consumer"
"$scratch/cmake/consumer-fail"
echo "find_package: ok"

if ! command -v pkg-config >/dev/null 2>&1; then
    echo "pkg-config: skipped, the program is missing (tools/setup test installs it)"
    exit 77
fi
pc=$(dirname "$(find "$prefix" -name knell-core.pc)")
# shellcheck disable=SC2046,SC2086 # flags are words
PKG_CONFIG_PATH=$pc && export PKG_CONFIG_PATH
$cc $flags -Wall -Wextra -std=c11 "$here/main.c" -o "$scratch/consumer" $(pkg-config --cflags --libs knell-core)
"$scratch/consumer"
# shellcheck disable=SC2046,SC2086
$cc $flags -Wall -Wextra -std=c11 "$here/fail.c" -o "$scratch/consumer-fail" $(pkg-config --cflags --libs knell-fail)
"$scratch/consumer-fail"
echo "pkg-config: ok"
