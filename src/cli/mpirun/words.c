/* words.c: the options of Open MPI's mpirun and of MPICH's mpiexec, each with what it becomes. Both take one dash or two. */
#include "cli/mpirun/mpirun.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct form;
/* `value` has as many words as the form says. -1, or an exit status after a complaint. */
typedef int form_do(struct mpirun_plan *plan, const struct form *form, const char *const *value);

struct form {
    const char *name; /* without dashes */
    int values;
    form_do *does;
    const char *more; /* for it: a variable, an option of `knell run`, why it is refused */
};

/* ---- what options do --------------------------------------------------------------------------------------------- */

static void pass(struct mpirun_plan *plan, const char *word)
{
    plan->word[plan->words++] = (char *)word;
}

static int set_ranks(struct mpirun_plan *plan, const struct form *form, const char *const *value)
{
    if (plan->ranks)
        return cli_usage_error(plan->usage, "-%s: the number of ranks is given twice", form->name);
    plan->ranks = value[0];
    return -1;
}

/* `knell run` does so anyway, or it makes no difference on one host. */
static int ignore(struct mpirun_plan *plan, const struct form *form, const char *const *value)
{
    (void)plan, (void)form, (void)value;
    return -1;
}

static int refuse(struct mpirun_plan *plan, const struct form *form, const char *const *value)
{
    (void)value;
    return cli_usage_error(plan->usage, "--%s: %s", form->name, form->more);
}

static int set_variable(struct mpirun_plan *plan, const char *name, const char *value)
{
    return setenv(name, value, 1) == 0
               ? -1
               : cli_usage_error(plan->usage, "%.80s: not a name of a variable (%s)", name, strerror(errno));
}

/* The variables that `more` names, with a blank between two: of Open MPI's launcher and of MPICH's. */
static int set_for_launcher(struct mpirun_plan *plan, const struct form *form, const char *const *value)
{
    char name[64];
    for (const char *from = form->more; *from; from += strcspn(from, " "), from += *from == ' ') {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(from, " "), from);
        int status = set_variable(plan, name, form->values ? value[0] : "1");
        if (status >= 0)
            return status;
    }
    return -1;
}

static int set_pair(struct mpirun_plan *plan, const struct form *form, const char *const *value)
{
    (void)form;
    return set_variable(plan, value[0], value[1]);
}

/* -x NAME, which is passed on as it is, or -x NAME=VALUE. */
static int export_variable(struct mpirun_plan *plan, const struct form *form, const char *const *value)
{
    char name[256];
    const char *equals = strchr(value[0], '=');
    (void)form;
    if (!equals)
        return -1;
    if (equals == value[0])
        return cli_usage_error(plan->usage, "-x %.80s: the name of the variable is missing before '='", value[0]);
    snprintf(name, sizeof name, "%.*s", (int)(equals - value[0] < 255 ? equals - value[0] : 255), value[0]);
    return set_variable(plan, name, equals + 1);
}

static int set_mca(struct mpirun_plan *plan, const struct form *form, const char *const *value)
{
    char name[256];
    (void)form;
    if (strcmp(value[0], "plm_rsh_agent") == 0)
        plan->rsh = value[1];
    snprintf(name, sizeof name, "OMPI_MCA_%.200s", value[0]);
    return set_variable(plan, name, value[1]);
}

static int change_directory(struct mpirun_plan *plan, const struct form *form, const char *const *value)
{
    if (chdir(value[0]) != 0)
        return cli_usage_error(plan->usage, "--%s %.200s: %s", form->name, value[0], strerror(errno));
    return -1;
}

static int pass_on(struct mpirun_plan *plan, const struct form *form, const char *const *value)
{
    pass(plan, form->more);
    for (int i = 0; i < form->values; i++)
        pass(plan, value[i]);
    return -1;
}

static int choose_mpi(struct mpirun_plan *plan, const struct form *form, const char *const *value)
{
    plan->mpi = value[0];
    return pass_on(plan, form, value);
}

/* In seconds, and without a unit; one with a unit is ours. */
static int set_timeout(struct mpirun_plan *plan, const struct form *form, const char *const *value)
{
    static char text[40];
    size_t length = strlen(value[0]);
    bool has_unit = length > 0 && isalpha((unsigned char)value[0][length - 1]);
    (void)form;
    snprintf(text, sizeof text, "%.30s%s", value[0], has_unit ? "" : "s");
    pass(plan, "--timeout");
    pass(plan, text);
    return -1;
}

