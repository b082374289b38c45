/* knell/fail.h: FAIL, the language of fault scenarios: compile a scenario, ask what it needs, run its automata.
 *
 * A scenario is a set of automata (daemons) and of places where they live: a Computer is one place, a Group is
 * `size` places called slots. Every place has one instance of its daemon; instances are numbered over all places in
 * the order of the text. docs/use/scenarios.md has the grammar and the meaning; this header is what a driver (an
 * *effector*) needs:
 *
 *      knell_fail_compile(...)                   text -> program, or diagnostics
 *      knell_fail_require(program, effector)     what the effector cannot do is an error before the start
 *      knell_fail_world_init(...)                all automata of the program, in their first nodes
 *      knell_fail_step(world, now, event, &rec)  one event, at most one fired rule, its actions in rec
 *      knell_fail_deadline(world)                when to step again without an event
 *
 * The loop of an effector, at every instant `now` at which something happened or the deadline has come:
 *
 *      for each event of a process:  knell_fail_step(world, now, &event, &rec), then carry out rec
 *      while knell_fail_step(world, now, NULL, &rec) == 1:                      carry out rec
 *
 * To carry out a record: first arm what knell_fail_armed() says for rec.instance, then perform rec.actions from left
 * to right. In this order a process that is continued into a node cannot run past a breakpoint of that node. A
 * process that reported onload, before, after, inside or watch stays stopped until an action KNELL_FAIL_CONTINUE or
 * KNELL_FAIL_HALT for its slot; the interpreter always says so explicitly, an effector never has to guess.
 *
 * The library has no clock, no I/O, no globals and never allocates. A program and a world live in blocks of the
 * caller's, aligned to 8; a program is read-only and may be shared by any number of worlds, on any threads; a world
 * is used by one thread at a time, keeps a pointer to its program and must not be moved. Strings given out live as
 * long as the program. */
#ifndef KNELL_FAIL_H
#define KNELL_FAIL_H

#include <knell/types.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- limits: whatever a scenario says, nothing grows past these -------------------------------------------------- */

#define KNELL_FAIL_SOURCE_MAX (1u << 18) /* bytes of a scenario */
#define KNELL_FAIL_NAME_MAX 63           /* letters of a name */
#define KNELL_FAIL_TEXT_MAX 255          /* bytes of a string */
#define KNELL_FAIL_NAMES_MAX 1024        /* daemons, places, params, messages, functions, variables: of each */
#define KNELL_FAIL_NODES_MAX 1024        /* nodes of a daemon */
#define KNELL_FAIL_RULES_MAX 4096        /* rules of a node */
#define KNELL_FAIL_DECLS_MAX 256         /* declarations of a daemon or node */
#define KNELL_FAIL_TERMS_MAX 128         /* numbers, names and operators of an expression */
#define KNELL_FAIL_ACTIONS_MAX 32        /* actions of a rule */
#define KNELL_FAIL_ARGUMENTS_MAX 16      /* arguments of a call: $arg1 to $arg16 */
#define KNELL_FAIL_INSTANCES_MAX (1u << 20)
#define KNELL_FAIL_NOTES_MAX 50 /* errors, and warnings, shown of one compilation */
#define KNELL_FAIL_FAULTS_MAX 8 /* run-time errors kept in one record */

/* An instance that took so many messages at one instant (see rules_per_instant) takes no more for this long. A timer of
 * less than one millisecond expires after one. Both together: no scenario can stop the time. */
#define KNELL_FAIL_REST_NS INT64_C(1000000)

/* ---- compiling --------------------------------------------------------------------------------------------------- */

struct knell_fail_source {
    const char *name; /* for the diagnostics */
    const char *text; /* need not end in 0 */
    size_t size;
};

/* -D name=value */
struct knell_fail_define {
    const char *name;
    int64_t value;
};

enum knell_fail_severity { KNELL_FAIL_ERROR, KNELL_FAIL_WARNING };

