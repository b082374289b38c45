# Compares two results, lines of a name and values. Numbers may differ by tolerance (relative) or floor (absolute), other words not at all.
# Usage: awk -v tolerance=1e-6 -v floor=0 -f compare.awk NATIVE LAYERED
function is_number(word) { return word ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eEdD][-+]?[0-9]+)?$/ }
function magnitude(x) { return x < 0 ? -x : x }
function number(word) { gsub(/[dD]/, "e", word); return word + 0 }

function wrong(text) {
    printf "line %d: %s\n", FNR, text
    failed = 1
    exit 1
}

# Two words of one place.
function compare(a, b,    difference, larger) {
    words++
    if (a == b)
        return
    if (!is_number(a) || !is_number(b))
        wrong("native has " a ", layered " b)
    difference = magnitude(number(a) - number(b))
    larger = magnitude(number(a)) > magnitude(number(b)) ? magnitude(number(a)) : magnitude(number(b))
    if (difference > floor && difference > tolerance * larger)
        wrong("native has " a ", layered " b ": more than " tolerance " apart")
    if (difference > floor && difference / larger > worst)
        worst = difference / larger
}

NR == FNR { native[FNR] = $0; lines = FNR; next }
{
    if (FNR > lines)
        wrong("native has no such line: " $0)
    count = split(native[FNR], field)
    if (count != NF)
        wrong("native has " native[FNR] ", layered " $0)
    for (i = 1; i <= NF; i++)
        compare(field[i], $i)
    seen = FNR
}
END {
    if (failed)
        exit 1
    if (seen != lines) {
        printf "native has %d lines, layered %d\n", lines, seen
        exit 1
    }
    printf "%d lines are the same%s\n", lines, worst ? sprintf(" within %.1e", worst) : ""
}
