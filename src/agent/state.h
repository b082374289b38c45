/* state.h: what the files of the agent share.
 *
 *     agent.c     life of the agent, the tables of threads and processes
 *     take.c      what the kernel reports of a thread: stops, signals, new threads, exec, ends
 *     thread.c    resuming, stopping, registers
 *     process.c   processes: fork, exec, end
 *     slot.c      which slot a process comes to
 *     start.c     starting, attaching to and leaving a process
 *     image.c     an address space: the files mapped in it, and what of them the scenario names
 *     point.c     breakpoints: int3 in the code
 *     hit.c       a thread at a breakpoint: before and after a function, the loader's word
 *     emulate.c   past a breakpoint: the first instruction, done by changing registers
 *     aside.c     or executed as a copy, in memory of its own
 *     over.c      or stepped in a place of its own
 *     decode.c    the length of an instruction of x86-64
 *     effect.c    the effector: events to the interpreter, its actions to processes
 *     variable.c  variables of the program: addresses, reading, writing
 *     watch.c     debug registers
 *     check.c     are the scenario's names in the program?
 *
 * A thread whose stop was collected is not running; it stays so while its process is held. What it reported meanwhile is pending and is
 * taken when the process goes on. */
#ifndef KNELL_AGENT_STATE_H
#define KNELL_AGENT_STATE_H

#include "agent/agent.h"
#include "symbols/variable.h"

#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <sys/user.h>

/* ---- files and address spaces ------------------------------------------------------------------------------------ */

/* The names in a file; kept while the agent lives. */
struct agent_file {
    struct agent_file *next;
    uint64_t device, inode;
    struct symbols_table *table; /* NULL: it cannot be read */
    char path[];
};

struct agent_module {
    struct agent_file *file;
    uint64_t bias;       /* from addresses of the file to those of memory */
    uint64_t start, end; /* of its code */
    bool is_mapped;
};

enum { POINT_BEFORE = 1, POINT_AFTER = 2, POINT_LOADER = 4 };
enum { INSTRUCTION_MAX = 15 };

/* A place in the code where a thread may be stopped. */
struct agent_point {
    uint64_t address;
    const char *symbol, *alias; /* names of the function; NULL */
    uint32_t *function;         /* of the scenario, that mean it */
    unsigned functions;
    unsigned armed;   /* POINT_... */
    unsigned returns; /* calls that are awaited here */
    bool inserted;    /* int3 is in the code */
    uint8_t size;     /* of the code at hand: less than INSTRUCTION_MAX at the end of a mapping */
    uint8_t code[INSTRUCTION_MAX];
    uint64_t aside; /* a copy of the first instruction, which goes on behind it; 0: there is none */
};

enum { AREAS_MAX = 8 };

/* Memory in the program for copies of instructions. */
struct agent_area {
    uint64_t address;
    unsigned used;
};

/* A variable of the scenario's, in this address space. */
struct agent_variable {
    bool is_known;
    unsigned looked; /* so many modules were searched */
    uint64_t bias;
    struct symbols_variable symbol;
};

struct agent_image {
    unsigned users; /* a process, and its child between vfork and exec */
    pid_t pid;
    int memory; /* /proc/PID/mem; -1: none */
    struct agent_module *module;
    unsigned modules;
    struct agent_variable *variable; /* by number; NULL: none was asked for */
    struct agent_point **point;      /* by address */
    unsigned points, room;
    uint64_t scratch;              /* where instructions are stepped: the program's entry, which runs once */
    struct agent_thread *stepper;  /* who is there */
    uint8_t kept[INSTRUCTION_MAX]; /* of the entry */
    struct agent_area area[AREAS_MAX];
    unsigned areas;
    bool has_no_areas; /* none can be made */
};

/* ---- threads and processes --------------------------------------------------------------------------------------- */

/* A call whose return is awaited. */
struct agent_frame {
    struct agent_frame *outer;
    struct agent_point *function, *back;
    uint64_t stack; /* as it will be after the return */
};