/* One diagnostic. line 0: it concerns the command line, not a place in the text. */
struct knell_fail_note {
    enum knell_fail_severity severity;
    uint32_t line;   /* from 1 */
    uint32_t column; /* in bytes, from 1 */
    uint32_t width;  /* bytes to underline, at least 1 */
    const char *text;
};

/* Called for each diagnostic, in the order in which they are found; the note lives during the call. */
struct knell_fail_reporter {
    void *driver;
    void (*note)(void *driver, const struct knell_fail_note *note);
};

struct knell_fail_program;

/* Bytes that suffice to compile any source of this size with so many defines. */
size_t knell_fail_program_room(size_t source_size, uint32_t define_count);

/* Compiles into `memory`; the source may go afterwards. KNELL_EINVAL: at least one error was reported. KNELL_EFULL:
 * less memory than knell_fail_program_room() and it did not suffice. */
int knell_fail_compile(const struct knell_fail_source *source, const struct knell_fail_define *defines,
                       uint32_t define_count, const struct knell_fail_reporter *reporter, void *memory, size_t size,
                       const struct knell_fail_program **program);

/* "file:line:col: error: text", the source line and a caret under the place. Like snprintf: returns the length that the
 * whole text has, writes at most size - 1 bytes of it and a 0. */
size_t knell_fail_note_format(const struct knell_fail_source *source, const struct knell_fail_note *note, char *buffer,
                              size_t size);

/* ---- asking a program -------------------------------------------------------------------------------------------- */

enum knell_fail_match { KNELL_FAIL_MATCH_RANK, KNELL_FAIL_MATCH_HOST };

/* A Computer (a group of one without an index) or a Group. */
struct knell_fail_place {
    const char *name;
    const char *program;         /* NULL: no process lives here */
    const char *hosts;           /* NULL: not said */
    const char *daemon;          /* NULL: no automaton */
    enum knell_fail_match match; /* how a (re)launched process finds its slot */
    bool group;
    uint32_t first; /* instance of slot 0 */
    uint32_t size;
};

/* A function named by before(), after() or inside(); library is NULL when any will do. A symbol that ends in a star is a family: all functions that
 * begin so. */
struct knell_fail_function {
    const char *library;
    const char *symbol;
};

uint32_t knell_fail_place_count(const struct knell_fail_program *program);
struct knell_fail_place knell_fail_place_at(const struct knell_fail_program *program, uint32_t place);
uint32_t knell_fail_function_count(const struct knell_fail_program *program);
struct knell_fail_function knell_fail_function_at(const struct knell_fail_program *program, uint32_t function);
/* Is the function of this name meant: is it the one, or of the family? */
bool knell_fail_function_means(const struct knell_fail_program *program, uint32_t function, const char *symbol);
bool knell_fail_function_is_family(const struct knell_fail_program *program, uint32_t function);
bool knell_fail_looks_inside(const struct knell_fail_program *program);       /* is there a rule of inside()? */
uint32_t knell_fail_variable_count(const struct knell_fail_program *program); /* of the program under test: $x */
const char *knell_fail_variable_at(const struct knell_fail_program *program, uint32_t variable); /* with the dollar */
/* Does the daemon of a place wait for the function, read, write or watch the variable? */
bool knell_fail_place_calls(const struct knell_fail_program *program, uint32_t place, uint32_t function);
bool knell_fail_place_touches(const struct knell_fail_program *program, uint32_t place, uint32_t variable);
/* How many variables one node watches, at most. */
uint32_t knell_fail_watches(const struct knell_fail_program *program);
uint32_t knell_fail_message_count(const struct knell_fail_program *program);
const char *knell_fail_message_at(const struct knell_fail_program *program, uint32_t message);
uint32_t knell_fail_instance_count(const struct knell_fail_program *program);
uint32_t knell_fail_instance_place(const struct knell_fail_program *program, uint32_t instance);

