#!/bin/sh
# knell sim figures, with few runs: every file is there, figure 3 has the paper's point, figure 5 is within 4 standard
# errors of its closed form, and without gnuplot there are CSV files, one clear line and status 1. Usage: figures.sh KNELL
set -u
knell=$1 runs=200
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

fail() {
    echo "figures: $1" >&2
    exit 1
}

# columns of a CSV file: `column FILE NAME NODES` is the value of a column for that size
column() {
    awk -F, -v name="$2" -v nodes="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
        NR > 1 && $1 == nodes { print $at; found = 1 }
        END { exit !(at && found) }' "$out/with/$1" || fail "$1 has no $2 for $3 nodes"
}

near() {
    awk -v a="$1" -v b="$2" -v slack="$3" 'BEGIN { d = a - b; exit !(d <= slack && -d <= slack) }' || fail "$4: $1, expected $2"
}

"$knell" sim figures --out "$out/with" --runs $runs --json >"$out/json" 2>"$out/err"
status=$?
for name in fig3 fig4a fig4b fig5 fig6 fig7; do
    [ -s "$out/with/$name.csv" ] || fail "$name.csv is missing"
    [ -s "$out/with/$name.gp" ] || fail "$name.gp is missing"
    if command -v gnuplot >/dev/null; then
        grep -q '</svg>' "$out/with/$name.svg" || fail "$name.svg is missing or cut"
    fi
done
if command -v gnuplot >/dev/null; then
    [ $status -eq 0 ] && [ ! -s "$out/err" ] || fail "status $status: $(cat "$out/err")"
fi
grep -q '"paper": 60, "ours": 49.436.*"holds": false' "$out/json" || fail "60 s at 45 years is not named"

near "$(column fig3.csv delta_s_mtbf_20y 256000)" 21.972 0.0005 "figure 3, 20 years"
near "$(column fig3.csv delta_s_mtbf_45y 256000)" 49.436 0.0005 "figure 3, 45 years"
near "$(column fig6.csv rounds 100000)" 12.58 0.5 "figure 6"
near "$(column fig7.csv queue 100000)" 7.76 0.2 "figure 7"
near "$(column fig4a.csv first_s 256000)" 55 1 "figure 4(a)"
near "$(column fig4b.csv first_s 256000)" 0.95 0.01 "figure 4(b)"

# Rare events may not be in the sample at all: then the law's own error counts, that of a count with mean failures - 1.
awk -F, -v runs=$runs '
    function check(what, mean, ci95, closed, least,    error) {
        error = ci95 / 1.96 > least ? ci95 / 1.96 : least
        if (mean - closed > 4 * error || closed - mean > 4 * error) {
            printf "figures: figure 5, %s nodes, %s: %s, closed form %s\n", $1, what, mean, closed > "/dev/stderr"
            bad = 1
        }
    }
    NR == 1 && ($2 $3 != "failuresfailures_ci95" || $6 $7 != "stable_sstable_ci95_s" || $10 != "stable_closed_s") { exit bad = 1 }
    NR > 1 {
        rare = sqrt(($8 - 1) / runs)
        check("failures", $2, $3, $8, rare)
        check("first", $4, $5, $9, 0)
        check("stable", $6, $7, $10, 55 * rare)
    }
    END { exit bad || NR != 18 }' "$out/with/fig5.csv" || fail "figure 5 is not its closed form"

# Two runs tell nothing about a mean, and all about a formula.
mkdir "$out/no-programs"
PATH=$out/no-programs "$knell" sim figures --out "$out/without" --runs 2 >"$out/json" 2>"$out/err"
[ $? -eq 1 ] || fail "without gnuplot: expected status 1"
[ -s "$out/without/fig7.csv" ] || fail "without gnuplot: no CSV"
[ "$(wc -l <"$out/err")" -eq 1 ] && grep -q 'apt-get install gnuplot-nox' "$out/err" || fail "without gnuplot: no clear line"
grep -q '21.972 s  holds$' "$out/json" || fail "two runs: figure 3 needs none"
[ "$(grep -c 'too few runs to tell$' "$out/json")" -eq 14 ] || fail "two runs: verdicts on means"
