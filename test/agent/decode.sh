#!/bin/sh
# DECODE FILE...: every instruction of these files has the length that objdump gives it. What objdump cannot read is left out, and
# its pairs of fwait and another.
set -eu
decode=$1
shift
command -v objdump >/dev/null || exit 77
for file; do
    objdump -dw --insn-width=15 "$file"
done | awk -F'\t' 'NF >= 3 && $2 !~ /^9b .. / && $3 !~ /bad|^\./ { print $2 }' | sort -u | "$decode"
