#!/bin/sh
# The documentation says what is true: every console block is run and each line it shows is in the real output (times a
# machine took, at the end of a line, may differ); every C block of the README is in the example it is taken from; every
# relative link leads somewhere; every option that a help lists is in a manual; a paragraph below <!-- also in FILE --> is in that file word by word, so that its numbers are; every
# invariant cited in the sources is defined. Usage: check.sh KNELL SOURCE_DIR
set -eu
knell=$1
src=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin"
ln -s "$knell" "$dir/bin/knell"
PATH=$dir/bin:$PATH
cd "$src"
failed=0
commands=0
quoted=0

wrong() {
    echo "$*"
    failed=1
}

# A shown line, with the time at its end taken out.
plain() {
    sed -E 's/, [0-9.]+ s$/, _ s/; s/[[:space:]]+$//' "$1"
}

for doc in README.md docs/*.md; do
    awk -v dir="$dir" '
        /^```console$/ { inside = 1; next }
        /^```c$/ { inside = 2; n++; next }
        /^```$/ { inside = 0; next }
        inside == 1 && /^\$ / { n++; print substr($0, 3) >sprintf("%s/%03d.command", dir, n); next }
        inside == 1 && n { print >sprintf("%s/%03d.shown", dir, n) }
        inside == 2 { print >sprintf("%s/%03d.c", dir, n) }
    ' "$doc"
    for command in "$dir"/*.command; do
        [ -e "$command" ] || continue
        name=${command%.command}
        commands=$((commands + 1))
        sh "$command" >"$name.raw" 2>&1 || wrong "$doc: fails: $(cat "$command")"
        plain "$name.raw" >"$name.real"
        [ ! -e "$name.shown" ] || plain "$name.shown" | grep -v -e '^$' -e '^\.\.\.$' >"$name.lines" || true
        if [ -s "$name.lines" ] && grep -n -v -x -F -f "$name.real" "$name.lines" >"$name.missing"; then
            wrong "$doc: \`$(cat "$command")\` does not print:"
            cat "$name.missing"
        fi
    done
    for block in "$dir"/*.c; do
        [ -e "$block" ] || continue
        grep -n -v -x -F -f examples/core/two_nodes.c "$block" && wrong "$doc: lines that are not in examples/core/two_nodes.c"
    done
    grep -o '](\([^)#]*\)' "$doc" | sed 's/^](//' | grep -v -e '^http' -e '^$' | sort -u >"$dir/links" || true
    while read -r link; do
        [ -e "$(dirname "$doc")/$link" ] || wrong "$doc: no such file: $link"
    done <"$dir/links"
    rm -f "$dir"/[0-9]*
done

# commands WORDS...: those below
commands() {
    knell "$@" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\)  .*/\1/p'
}

# in_manual COMMAND...: its options, or those of the commands below
in_manual() {
    for below in $(commands "$@"); do in_manual "$@" "$below"; done
    for option in $(knell "$@" --help | sed -n '/^Options:/,/^$/s/^  \(--[a-z-]*\).*/\1/p'); do
        grep -qE -e "$option([^a-z-]|\$)" "$dir/manual" || wrong "no manual has knell $* $option"
    done
}
sed 's/\\-/-/g; s/\\f.//g' docs/man/*.1 >"$dir/manual"
in_manual

# one_line FILE: without breaks
one_line() {
    tr '\n' ' ' <"$1" | tr -s ' '
}

for doc in README.md docs/*.md; do
    awk -v dir="$dir" '
        /^<!-- also in .* -->$/ { n++; print $4 >sprintf("%s/%03d.also", dir, n); inside = 1; next }
        inside && NF { print >sprintf("%s/%03d.paragraph", dir, n) }
        !NF { inside = 0 }
    ' "$doc"
    for also in "$dir"/*.also; do
        [ -e "$also" ] || continue
        one_line "$(cat "$also")" | grep -qF -e "$(one_line "${also%.also}.paragraph" | sed 's/ $//')" ||
            wrong "$doc: $(cat "$also") does not say: $(one_line "${also%.also}.paragraph")"
        quoted=$((quoted + 1))
    done
    rm -f "$dir"/[0-9]*
done

grep -rhoE --include='*.[ch]' '\bI[1-9][0-9]?\b' src test include | sort -u >"$dir/cited" || true
while read -r invariant; do
    grep -q "^\*\*$invariant " docs/protocol.md || wrong "$invariant is cited, and docs/protocol.md does not define it"
done <"$dir/cited"
echo "$commands commands, $quoted paragraphs with numbers"
[ "$commands" -gt 0 ] && [ "$quoted" -gt 0 ] && [ "$failed" -eq 0 ]
