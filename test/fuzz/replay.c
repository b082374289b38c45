/* replay: runs a fuzz target without a fuzzing engine: all files of a folder, then mutations of them.
 *
 *      fuzz-NAME FOLDER [MUTATIONS [FIRST]]        or        fuzz-NAME FILE
 *
 * Mutation k depends on the folder and on k alone. When the target dies, the command that shows it again is printed. It
 * finds what lies near the corpus; the far lands are for a fuzzing engine (KNELL_FUZZ). */
#include "util/prng.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    char *path;
    uint8_t *bytes;
    size_t size;
};

static struct input *corpus;
static size_t corpus_count;
static char again[4096]; /* how to see the present run once more */

static void die(const char *what, const char *path)
{
    fprintf(stderr, "replay: %s: %s\n", path, what);
    exit(2);
}

static void *need(void *memory)
{
    if (!memory)
        die("out of memory", "replay");
    return memory;
}

/* ---- dying ----------------------------------------------------------------------------------------------------- */

static void say_again(void)
{
    if (write(STDERR_FILENO, again, strlen(again)) < 0)
        return;
}

static void on_signal(int number)
{
    say_again();
    signal(number, SIG_DFL);
    raise(number);
}

/* There when a sanitizer is, and then the sanitizer ends the process, not a signal. */
extern void __sanitizer_set_death_callback(void (*)(void)) __attribute__((weak));

static void watch_for_death(void)
{
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(say_again);
    signal(SIGABRT, on_signal);
    if (!__sanitizer_set_death_callback)
        signal(SIGSEGV, on_signal);
}

/* ---- inputs ---------------------------------------------------------------------------------------------------- */

static void load(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        die("cannot be read", path);
    long size = ftell(file);
    rewind(file);
    struct input input = {.path = need(strdup(path)), .bytes = need(malloc((size_t)size + 1)), .size = (size_t)size};
    if (fread(input.bytes, 1, input.size, file) != input.size)
        die("cannot be read", path);
    fclose(file);
    corpus = need(realloc(corpus, (corpus_count + 1) * sizeof *corpus));
    corpus[corpus_count++] = input;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void load_folder(const char *folder)
{
    struct dirent **entry;
    int count = scandir(folder, &entry, is_visible, alphasort);
    if (count < 0)
        die("no such folder", folder);
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        load(path);
        free(entry[i]);
    }
    free(entry);
}

/* A copy of exactly that size: a sanitizer sees a byte too many. */
static void run(const uint8_t *bytes, size_t size)
{
    uint8_t *exact = need(malloc(size ? size : 1));
    memcpy(exact, bytes, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

/* ---- mutations ------------------------------------------------------------------------------------------------- */

#define MUTANT_MAX 65536

static const uint8_t telling[] = {0, 1, 2, 7, 8, 9, 15, 16, 31, 32, 63, 64, 127, 128, 129, 254, 255};

static size_t mutate_once(struct knell_prng *g, uint8_t *bytes, size_t size)
{
    const struct input *other = &corpus[knell_prng_below(g, corpus_count)];
    size_t at = knell_prng_below(g, size + 1), length = 1 + knell_prng_below(g, 8), from;
    switch (knell_prng_below(g, 7)) {
    case 0: /* one bit */
        if (at < size)
            bytes[at] ^= (uint8_t)(1u << knell_prng_below(g, 8));
        return size;
    case 1: /* one byte */
        if (at < size)
            bytes[at] = telling[knell_prng_below(g, sizeof telling)];
        return size;
    case 2:
        if (at < size)
            bytes[at] = (uint8_t)knell_prng_next(g);
        return size;
    case 3: /* cut out */
        length = length < size - at ? length : size - at;
        memmove(bytes + at, bytes + at + length, size - at - length);
        return size - length;
    case 4: /* cut off */
        return at;
    case 5: /* a piece of another one put in between */
        length = knell_prng_below(g, other->size + 1);
        from = knell_prng_below(g, other->size - length + 1);
        if (size + length > MUTANT_MAX)
            return size;
        memmove(bytes + at + length, bytes + at, size - at);
        memcpy(bytes + at, other->bytes + from, length);
        return size + length;
    default: /* a piece of its own put elsewhere */
        from = knell_prng_below(g, size + 1);
        length = length < size - at ? length : size - at;
        length = length < size - from ? length : size - from;
        memmove(bytes + at, bytes + from, length);
        return size;
    }
}

static void run_mutation(uint64_t number)
{
    static uint8_t bytes[MUTANT_MAX];
    struct knell_prng g;
    knell_prng_seed(&g, knell_prng_key(1, number));
    const struct input *parent = &corpus[knell_prng_below(&g, corpus_count)];
    size_t size = parent->size < MUTANT_MAX ? parent->size : MUTANT_MAX;
    memcpy(bytes, parent->bytes, size);
    for (uint64_t left = 1 + knell_prng_below(&g, 6); left > 0; left--)
        size = mutate_once(&g, bytes, size);
    run(bytes, size);
}

int main(int argc, char **argv)
{
    struct stat info;
    if (argc < 2 || argc > 4) {
        fprintf(stderr, "usage: %s FOLDER [MUTATIONS [FIRST]] | FILE\n", argv[0]);
        return 2;
    }
    if (stat(argv[1], &info) == 0 && !S_ISDIR(info.st_mode))
        load(argv[1]);
    else
        load_folder(argv[1]);
    if (corpus_count == 0)
        die("is empty", argv[1]);
    watch_for_death();
    for (size_t i = 0; i < corpus_count; i++) {
        snprintf(again, sizeof again, "again: %s %s\n", argv[0], corpus[i].path);
        run(corpus[i].bytes, corpus[i].size);
    }
    uint64_t mutations = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    for (uint64_t k = first; k < first + mutations; k++) {
        snprintf(again, sizeof again, "again: %s %s 1 %llu\n", argv[0], argv[1], (unsigned long long)k);
        run_mutation(k);
    }
    printf("%zu inputs, %llu mutations\n", corpus_count, (unsigned long long)mutations);
    for (size_t i = 0; i < corpus_count; i++) {
        free(corpus[i].path);
        free(corpus[i].bytes);
    }
    free(corpus);
    return 0;
}