struct agent_thread {
    struct agent_thread *next, *next_in_bucket;
    struct agent_process *process; /* NULL: its parent has not said yet whose it is */
    pid_t tid;
    bool running;
    bool listening;   /* in a stop of job control: SIGCONT ends it */
    bool interrupted; /* a stop was asked for, and none has come; the kernel forgets the wish at any stop */
    bool pending;     /* `status` is to be taken when the process goes on */
    bool waits;       /* for the place where instructions are stepped */
    int status;
    int signal;                   /* to be delivered when it goes on */
    struct user_regs_struct regs; /* if has_regs: to be written back if regs_changed */
    bool has_regs, regs_changed;
    bool stepping; /* past `over`, in the image's scratch */
    struct agent_point *over;
    unsigned over_size;  /* of the instruction */
    int over_base;       /* the register lent to an address that is relative to rip; -1: none */
    uint64_t over_saved; /* what it held */
    bool makes_room;     /* the step is the call that makes an area, and */
    struct user_regs_struct before_room;
    bool has_kept;
    siginfo_t kept; /* a signal that came during a step */
    uint64_t more;  /* and others, bit n - 1 for signal n */
    struct agent_frame *frame;
    unsigned watches; /* the setting of the process's debug registers that it has */
};

enum { WATCHES_MAX = 4 };
#define NO_SLOT UINT32_MAX

struct agent_watch {
    uint32_t variable; /* of the scenario; KNELL_FAIL_NO_SUBJECT: none */
    uint64_t address;
    unsigned size;
    int64_t value; /* when it was looked at last */
};

struct agent_process {
    struct agent_process *next;
    pid_t pid;
    uint32_t instance; /* NO_SLOT: none */
    long rank;         /* by its launcher's word; -1: it has none */
    struct agent_image *image;
    struct agent_thread *thread;    /* all of them */
    bool started;                   /* by us, or by what we started: it ends with us */
    bool loaded;                    /* the scenario knows of it */
    bool held;                      /* its threads are stopped, or are about to be */
    bool halted;                    /* by the scenario */
    bool dirty, is_child;           /* is to be settled; is our child */
    struct knell_fail_probe *probe; /* what is armed */
    uint32_t probes;
    struct agent_watch watch[WATCHES_MAX];
    unsigned watches; /* grows with every setting of them */
    int percent;      /* of its time; 100: all */
    bool resting;     /* for slow() */
    knell_time turn_at;
};

struct agent_ended {
    struct agent_ended *next;
    pid_t pid;
    int status;
    bool halted;
};

enum { BUCKETS = 1024 };

struct agent {
    struct agent_config config;
    struct knell_fail_world *world;
    void *memory;
    knell_time begin;
    bool begun, has_heard;
    sigset_t heard;    /* while it waits; as the signals are at the first time */
    char *why;         /* while a process is attached: the reason goes to who asked, and ends nothing */
    sigset_t as_found; /* the signals blocked before us, for programs */
    struct agent_file *files;
    struct agent_process *process;
    unsigned processes;
    struct agent_thread *bucket[BUCKETS];
    struct agent_process **slot; /* by instance; NULL: empty */
    struct agent_ended *ended;
    struct agent_counters counters;
    struct knell_fail_probe *probe; /* room for all that a node can name */
    uint32_t probe_room;
};

/* ---- agent.c ----------------------------------------------------------------------------------------------------- */

