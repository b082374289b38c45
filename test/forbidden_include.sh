#!/bin/sh
# COMPILER PERMITTED FORBIDDEN FLAG...: with these flags the one header compiles and the other is not found.
compiler=$1 permitted=$2 forbidden=$3
shift 3

includes() { # HEADER FLAG...: what the compiler says of a file that includes the header
    header=$1
    shift
    printf '#include "%s"\nextern int none;\n' "$header" | LC_ALL=C "$compiler" "$@" -fsyntax-only -x c - 2>&1
}

includes "$permitted" "$@" || { echo "$permitted does not compile" >&2; exit 1; }
if said=$(includes "$forbidden" "$@"); then
    echo "$forbidden compiles, though the layer must not see it" >&2
    exit 1
fi
case $said in
*"$forbidden"*[Nn]o\ such\ file* | *"$forbidden"*not\ found*) ;;
*) echo "$said" >&2; exit 1 ;;
esac