/* "P1", "G1[7]". Like snprintf. */
size_t knell_fail_instance_name(const struct knell_fail_program *program, uint32_t instance, char *buffer, size_t size);

/* The other way, also "G1[*]" and "G1[3..9]". KNELL_EINVAL: no such place or slot. */
int knell_fail_instance_find(const struct knell_fail_program *program, const char *name, uint32_t *first,
                             uint32_t *count);

/* ---- what a scenario needs, what an effector can ----------------------------------------------------------------- */

#define KNELL_FAIL_FEATURES(X)                     \
    X(ONLOAD, "onload")                            \
    X(ONEXIT, "onexit")                            \
    X(ONERROR, "onerror")                          \
    X(BEFORE, "before")                            \
    X(AFTER, "after")                              \
    X(INSIDE, "inside")                            \
    X(FAMILY, "a family of functions, PREFIX*")    \
    X(LIBRARY, "the library of a function, LIB:")  \
    X(ARGUMENT, "arguments of a call, $argN")      \
    X(WATCH, "watch")                              \
    X(READ, "reading a variable of the program")   \
    X(WRITE, "writing a variable of the program")  \
    X(HALT, "halt")                                \
    X(STOP, "stop")                                \
    X(CONTINUE, "continue")                        \
    X(SIGNAL, "signal")                            \
    X(SLOW, "slow")                                \
    X(CUT, "cut and heal")                         \
    X(FLIP_PAYLOAD, "flip of a message's payload") \
    X(FLIP_VARIABLE, "flip of a variable")         \
    X(HOSTS, "hosts")                              \
    X(MATCH_HOST, "match = \"host\"")

enum knell_fail_feature_number {
#define KNELL_FAIL_FEATURE_NUMBER(name, text) KNELL_FAIL_FEATURE_NUMBER_##name,
    KNELL_FAIL_FEATURES(KNELL_FAIL_FEATURE_NUMBER)
#undef KNELL_FAIL_FEATURE_NUMBER
        KNELL_FAIL_FEATURE_NUMBER_END
};
enum knell_fail_feature {
#define KNELL_FAIL_FEATURE_BIT(name, text) KNELL_FAIL_CAN_##name = 1 << KNELL_FAIL_FEATURE_NUMBER_##name,
    KNELL_FAIL_FEATURES(KNELL_FAIL_FEATURE_BIT)
#undef KNELL_FAIL_FEATURE_BIT
};

struct knell_fail_effector {
    const char *name;            /* one word: knell fail check --for NAME */
    const char *title;           /* as in "... cannot do this" */
    uint32_t can;                /* KNELL_FAIL_CAN_... */
    uint32_t never;              /* events that do not occur here and may be waited for all the same */
    const char *function_prefix; /* before, after and inside: only functions that start so; NULL: any */
    uint32_t arguments;          /* $arg1 to this one; 0: all */
};

/* The one table of who can do what: "simulator", "platform", "live", "ghost", "run", "agent"; NULL for another name. */
const struct knell_fail_effector *knell_fail_effector_find(const char *name);
const struct knell_fail_effector *knell_fail_effector_at(uint32_t number); /* NULL past the end */
const char *knell_fail_feature_text(uint32_t feature);                     /* one KNELL_FAIL_CAN_... */

/* Reports every use of what the effector cannot do, as an error at its place. Returns how many. */
uint32_t knell_fail_require(const struct knell_fail_program *program, const struct knell_fail_effector *effector,
                            const struct knell_fail_reporter *reporter);

/* ---- events ------------------------------------------------------------------------------------------------------ */