struct agent_thread *agent_thread_find(const struct agent *agent, pid_t tid);
struct agent_thread *agent_thread_add(struct agent *agent, struct agent_process *process, pid_t tid);
void agent_thread_adopt(struct agent_process *process, struct agent_thread *thread);
void agent_thread_remove(struct agent *agent, struct agent_thread *thread);
/* Does the instance live in this agent? */
bool agent_hosts(const struct agent *agent, uint32_t instance);
void agent_say(const struct agent *agent, bool fatal, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- take.c ------------------------------------------------------------------------------------------------------ */

void take_status(struct agent *agent, pid_t tid, int status);
/* What a thread of a process that is not held has reported. */
void take_stop(struct agent *agent, struct agent_thread *thread, int status);
/* At a stop of a thread that has made another one, or a process: who is made is traced, too. False: it is another stop. */
bool take_child(struct agent *agent, struct agent_thread *thread, int status);
/* The process that a thread belongs to, by the kernel; 0: it is gone. */
pid_t thread_group(pid_t tid);

/* ---- thread.c ---------------------------------------------------------------------------------------------------- */

bool thread_get_regs(struct agent_thread *thread);
/* Lets it go on, past a breakpoint if it is at one, with `thread->signal`. */
void thread_resume(struct agent_thread *thread);
/* Without looking for breakpoints. `step`: one instruction. */
void thread_go(struct agent_thread *thread, bool step);
void thread_interrupt(struct agent_thread *thread);

/* ---- process.c --------------------------------------------------------------------------------------------------- */

struct agent_process *process_add(struct agent *agent, pid_t pid);
void process_remove(struct agent *agent, struct agent_process *process);
/* By the scenario, or because it is slow. */
static inline bool process_is_still(const struct agent_process *process)
{
    return process->held || process->resting;
}
/* Stops or resumes its threads as that says. */
void process_settle(struct agent *agent, struct agent_process *process);
void process_exec(struct agent *agent, struct agent_thread *thread);
void process_forked(struct agent *agent, struct agent_process *parent, pid_t child, bool shares_memory);
void process_ended(struct agent *agent, struct agent_process *process, int status);
/* What the kernel is to report, and whether the process dies with us. */
unsigned long process_options(const struct agent *agent, const struct agent_process *process);

/* ---- slot.c, start.c --------------------------------------------------------------------------------------------- */

enum slot_found { SLOT_FOREIGN, SLOT_FULL, SLOT_FOUND };
/* Whether it is a program of the scenario's, and its slot; SLOT_FULL after a complaint. */
enum slot_found slot_find(struct agent *agent, struct agent_process *process, uint32_t *instance);
void slot_file_of(pid_t pid, char path[PATH_MAX]);
/* It comes to its slot, and the scenario hears of it; false: it does not. */
bool process_load(struct agent *agent, struct agent_process *process);
/* Lets it go on as if we had never been there. */
void leave_process(struct agent *agent, struct agent_process *process);
/* A number of /proc/PID/status; -1: there is none. */
long status_number(pid_t pid, const char *key);

/* ---- image.c ----------------------------------------------------------------------------------------------------- */

struct agent_image *image_open(pid_t pid);
void image_close(struct agent_image *image);
struct agent_image *image_copy(const struct agent_image *image,
                               pid_t pid); /* after a fork: the breakpoints are in it */
/* Looks at the files that are mapped now; what they add of the scenario's names becomes points. */
void image_look(struct agent *agent, struct agent_image *image);
/* Of the module that is the program itself; NULL */
const struct agent_module *image_program(const struct agent_image *image);
bool image_read(const struct agent_image *image, uint64_t address, void *bytes, size_t size);
bool image_write(const struct agent_image *image, uint64_t address, const void *bytes, size_t size);
#define LOADER_HOOK "_dl_debug_state" /* glibc and musl call it after each change of the list of libraries */
bool image_is_loader(const struct symbols_table *table);
/* Does LIB of the scenario mean the file? libm, libm.so and libm.so.6 do mean libm.so.6. */
bool image_library_is(const char *library, const char *path);

/* ---- point.c ----------------------------------------------------------------------------------------------------- */

struct agent_point *point_find(const struct agent_image *image, uint64_t address);
struct agent_point *point_add(struct agent_image *image,
                              uint64_t address); /* or the one that is there; NULL: no memory */
/* Puts int3 into the code, or takes it out, as it is wanted. False: the code cannot be written. */
bool point_settle(struct agent_image *image, struct agent_point *point);
void point_take_out_all(struct agent_image *image);
/* The code there is gone, and our breakpoints with it. */
void point_forget(struct agent_image *image, uint64_t start, uint64_t end);

/* ---- hit.c ------------------------------------------------------------------------------------------------------- */

/* The thread is at an int3 of ours; its registers are read, and rip is at the point. */
void hit_take(struct agent *agent, struct agent_thread *thread, struct agent_point *point);
void hit_drop_frames(struct agent_thread *thread);

/* ---- emulate.c, aside.c, over.c, decode.c ------------------------------------------------------------------------ */

/* The instruction at rip, under the int3: does it by changing registers. False: it is none of those. */
bool emulate_first(struct agent_thread *thread, const struct agent_point *point);
/* By the number that instructions have for it. */
unsigned long long *emulate_register(struct user_regs_struct *regs, unsigned number);
/* Starts a step in the scratch. False: another thread is there; this one waits. */
bool over_begin(struct agent_thread *thread, struct agent_point *point);
/* The step was made, or a signal came before. */
void over_end(struct agent_thread *thread, int signal);
/* Nobody will wait for the end of the step: the process is left, and held until then. */
void over_leave(struct agent_thread *thread);

/* The thread, at the point, goes on in a copy of its instruction. False: there is none. */
bool aside_go(struct agent_thread *thread, struct agent_point *point);
/* Is memory for such a copy wanted? Its call, in the registers; what came of it. */
bool aside_wants_room(const struct agent_thread *thread, const struct agent_point *point);
void aside_ask_for_room(struct agent_thread *thread, const struct agent_point *point);
void aside_take_room(struct agent_thread *thread, bool was_made);
/* A thread with a fault of its own in such a copy has it where the program knows it. */
void aside_mend(struct agent_thread *thread);

struct instruction {
    unsigned size;      /* 0: unknown */
    unsigned modrm_at;  /* 0: none */
    unsigned rex_at;    /* if has_rex */
    unsigned opcode_at; /* its last byte */
    bool has_rex;
    bool is_two; /* 0f and one more byte */
    bool is_vex; /* or EVEX */
};
struct instruction decode(const uint8_t *code, unsigned size);

/* ---- effect.c ---------------------------------------------------------------------------------------------------- */

/* An event of the process of a slot; the process is held until the actions say otherwise. */
void effect_feed(struct agent *agent, struct agent_process *process, struct knell_fail_event event);
/* A message from elsewhere. */
void effect_deliver(struct agent *agent, uint32_t from, uint32_t to, uint32_t message);
/* Timers and messages that are due. Returns when the next is. */
knell_time effect_due(struct agent *agent);
/* Arms what the node of its daemon names. */
void effect_arm(struct agent *agent, struct agent_process *process);

/* ---- variable.c, watch.c ----------------------------------------------------------------------------------------- */

bool variable_read(void *driver, uint32_t instance, uint32_t variable, int64_t *value);
bool variable_value(const struct agent *agent, struct agent_image *image, uint32_t variable, int64_t *value);
bool variable_locate(const struct agent *agent, struct agent_image *image, uint32_t variable, uint64_t *address,
                     const struct symbols_variable **symbol);
void variable_write(struct agent *agent, struct agent_process *process, uint32_t variable, int64_t value);
void variable_flip(struct agent *agent, struct agent_process *process, uint32_t variable, uint64_t bit);
/* The debug registers of the process become those of the probes. */
void watch_set(struct agent *agent, struct agent_process *process);
void watch_clear(struct agent_process *process);
/* Gives the stopped thread the debug registers of its process. */
void watch_give(struct agent_thread *thread);
/* The thread was stopped by a debug register. False: it was not. */
bool watch_take(struct agent *agent, struct agent_thread *thread);

#endif
