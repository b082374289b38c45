# From record.csv: the median of each way of running, as a ratio to the plain one, and what a call more costs.
NR > 1 { key = $1 " " $2; keys[key]; n = ++count[key, $3]; us[key, $3, n] = $4 }

function median(key, how,    n, i, j, t, value)
{
    n = count[key, how]
    for (i = 1; i <= n; i++)
        value[i] = us[key, how, i] + 0
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && value[j] < value[j - 1]; j--) {
            t = value[j]; value[j] = value[j - 1]; value[j - 1] = t
        }
    return n % 2 ? value[(n + 1) / 2] : (value[n / 2] + value[n / 2 + 1]) / 2
}

END {
    for (key in keys) {
        plain = median(key, "plain")
        printf "%-18s plain %.4f us; control %.3f, --record %.3f, --calls %.3f; --calls adds %.0f ns to one (n = %d)\n", key, plain,
            median(key, "control") / plain, median(key, "record") / plain, median(key, "calls") / plain,
            (median(key, "calls") - plain) * 1000, count[key, "plain"]
    }
}
