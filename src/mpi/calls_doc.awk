# From deaths.txt, untouched.txt and table.txt, in this order: docs/use/calls.md, what the death of a rank does to each call.

function fail(text)
{
    print FILENAME ":" FNR ": " text > "/dev/stderr"
    failed = 1
    exit 1
}

# "MPI_I*probe" -> an expression that matches a whole name
function expression(glob)
{
    gsub(/\*/, ".*", glob)
    return "^" glob "$"
}

function words_of(section, name,    i)
{
    for (i = 1; i <= rules; i++)
        if (section ~ of_section[i] && name ~ of_name[i])
            return words[i]
    fail("no line of deaths.txt is for " name " of section \"" section "\": say there what a death does to it")
}

function words_by_class(class)
{
    if (class == "pass")
        return "Local: a death changes nothing."
    if (class == "lack")
        return "**Not carried**: raises MPI_ERR_UNSUPPORTED_OPERATION, whether or not a rank has died."
    if (class == "guard")
        return "Goes to the MPI as it is: for a kind of object that no program can make under the layer."
    return ""
}

# text in lines of at most 118 characters: the first begins with `first`, the others with as many blanks
function wrap(text, first,    word, n, i, line, indent)
{
    indent = sprintf("%" length(first) "s", "")
    line = first
    n = split(text, word, / +/)
    for (i = 1; i <= n; i++) {
        if (length(line) + length(word[i]) > 118) {
            sub(/ $/, "", line)
            print line
            line = indent
        }
        line = line word[i] (i < n ? " " : "")
    }
    print line
}

function add(section, what, name)
{
    if (!((section, what) in names)) {
        groups[section]++
        group[section, groups[section]] = what
    }
    names[section, what] = names[section, what] (names[section, what] ? ", " : "") "`" name "`" (name in newer ? "\\*" : "")
}

FNR == 1 { file++; section = ""; blank = 0 }

file < 3 && (/^#/ || /^ *$/) { next }

file < 3 { n = split($0, field, / \| /) }

file == 1 {
    if (n != 3)
        fail("want: section | names | words")
    rules++
    of_section[rules] = expression(field[1]); of_name[rules] = expression(field[2]); words[rules] = field[3]
    next
}

file == 2 {
    if (n != 2)
        fail("want: names | reason")
    add("", field[2], field[1])
    if (match(field[2], /MPI_[A-Za-z_]+ is not carried/))
        excuses[field[1]] = substr(field[2], RSTART, index(substr(field[2], RSTART), " ") - 1)
    next
}

/^ *$/ { blank = 1; next }
/^#/ {
    if (blank && !(substr($0, 3) in groups)) {
        section = substr($0, 3)
        sections[++count] = section
    }
    blank = 0
    next
}

{
    blank = 0
    class = $1; sub(/^@4/, "", class)
    name = $2; sub(/\(.*/, "", name)
    if ($1 ~ /^@4/)
        newer[name] = 1
    of_class[name] = class
    at[++calls] = name; of_call[calls] = section
}

END {
    if (failed)
        exit 1
    for (name in excuses)
        if (of_class[excuses[name]] != "lack")
            fail(excuses[name] " is carried: put what untouched.txt has as " name " into table.txt")
    for (i = 1; i <= calls; i++) {
        name = at[i]; class = of_class[name]
        if (class == "large") {
            small = name; sub(/_c$/, "", small)
            class = of_class[small] == "lack" ? "lack" : "large"
        }
        what = class == "large" ? "As the call without `_c` where the counts fit in an `int`, else MPI_ERR_COUNT." : words_by_class(class)
        add(of_call[i], what ? what : words_of(of_call[i], name), name)
    }
    print "# What a death does to each MPI call\n"
    wrap("Every function of the installed `mpi.h`, by what it does when a rank of its communicator is dead or dies. Made by " \
         "`src/mpi/generate` from the table of the wrappers; tests compare it with the table, and the table with the headers of both MPIs. " \
         "Names with an asterisk are there where the MPI has version 4 of the standard: in MPICH.", "")
    print ""
    wrap("A call that is not carried raises MPI_ERR_UNSUPPORTED_OPERATION on its communicator, also while every rank is alive, and " \
         "sets the handle that it was to make to null. `knell check PROGRAM` lists those that a program and its libraries use. What the error codes mean and how a program goes on: [mpi.md](mpi.md#what-an-operation-does-after-a-failure).", "")
    for (i = 1; i <= count; i++) {
        section = sections[i]
        if (!groups[section])
            continue
        heading = section; sub(/:.*/, "", heading)
        print "\n## " toupper(substr(heading, 1, 1)) substr(heading, 2) "\n"
        show(section)
    }
    print "\n## Calls that go to the MPI untouched\n"
    show("")
}

function show(section,    i, what)
{
    for (i = 1; i <= groups[section]; i++) {
        what = group[section, i]
        wrap(toupper(substr(what, 1, 1)) substr(what, 2) (what ~ /\.$/ ? "" : "."), "- ")
        wrap(names[section, what], "  ")
    }
}
