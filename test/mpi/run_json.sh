#!/bin/sh
# `knell run` for programs that read it: --json and --log, with deaths and without, after a time limit and ctrl-C; and how a program is named
# without "--". Usage: run_json.sh KNELL MPI APP MODE
. "$(dirname "$0")/run_lib.sh"

# run STATUS words...: `knell run` with these words ends with this status and leaves nothing
run() {
    wanted=$1
    shift
    knell_run --mode "$mode" "$@"
    ended_with "$wanted"
    nothing_left
}

# holds EXPRESSION: of the object `j` on standard output, or of `log`, the lines of the log
holds() {
    python3 - "$1" "$scratch/out" "$scratch/log" <<'END' 2>"$scratch/why"
import json, os, sys
j = json.load(open(sys.argv[2])) if os.path.getsize(sys.argv[2]) else None
log = [json.loads(line) for line in open(sys.argv[3])] if os.path.exists(sys.argv[3]) else []
def events(name): return [line for line in log if line["event"] == name]
sys.exit(not eval(sys.argv[1]))
END
}

is() {
    holds "$1" || wrong "not so: $1 $(tail -n 1 "$scratch/why")"
}

in_order='[line["time_s"] for line in log] == sorted(line["time_s"] for line in log)'

# ---- an object alone on standard output, also of a job without deaths; what the program writes is on standard error
run 0 -n 4 --json --log "$scratch/log" "$app"
is 'j["ranks"] == 4 and j["status"] == 0 and j["end"] == "finished" and j["deaths"] == [] and j["flips"] == []'
is 'j["mpi"] == "'"$mpi"'" and j["mode"] == "'"$mode"'" and j["eta_s"] == 0.1 and j["delta_s"] == 0.5'
is '0 < j["ready_s"] < j["wall_s"] and [(r["rank"], r["state"], r["status"]) for r in j["each"]] == [(r, "finished", 0) for r in range(4)]'
is "$in_order"' and [len(events(e)) for e in ("started", "init", "ready", "finalized", "ended")] == [4] * 5'
[ "$(grep -o fine "$scratch/err" | wc -l)" -eq 4 ] || wrong "the program's output is not on standard error"
[ "$(wc -l <"$scratch/err")" -le 4 ] || wrong "more than the program's output on standard error"

# ---- a death: who, how, when, who knew; the calls after it
run 5 -n 4 --json --log "$scratch/log" --kill 2@MPI_Allreduce#7 -- "$app" 1 5
is 'j["status"] == 5 and j["end"] == "finished" and len(j["deaths"]) == 1'
is '[(d["rank"], d["kind"], d["injected"], d["knowing"]) for d in j["deaths"]] == [(2, "'"$([ "$mode" = real ] && echo kill || echo ghost)"'", True, 3)]'
is '[0 <= d["first_s"] <= d["mean_s"] <= d["last_s"] < 30 and d["at_s"] > j["ready_s"] and d["by"] in (0, 1, 3) for d in j["deaths"]] == [True]'
is 'any(c["call"].endswith("_shrink") and c["ranks"] == 3 and 0 < c["longest_s"] <= c["took_s"] for c in j["calls"])'
is "$in_order"' and sorted(e["rank"] for e in events("learned") if e["dead"] == 2) == [0, 1, 3]'
is 'len(events("scenario")) > 0 and len(events("call")) > 0 and all(e["took_s"] >= 0 for e in events("call"))'
is 'not any("_ms" in key or "_ns" in key for key in list(j) + [key for line in log for key in line])'

# ---- ended from outside
run 9 -n 3 --json -- "$app" abort
is 'j["status"] == 9 and j["end"] == "abort"'
for limit in 5 15 45; do # on a busy machine MPI_Init alone may take seconds
    run 124 -n 2 --json --timeout ${limit}s -- "$app" hang
    holds 'j["ready_s"] is not None' && break
done
is 'j["status"] == 124 and j["end"] == "timeout" and [r["state"] for r in j["each"]] == ["left"] * 2 and j["deaths"] == []'
rm -f "$scratch/log"
ran="knell run --json after ctrl-C"
"$knell" run -n 2 --json --mode "$mode" --log "$scratch/log" "$app" 1 >"$scratch/out" 2>"$scratch/err" &
job=$!
for _ in $(seq 300); do
    [ "$(grep -c '"event": "ready"' "$scratch/log" 2>/dev/null)" = 2 ] && break
    sleep 0.1
done
kill -INT $job
wait $job
status=$?
ended_with 130
is 'j["status"] == 130 and j["end"] == "signal"'
nothing_left

# ---- the program without "--": its own options are its own; a bare name is looked for on the PATH, then here
run 7 -n 2 "$app" 0 7
run 3 -n 2 --mpi "$mpi" sh -c 'exit 3' --json --ranks
[ ! -s "$scratch/out" ] || wrong "the program's --json was taken for ours"
cd "$scratch" || exit 1
run 7 -n 2 app 0 7
mkdir "$scratch/path"
printf '#!/bin/sh\nexit 6\n' >"$scratch/path/app"
chmod +x "$scratch/path/app"
search=$scratch/path:$PATH
run 6 -n 2 --mpi "$mpi" app 0 7
unset search
exit $failed