static int with_ft(struct mpirun_plan *plan, const struct form *form, const char *const *value)
{
    static const char *const on[] = {"ulfm", "mpi", "yes", "true", "on", "1"};
    for (size_t i = 0; i < COUNT_OF(on); i++)
        if (strcmp(value[0], on[i]) == 0)
            return -1;
    return cli_usage_error(plan->usage,
                           "--%s %.40s: must be ulfm or mpi; a job without fault tolerance is one of mpirun itself",
                           form->name, value[0]);
}

/* Names of this host alone say nothing, with or without slots: "localhost:4". */
static int set_hosts(struct mpirun_plan *plan, const struct form *form, const char *const *value)
{
    char here[256] = "";
    (void)form;
    gethostname(here, sizeof here - 1);
    for (const char *from = value[0]; *from; from += strcspn(from, ","), from += *from == ',') {
        size_t length = strcspn(from, ":,");
        bool is_here = (length == 9 && strncmp(from, "localhost", 9) == 0) ||
                       (length == 9 && strncmp(from, "127.0.0.1", 9) == 0) ||
                       (length == strlen(here) && strncmp(from, here, length) == 0);
        plan->has_hosts |= !is_here;
    }
    if (plan->has_hosts) {
        pass(plan, "--hosts");
        pass(plan, value[0]);
    }
    return -1;
}

static int set_hostfile(struct mpirun_plan *plan, const struct form *form, const char *const *value)
{
    plan->has_hosts = true;
    return pass_on(plan, form, value);
}

static int set_rsh(struct mpirun_plan *plan, const struct form *form, const char *const *value)
{
    (void)form;
    plan->rsh = value[0];
    return -1;
}

static int set_interface(struct mpirun_plan *plan, const struct form *form, const char *const *value)
{
    (void)form;
    plan->interface = value[0];
    return -1;
}

/* ---- the options ------------------------------------------------------------------------------------------------- */

#define OUTPUT "knell run has --record DIR instead, which keeps the output of the job and of each rank"

static const struct form forms[] = {
    {"n", 1, set_ranks, NULL},
    {"np", 1, set_ranks, NULL},
    {"c", 1, set_ranks, NULL},
    {"oversubscribe", 0, ignore, NULL},
    {"nooversubscribe", 0, ignore, NULL},
    {"use-hwthread-cpus", 0, ignore, NULL},
    {"allow-run-as-root", 0, ignore, NULL},
    {"enable-recovery", 0, ignore, NULL},
    {"disable-auto-cleanup", 0, ignore, NULL},
    {"genvall", 0, ignore, NULL},
    {"envall", 0, ignore, NULL},
    {"verbose", 0, ignore, NULL},
    {"v", 0, ignore, NULL},
    {"q", 0, ignore, NULL},
    {"ppn", 1, ignore, NULL},
    {"perhost", 1, ignore, NULL},
    {"N", 1, ignore, NULL},
    {"npernode", 1, ignore, NULL},
    {"genvlist", 1, ignore, NULL},
    {"envlist", 1, ignore, NULL},
    {"x", 1, export_variable, NULL},
    {"genv", 2, set_pair, NULL},
    {"env", 2, set_pair, NULL},
    {"mca", 2, set_mca, NULL},
    {"gmca", 2, set_mca, NULL},
    {"omca", 2, set_mca, NULL},
    {"prtemca", 2, ignore, NULL},
    {"pmixmca", 2, ignore, NULL},
    {"wdir", 1, change_directory, NULL},
    {"wd", 1, change_directory, NULL},
    {"timeout", 1, set_timeout, NULL},
    {"with-ft", 1, with_ft, NULL},
    {"bind-to", 1, set_for_launcher, "OMPI_MCA_hwloc_base_binding_policy HYDRA_BINDING"},
    {"map-by", 1, set_for_launcher, "OMPI_MCA_rmaps_base_mapping_policy HYDRA_MAPPING"},
    {"rank-by", 1, set_for_launcher, "OMPI_MCA_rmaps_base_ranking_policy"},
    {"bind-to-core", 0, ignore, NULL},
    {"report-bindings", 0, set_for_launcher, "OMPI_MCA_hwloc_base_report_bindings"},
    {"tag-output", 0, set_for_launcher, "OMPI_MCA_orte_tag_output"},
    {"timestamp-output", 0, set_for_launcher, "OMPI_MCA_orte_timestamp_output"},
    {"host", 1, set_hosts, NULL},
    {"H", 1, set_hosts, NULL},
    {"hosts", 1, set_hosts, NULL},
    {"hostfile", 1, set_hostfile, "--hostfile"},
    {"machinefile", 1, set_hostfile, "--hostfile"},
    {"f", 1, set_hostfile, "--hostfile"},
    {"launcher-exec", 1, set_rsh, NULL},
    {"rsh", 1, set_rsh, NULL},
    {"iface", 1, set_interface, NULL},
    {"interface", 1, set_interface, NULL},
    {"app", 1, refuse, "one program a job: knell run starts the same program as every rank"},
    {"configfile", 1, refuse, "one program a job: knell run starts the same program as every rank"},
    {"output-filename", 1, refuse, OUTPUT},
    {"outfile-pattern", 1, refuse, OUTPUT},
    {"genvnone", 0, refuse,
     "ranks have the environment of this command; env -i knell mpirun ... starts it with an empty one"},
    /* of `knell run`, so that a line that was replaced word by word can go further */
    {"mpi", 1, choose_mpi, "--mpi"},
    {"mode", 1, pass_on, "--mode"},
    {"kill", 1, pass_on, "--kill"},
    {"fail", 1, pass_on, "--fail"},
    {"mttf", 1, pass_on, "--mttf"},
    {"seed", 1, pass_on, "--seed"},
    {"info", 1, pass_on, "--info"},
    {"record", 1, pass_on, "--record"},
    {"log", 1, pass_on, "--log"},
    {"status", 1, pass_on, "--status"},
    {"status-file", 1, pass_on, "--status-file"},
    {"json", 0, pass_on, "--json"},
    {"quiet", 0, pass_on, "--quiet"},
    {"dry-run", 0, pass_on, "--dry-run"},
};

