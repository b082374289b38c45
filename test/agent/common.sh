# Sourced by the tests of the agent, with KNELL and TARGET as the first two arguments.
knell=$1 target=$2
scratch=$(mktemp -d) || exit 1
agent=
KNELL_AGENT=$scratch/socket
export KNELL_AGENT
bad=0

finish() {
    [ -z "$agent" ] || kill -KILL "$agent" 2>/dev/null
    rm -rf "$scratch"
}
trap finish EXIT

wrong() {
    echo "$*"
    bad=$((bad + 1))
}

# TEXT WHAT: it is in what was written.
has() {
    grep -q -- "$1" "$scratch/$2" || {
        wrong "$2 lacks: $1"
        cat "$scratch/$2"
    }
}

# Waits, for ten seconds at most, until the command succeeds.
until_true() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ $tries -lt 200 ] || return 1
        sleep 0.05
    done
}

# State and tracer of a process: "S 0".
state() {
    sed -n 's/^State:[[:space:]]*\(.\).*/\1/p; s/^TracerPid:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null | tr '\n' ' '
}

# PID STATE
is_state() {
    [ "$(state "$1")" = "$2" ]
}
