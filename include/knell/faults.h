/* knell/faults.h: what a program tells whoever injects faults into it (`knell run --fail`, docs/use/scenarios.md).
 *
 *      int iteration = 0;
 *      KNELL_VARIABLE(iteration);          a scenario may say watch($iteration), $iteration >= 100, $iteration = 0
 *
 *      knell_faults_pause();               from here on no fault strikes this process,
 *      write_checkpoint();
 *      knell_faults_resume();              up to here: what came meanwhile is made up for now
 *
 *      knell_progress(iteration);          `knell run --on-stuck end` ends a job in which this stops growing
 *
 * There is nothing to link. Without Knell's layer in the process all of this does nothing: the layer is looked for when it is called. */
#ifndef KNELL_FAULTS_H
#define KNELL_FAULTS_H

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of a variable. Scenarios compute with whole numbers: a fraction is cut off when it is read. */
enum knell_type {
    KNELL_INT8 = 1,
    KNELL_UINT8,
    KNELL_INT16,
    KNELL_UINT16,
    KNELL_INT32,
    KNELL_UINT32,
    KNELL_INT64,
    KNELL_UINT64,
    KNELL_FLOAT,
    KNELL_DOUBLE
};

/* A function of the layer's that takes what the caller of `find` says; NULL: there is no layer. */
static inline void *knell_faults_find(const char *name)
{
    return dlsym((void *)0, name); /* RTLD_DEFAULT, whose name not every set of feature macros has */
}

/* From now on scenarios know the variable at this address as $name; it must live as long as the job, or until its name is given again, to
 * another address or to NULL. It is looked at, and changed, at MPI calls of this process. */
static inline void knell_variable(const char *name, void *address, enum knell_type type)
{
    void *found = knell_faults_find("knell_layer_variable");
    void (*tell)(const char *, void *, int);
    memcpy(&tell, &found, sizeof tell);
    if (tell)
        tell(name, address, (int)type);
}

static inline void knell_faults_call(const char *name)
{
    void *found = knell_faults_find(name);
    void (*call)(void);
    memcpy(&call, &found, sizeof call);
    if (call)
        call();
}

/* No fault strikes between the two. Calls in between are not counted, deaths, stops and signals that a scenario orders meanwhile come at
 * the resume. Pairs may be inside each other; they count for the whole process, whichever thread says so. */
static inline void knell_faults_pause(void)
{
    knell_faults_call("knell_layer_faults_pause");
}

static inline void knell_faults_resume(void)
{
    knell_faults_call("knell_layer_faults_resume");
}

/* The program has come so far: any measure that grows, such as the number of the iteration. A number that is not larger than an earlier
 * one of this process is no progress. */
static inline void knell_progress(int64_t done)
{
    void *found = knell_faults_find("knell_layer_progress");
    void (*tell)(int64_t);
    memcpy(&tell, &found, sizeof tell);
    if (tell)
        tell(done);
}

#ifdef __cplusplus
}
#endif

/* The type of a variable, and a variable by its own name: in C. */
#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define KNELL_TYPE_OF(x)                                                    \
    _Generic((x), _Bool                                                     \
             : KNELL_UINT8, char                                            \
             : KNELL_INT8, signed char                                      \
             : KNELL_INT8, unsigned char                                    \
             : KNELL_UINT8, short                                           \
             : KNELL_INT16, unsigned short                                  \
             : KNELL_UINT16, int                                            \
             : KNELL_INT32, unsigned                                        \
             : KNELL_UINT32, long                                           \
             : sizeof(long) == 8 ? KNELL_INT64 : KNELL_INT32, unsigned long \
             : sizeof(long) == 8 ? KNELL_UINT64 : KNELL_UINT32, long long   \
             : KNELL_INT64, unsigned long long                              \
             : KNELL_UINT64, float                                          \
             : KNELL_FLOAT, double                                          \
             : KNELL_DOUBLE)
#define KNELL_VARIABLE(x) knell_variable(#x, &(x), KNELL_TYPE_OF(x))
#endif

#endif