/* ---- the words --------------------------------------------------------------------------------------------------- */

static const struct form *form_of(const char *name, size_t length)
{
    for (size_t i = 0; i < COUNT_OF(forms); i++)
        if (strlen(forms[i].name) == length && strncmp(forms[i].name, name, length) == 0)
            return &forms[i];
    return NULL;
}

static int unknown(const struct mpirun_plan *plan, const char *word)
{
    return cli_usage_error(plan->usage,
                           "%.80s: not an option that is known here; leave it away, or add it to the command of a "
                           "plain mpirun, which knell run --dry-run prints",
                           word);
}

/* One option with its values. *used: how many words that were. */
static int read_option(struct mpirun_plan *plan, char **argv, int *used)
{
    const char *name = argv[0] + strspn(argv[0], "-"), *equals = strchr(name, '='), *value[2];
    const struct form *form = form_of(name, equals ? (size_t)(equals - name) : strlen(name));
    if (!form || (equals && form->values == 0))
        return unknown(plan, argv[0]);
    *used = 1;
    for (int i = 0; i < form->values; i++) {
        value[i] = i == 0 && equals ? equals + 1 : argv[*used];
        if (!value[i] || (!*value[i] && i == 0))
            return cli_usage_error(plan->usage, "%.80s: its value is missing", argv[0]);
        *used += !(i == 0 && equals);
    }
    return form->does(plan, form, value);
}

/* `knell run` takes them with hosts only, and several hosts have no number of processors that is known here. */
static int finish_hosts(struct mpirun_plan *plan)
{
    if (!plan->has_hosts)
        return -1;
    if (!plan->ranks)
        return cli_usage_error(plan->usage, "-n N is needed with several hosts: how many ranks in all");
    if (plan->rsh) {
        pass(plan, "--rsh");
        pass(plan, plan->rsh);
    }
    if (plan->interface) {
        pass(plan, "--interface");
        pass(plan, plan->interface);
    }
    return -1;
}

static int read_program(struct mpirun_plan *plan, char **program)
{
    plan->program = program;
    for (int i = 0; program[i]; i++)
        if (strcmp(program[i], ":") == 0)
            return cli_usage_error(plan->usage,
                                   "':' after %.80s: one program a job; let one program ask for its rank and do "
                                   "what several would",
                                   program[0]);
    if (!program[0] || !*program[0])
        return cli_usage_error(plan->usage, "the program is missing: knell mpirun -n N PROGRAM [argument...]");
    return -1;
}

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words && strcmp(word, *words) != 0)
        words++;
    return *words != NULL;
}

int mpirun_read(struct mpirun_plan *plan, char **argv)
{
    for (int used = 0; *argv && argv[0][0] == '-' && argv[0][1]; argv += used) {
        if (strcmp(*argv, "--") == 0) {
            argv++;
            break;
        }
        plan->help = is_one_of(*argv, (const char *const[]){"--help", "-help", "-h", NULL});
        plan->version = is_one_of(*argv, (const char *const[]){"--version", "-version", "-V", NULL});
        if (plan->help || plan->version)
            return -1;
        int status = read_option(plan, argv, &used);
        if (status >= 0)
            return status;
    }
    int status = finish_hosts(plan);
    return status < 0 ? read_program(plan, argv) : status;
}
