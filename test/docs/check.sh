#!/bin/sh
# The documentation says what is true:
# - every console block is run, and each line it shows is in the real output (times at the end of a line may differ)
# - every C block below <!-- from FILE --> is in that file, line by line
# - a paragraph below <!-- also in FILE --> is in that file word by word, so that its numbers are
# - every relative link leads to a file, and to a heading of it; every path of docs/ that a file of the tree names exists
# - every option that a help lists is in a manual; every invariant cited in the sources is defined
# - no line is longer than 120 characters; rows of tables, which cannot be broken, have at most 180
# Usage: check.sh KNELL SOURCE_DIR
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
docs=$(find README.md CONTRIBUTING.md CHANGELOG.md docs examples test -name '*.md' | sort)

wrong() {
    echo "$*"
    failed=1
}

# A shown line, with the time at its end taken out.
plain() {
    sed -E 's/, [0-9.]+ s$/, _ s/; s/[[:space:]]+$//' "$1"
}

# one_line FILE: without breaks
one_line() {
    tr '\n' ' ' <"$1" | tr -s ' '
}

# headings FILE: as the ends of links to them
headings() {
    sed -n '/^```/,/^```$/!s/^##* //p' "$1" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-'
}

# blocks FILE: its console and C blocks and its marked paragraphs, into files of $dir
blocks() {
    awk -v dir="$dir" '
        /^<!-- from .* -->$/ { from = $3; next }
        /^<!-- also in .* -->$/ { n++; print $4 >sprintf("%s/%03d.also", dir, n); paragraph = 1; next }
        /^```console$/ { inside = 1; next }
        /^```c$/ { inside = 2; n++; print from >sprintf("%s/%03d.from", dir, n); from = ""; next }
        /^```$/ { inside = 0; next }
        inside == 1 && /^\$ / { n++; print substr($0, 3) >sprintf("%s/%03d.command", dir, n); next }
        inside == 1 && n { print >sprintf("%s/%03d.shown", dir, n) }
        inside == 2 { print >sprintf("%s/%03d.c", dir, n) }
        paragraph && NF { print >sprintf("%s/%03d.paragraph", dir, n) }
        !NF { paragraph = 0 }
    ' "$1"
}

# check_console DOC COMMAND_FILE
check_console() {
    name=${2%.command}
    commands=$((commands + 1))
    sh "$2" >"$name.raw" 2>&1 || wrong "$1: fails: $(cat "$2")"
    plain "$name.raw" >"$name.real"
    [ ! -e "$name.shown" ] || plain "$name.shown" | grep -v -e '^$' -e '^\.\.\.$' >"$name.lines" || true
    if [ -s "$name.lines" ] && grep -n -v -x -F -f "$name.real" "$name.lines" >"$name.missing"; then
        wrong "$1: \`$(cat "$2")\` does not print:"
        cat "$name.missing"
    fi
}

# check_code DOC FROM_FILE
check_code() {
    file=$(cat "$2")
    if [ ! -e "$file" ]; then
        wrong "$1: a C block without <!-- from FILE --> above it"
    elif grep -n -v -x -F -f "$file" "${2%.from}.c"; then
        wrong "$1: lines that are not in $file"
    fi
}

# check_also DOC ALSO_FILE
check_also() {
    paragraph=${2%.also}.paragraph
    quoted=$((quoted + 1))
    one_line "$(cat "$2")" | grep -qF -e "$(one_line "$paragraph" | sed 's/ $//')" ||
        wrong "$1: $(cat "$2") does not say: $(one_line "$paragraph")"
}

# check_links DOC
check_links() {
    sed '/^```/,/^```$/d' "$1" | grep -o '\]([^)]*)' | sed 's/^](//; s/)$//' | grep -v '^http' | sort -u >"$dir/links" || true
    while read -r link; do
        file=${link%%#*} heading=${link#*#}
        target=$1
        [ -z "$file" ] || target=$(dirname "$1")/$file
        if [ ! -e "$target" ]; then
            wrong "$1: no such file: $link"
        elif [ "$heading" != "$link" ] && ! headings "$target" | grep -qxF -e "$heading"; then
            wrong "$1: no such heading: $link"
        fi
    done <"$dir/links"
}

for doc in $docs; do
    blocks "$doc"
    for part in "$dir"/[0-9]*; do
        case $part in
        *.command) check_console "$doc" "$part" ;;
        *.from) check_code "$doc" "$part" ;;
        *.also) check_also "$doc" "$part" ;;
        esac
    done
    rm -f "$dir"/[0-9]*
    check_links "$doc"
done

# shellcheck disable=SC2086 # words
LC_ALL=C.UTF-8 grep -nE -e '^[^|].{120,}' -e '^[|].{180,}' $docs docs/man/*.1 >"$dir/long" || true
[ ! -s "$dir/long" ] || wrong "longer than 120 characters, or 180 in a table: $(cut -c1-100 "$dir/long")"

# shellcheck disable=SC2046 # words
grep -rhoIE 'docs/[a-z_/-]+\.(md|svg|1)' $(ls -d src test include tools cmake bench examples editors) CMakeLists.txt Makefile \
    docs ./*.md | sort -u >"$dir/named"
while read -r name; do
    [ -e "$name" ] || wrong "$name is named in the tree and does not exist: $(grep -rlIF -e "$name" src test include tools cmake \
        bench examples editors docs ./*.md CMakeLists.txt Makefile | tr '\n' ' ')"
done <"$dir/named"

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

grep -rhoE --include='*.[ch]' '\bI[1-9][0-9]?\b' src test include | sort -u >"$dir/cited" || true
while read -r invariant; do
    grep -q "^\*\*$invariant " docs/design/protocol.md || wrong "$invariant is cited, and docs/design/protocol.md does not define it"
done <"$dir/cited"
echo "$commands commands, $quoted paragraphs with numbers"
[ "$commands" -gt 0 ] && [ "$quoted" -gt 0 ] && [ "$failed" -eq 0 ]