enum knell_fail_event_type {
    KNELL_FAIL_ONLOAD,  /* a process is there, held before its first instruction or where it was attached to */
    KNELL_FAIL_ONEXIT,  /* it ended with status 0 */
    KNELL_FAIL_ONERROR, /* it ended otherwise. After a halt of ours: feed it or not, it is ignored */
    KNELL_FAIL_BEFORE,  /* the process is stopped at the entry of function `subject` */
    KNELL_FAIL_AFTER,   /* ... at its return */
    KNELL_FAIL_INSIDE,  /* ... within it, before `operation`: see knell_fail_stop_inside() */
    KNELL_FAIL_WATCH,   /* ... after variable `subject` changed */
    KNELL_FAIL_MESSAGE, /* message `subject` from `sender`; fed only for senders hosted elsewhere */
    KNELL_FAIL_TIMER,   /* in records only; the interpreter keeps its timers itself */
};

struct knell_fail_event {
    enum knell_fail_event_type type;
    uint32_t instance;
    uint32_t subject;
    uint32_t sender;
    /* BEFORE, AFTER: which call of this function this is, from 1, counting the calls that were reported since the
     * process was loaded; 0: the interpreter counts. INSIDE: of which call it is; 0: of the last one. */
    uint64_t count;
    uint64_t operation; /* INSIDE: from 1 */
    /* BEFORE, AFTER, INSIDE: by which names the function is known, when `subject` is a family; NULL: by that of the subject alone.
     * One event a call: it is matched with every rule that means one of the names. */
    const char *symbol;
    const char *alias;
    const int64_t *arguments; /* BEFORE: of the call; the strings and these live as long as the record is used */
    uint32_t argument_count;
};

/* ---- what a step gives ------------------------------------------------------------------------------------------- */

enum knell_fail_action_type {
    KNELL_FAIL_SEND,     /* subject = message, to first .. first + count - 1; carry out only what is `remote` */
    KNELL_FAIL_GOTO,     /* subject = node; nothing to do */
    KNELL_FAIL_STAY,     /* nothing to do */
    KNELL_FAIL_ASSIGN,   /* text = variable of the daemon, value; nothing to do */
    KNELL_FAIL_HALT,     /* kill the process of rec.instance */
    KNELL_FAIL_STOP,     /* stop all its threads, or leave them stopped */
    KNELL_FAIL_CONTINUE, /* let it run */
    KNELL_FAIL_SIGNAL,   /* value = number of the signal */
    KNELL_FAIL_LOG,      /* text */
    KNELL_FAIL_SET,      /* variable `subject` of the process = value */
    KNELL_FAIL_FLIP, /* of the message at hand (knell_fail_flip), or bit `value`, modulo the size, of the variable `subject` */
    KNELL_FAIL_CUT,  /* the links between the machines of rec.instance and first .. first + count - 1, or, if */
    KNELL_FAIL_HEAL, /*   `alone`, between each of these and everyone; undo that */
    KNELL_FAIL_SLOW, /* the process gets `value` percent of its time, from 1 to 100 */
};

#define KNELL_FAIL_NO_SUBJECT UINT32_MAX

struct knell_fail_action {
    enum knell_fail_action_type type;
    bool vain;    /* there is no process, or it already is as wanted: do nothing */
    bool implied; /* not in the text: the continue that ends an event without a rule, or a breakpoint */
    bool remote;  /* SEND: receivers that this world does not host are among these */
    bool alone;
    uint32_t subject;
    uint32_t first;
    uint32_t count;
    uint32_t dropped; /* SEND: so many receivers did not get it because the world's mailboxes were full */
    int64_t value;
    int64_t whole; /* FLIP: every bit with a chance of value in whole; 0: bit `value` alone */
    uint64_t key;  /* FLIP with a chance: what the draws depend on */
    const char *text;
};

enum knell_fail_fault_type {
    KNELL_FAIL_FAULT_OVERFLOW, /* a result that is no 64-bit number */
    KNELL_FAIL_FAULT_DIVISION, /* by zero */
    KNELL_FAIL_FAULT_RANGE,    /* FAIL_RANDOM(a, b) with a > b, FAIL_CHANCE of nothing, a negative life span */
    KNELL_FAIL_FAULT_INDEX,    /* no such slot */
    KNELL_FAIL_FAULT_READ,     /* the variable of the program, or the argument, cannot be read now */
    KNELL_FAIL_FAULT_TIMER,    /* a negative time or one beyond the end of time */
    KNELL_FAIL_FAULT_PERCENT,  /* slow(p): not from 1 to 100 */
};
const char *knell_fail_fault_text(enum knell_fail_fault_type type);

