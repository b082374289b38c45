#!/bin/sh
# SOURCE DECLARED: who includes whom in SOURCE/src, held against DECLARED, which CMake writes out of the USES lines:
#     layer: layers it may include          layer/room: rooms and layers it may include
# Fails on an include of a layer or room that is not declared, on ".." in an include, on a folder of src/mpi that is no declared room,
# and on a cycle: between files of src/core (x.c and x.h are one), between rooms of a layer, between layers.
set -eu
declared=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cd "$1"
find src -name '*.[ch]' | LC_ALL=C sort | xargs grep -n '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' | awk -v declared="$declared" '
function complain(text) { print text; bad++ }

# The room in which a path of src lies, or its layer if the folder is no room of it.
function unit(path,   part, parts) {
    parts = split(path, part, "/")
    return parts > 2 && (part[1] "/" part[2]) in row ? part[1] "/" part[2] : part[1]
}
function layer_of(name) { sub(/\/.*/, "", name); return name }
function may(from, to) { return index(" " row[from] " ", " " to " ") > 0 }
function permitted(from, to) {
    return from == to || may(from, to) || layer_of(to) == from # what lies beside the rooms is above them
}

function edge(kind, from, to, where) {
    if (from == to || (kind, from, to) in because) return
    because[kind, from, to] = where
    next_of[kind, from] = next_of[kind, from] " " to
    if (!((kind, from) in seen)) { seen[kind, from] = 1; nodes[kind] = nodes[kind] " " from }
}

# Depth first; what is on the way is grey. Prints each cycle once, with the includes that make it.
function visit(kind, name,   list, count, i) {
    grey[name] = 1
    way[++depth] = name
    count = split(next_of[kind, name], list, " ")
    for (i = 1; i <= count; i++)
        if (grey[list[i]]) tell_cycle(kind, list[i])
        else if (!(list[i] in black)) visit(kind, list[i])
    depth--
    grey[name] = 0
    black[name] = 1
}
function tell_cycle(kind, first,   i, at, text) {
    for (at = depth; way[at] != first; at--) continue
    for (i = at; i <= depth; i++) text = text way[i] " needs "
    complain("a cycle between " kind ": " text first)
    for (i = at; i <= depth; i++) print "    " because[kind, way[i], i < depth ? way[i + 1] : first]
}
function look_for_cycles(kind,   list, count, i) {
    split("", black); split("", grey); depth = 0
    count = split(nodes[kind], list, " ")
    for (i = 1; i <= count; i++) if (!(list[i] in black)) visit(kind, list[i])
}

BEGIN {
    while ((getline line < declared) > 0) {
        name = line; sub(/:.*/, "", name); sub(/^[^:]*: */, "", line)
        row[name] = line
        if (name ~ /\//) has_rooms[layer_of(name)] = 1
        declarations++
    }
    if (!declarations) complain("no layer is declared in " declared)
}
{
    file = $0; sub(/:.*/, "", file)
    header = $0; sub(/^[^"]*"/, "", header); sub(/".*/, "", header)
    where = file " includes \"" header "\""
    path = file; sub(/^src\//, "", path)
    from = unit(path); layer = layer_of(from)
    includes++
    if (!(layer in row)) { complain(file ": src/" layer " is no declared layer"); next }
    if (layer == "mpi" && from == "mpi" && path ~ /^mpi\/[^\/]*\// && path !~ /^mpi\/gen\// && !told[path]++)
        complain(file " lies in no declared room of src/mpi")
    if (header ~ /(^|\/)\.\.(\/|$)/) { complain(where ": \"..\" leads around the layers"); next }
    if (header !~ /\//) next # beside it, or made when building
    to = unit(header)
    if (layer_of(to) != layer) to = layer_of(to)
    if (!(layer_of(to) in row)) { complain(where ": there is no layer " layer_of(to)); next }
    if (!permitted(from, to)) complain(where ": " from " may not use " to)
    edge("layers", layer, layer_of(to), where)
    if (layer_of(to) == layer && layer in has_rooms) edge("rooms of src/" layer, from, to, where)
    if (layer == "core" && layer_of(to) == "core") {
        a = path; sub(/\.[ch]$/, "", a); sub(/^core\//, "", a)
        b = header; sub(/\.[ch]$/, "", b); sub(/^core\//, "", b)
        edge("files of src/core", a, b, where)
    }
}
END {
    look_for_cycles("layers")
    for (layer in has_rooms) look_for_cycles("rooms of src/" layer)
    look_for_cycles("files of src/core")
    if (bad) { print bad " faults; the order is what the USES lines of src/*/CMakeLists.txt say"; exit 1 }
    print includes " includes, none against the order"
}'
