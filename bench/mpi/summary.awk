# Rows of CSV in, the first line is names; one line out for each value of the first KEYS columns:
# these, how many rows, and of column VALUE the median with its 95 % interval (least and most of fewer than six).
# Usage: awk -F, -v keys=3 -v value=4 -f summary.awk file
BEGIN { OFS = "," }

# How many of the smallest and of the largest may be left out; see bench/live/series.c.
function left_out(count,    each, sum, k)
{
    each = 0.5 ^ count
    for (k = 0; k < int(count / 2); k++) {
        sum += each
        if (sum > 0.025)
            return k
        each *= (count - k) / (k + 1)
    }
    return 0
}

function sort(list, count,    i, j, held)
{
    for (i = 2; i <= count; i++) {
        held = list[i]
        for (j = i - 1; j > 0 && list[j] > held; j--)
            list[j + 1] = list[j]
        list[j + 1] = held
    }
}

NR > 1 && $value ~ /^[0-9.e+-]+$/ {
    key = $1
    for (i = 2; i <= keys; i++)
        key = key OFS $i
    if (!(key in count))
        order[++groups] = key
    sample[key, ++count[key]] = $value + 0
}

END {
    for (g = 1; g <= groups; g++) {
        key = order[g]
        n = count[key]
        for (i = 1; i <= n; i++)
            list[i] = sample[key, i]
        sort(list, n)
        out = left_out(n)
        out = out > 0 ? out - 1 : 0
        middle = n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
        print key, n, middle, list[1 + out], list[n - out]
    }
}