struct knell_fail_fault {
    enum knell_fail_fault_type type;
    uint32_t line;
    uint32_t column;
};

enum knell_fail_outcome {
    KNELL_FAIL_FIRED,      /* the rule at line:column fired; actions */
    KNELL_FAIL_NO_RULE,    /* no rule takes this event; a held process is continued (in actions) */
    KNELL_FAIL_WAITS,      /* no rule takes this message now: it stays in the mailbox */
    KNELL_FAIL_NO_PROCESS, /* an event of a process that this slot has not, or has no longer: ignored */
    KNELL_FAIL_DROPPED,    /* a message that came from elsewhere: the mailboxes are full */
    KNELL_FAIL_RESTS,      /* too many at one instant: the instance takes no message for KNELL_FAIL_REST_NS */
    KNELL_FAIL_FAULTY,     /* only faults: a condition or the declarations of the first node could not be computed */
};

/* One line of the log. */
struct knell_fail_record {
    uint64_t sequence; /* from 1 */
    knell_time now;
    uint32_t instance;
    enum knell_fail_outcome outcome;
    struct knell_fail_event event; /* not for RESTS and FAULTY */
    uint32_t line;                 /* of the rule; 0 without one */
    uint32_t column;
    bool entered; /* a node was entered (perhaps the same again): ask knell_fail_armed() again */
    uint32_t action_count;
    uint32_t fault_count; /* all; the first KNELL_FAIL_FAULTS_MAX are in faults */
    struct knell_fail_action actions[KNELL_FAIL_ACTIONS_MAX + 1];
    struct knell_fail_fault faults[KNELL_FAIL_FAULTS_MAX];
};

/* ---- the world: all automata at work ----------------------------------------------------------------------------- */

struct knell_fail_config {
    uint64_t seed;              /* of the campaign: the draws depend on it, the instance and their number alone */
    knell_time message_delay;   /* between instances hosted here; constant, so messages stay in order */
    uint32_t messages;          /* the mailboxes together hold so many; 0: 4,096 and 4 per instance */
    uint32_t rules_per_instant; /* see KNELL_FAIL_REST_NS; 0: 1,024 and 4 per instance */
    uint32_t hosted_first;      /* this world hosts a range of the instances, the others live in other worlds; */
    uint32_t hosted_count;      /* 0: all are here */
    const uint8_t *
        hosted; /* or not a whole range: by instance of the program, 0 for those that live elsewhere; NULL: the range */
    void *driver;
    /* Reads a variable of the process of an instance; false: it cannot now. NULL: never. */
    bool (*read)(void *driver, uint32_t instance, uint32_t variable, int64_t *value);
};

struct knell_fail_world;

/* Bytes a world takes; 0 if the config is out of range. */
size_t knell_fail_world_size(const struct knell_fail_program *program, const struct knell_fail_config *config);

/* Makes a world out of a block of knell_fail_world_size() bytes; every hosted automaton enters its first node at `now`.
 * Faults of that come as records of the first steps. The config is copied; `hosted` must live as long as the world. */
int knell_fail_world_init(void *memory, const struct knell_fail_program *program,
                          const struct knell_fail_config *config, knell_time now, struct knell_fail_world **world);

/* With an event: takes it; 1. Without: takes the next ready message, else the next expired timer; 1, or 0 when
 * nothing is ready at `now`. Feed the process events of an instant before stepping without one. KNELL_EINVAL: a
 * number in the event is out of range, the instance is hosted elsewhere, or the time ran backwards. */
int knell_fail_step(struct knell_fail_world *world, knell_time now, const struct knell_fail_event *event,
                    struct knell_fail_record *record);

/* When the next message arrives or timer expires; KNELL_NEVER if all wait for events. */
knell_time knell_fail_deadline(const struct knell_fail_world *world);

/* What the current node of an instance names: the effector arms these breakpoints and watchpoints and no others. */
struct knell_fail_probe {
    enum knell_fail_event_type type; /* BEFORE, AFTER, INSIDE or WATCH */
    uint32_t subject;
};

/* A probe of INSIDE wants the process held at the entry of the function, too: by an event BEFORE, which counts the call. After that
 * event, and after each INSIDE of the same call, this says whether the process is to be held within the call: before which operation, the
 * next behind event->operation, and by which event. The event is that of the record. False: it runs to the end of the call. */
bool knell_fail_stop_inside(const struct knell_fail_world *world, const struct knell_fail_event *event,
                            struct knell_fail_event *stop);

/* How many probes are armed; the first `room` are written. None for an instance without a process. */
uint32_t knell_fail_armed(const struct knell_fail_world *world, uint32_t instance, struct knell_fail_probe *probes,
                          uint32_t room);
bool knell_fail_is_armed(const struct knell_fail_world *world, uint32_t instance, struct knell_fail_probe probe);

/* To hold a process at every call is dear. How many calls of this probe in a row, at most `most`, would find no rule, as things are: the
 * effector may let so many pass without a word. 0 if the node names another function too, or if a condition needs more than counts and
 * draws. Before the next step of any kind for this instance the effector says how many did pass. */
uint32_t knell_fail_idle(struct knell_fail_world *world, uint32_t instance, struct knell_fail_probe probe,
                         uint32_t most);
void knell_fail_passed(struct knell_fail_world *world, uint32_t instance, struct knell_fail_probe probe,
                       uint32_t calls);

/* All that the node does at this probe, and the only one it has, is flip bits of messages: a call without a message need not be held. */
bool knell_fail_only_flips(const struct knell_fail_world *world, uint32_t instance, struct knell_fail_probe probe);

/* ---- silent faults ----------------------------------------------------------------------------------------------- */

/* What a FLIP without a subject does to a message: copy it from the action. */
struct knell_fail_flip {
    int64_t value;
    int64_t whole;
    uint64_t key;
};

/* Flips bits of the message, and returns how many. With a chance their number is binomial and every choice of so many bits is
 * as likely; the same key flips the same bits of a message of the same size, on every machine. */
uint64_t knell_fail_flip(const struct knell_fail_flip *flip, void *message, size_t size);

/* ---- asking a world ---------------------------------------------------------------------------------------------- */

enum knell_fail_process { KNELL_FAIL_NONE, KNELL_FAIL_HELD, KNELL_FAIL_RUNNING, KNELL_FAIL_STOPPED };

struct knell_fail_counters {
    uint64_t records;
    uint64_t fired;
    uint64_t faults;
    uint64_t dropped; /* messages lost because the mailboxes were full */
    uint64_t rests;
};

enum knell_fail_process knell_fail_process_of(const struct knell_fail_world *world, uint32_t instance);
const char *knell_fail_node_of(const struct knell_fail_world *world, uint32_t instance); /* "" without a daemon */
uint32_t knell_fail_waiting(const struct knell_fail_world *world, uint32_t instance);    /* messages in its mailbox */
struct knell_fail_counters knell_fail_counters_of(const struct knell_fail_world *world);

/* The variable `number` of an instance's daemon, in the order of the text; false past the last. */
bool knell_fail_variable_of(const struct knell_fail_world *world, uint32_t instance, uint32_t number, const char **name,
                            int64_t *value);

/* One record as a line of text or of JSON, without the newline; the format is stable. Like snprintf. */
size_t knell_fail_record_text(const struct knell_fail_program *program, const struct knell_fail_record *record,
                              char *buffer, size_t size);
size_t knell_fail_record_json(const struct knell_fail_program *program, const struct knell_fail_record *record,
                              char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
