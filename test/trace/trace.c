/* Golden traces: a script, `----`, and what must be said and told when it is played.
 *
 *      test-trace                      plays test/trace/ and compares; shows the first line that differs
 *      KNELL_REWRITE=1 test-trace      writes what happens now below each script: read the diff before you commit
 *
 * One verb a line, `#` begins a comment:
 *      nodes N [eta=T] [delta=T] [tau=T] [hba] [latest]   first; all start at 0
 *      run T              time passes until T; a message takes tau
 *      crash R            R falls silent        cut R after K      R falls silent after K more messages
 *      suspect R at Q     Q is told by the kernel that R is dead
 *      leave R | trigger R | revoke R | propose R VALUE | everyone proposes VALUE   (VALUE is hexadecimal)
 *      lose               everything on the wire is lost */
#include "test.h"
#include "world.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse_nodes(struct world *w, char *words)
{
    char *rest = NULL, *word = strtok_r(words, " ", &rest);
    uint32_t ranks = word ? (uint32_t)strtoul(word, NULL, 10) : 0;
    if (ranks < 2 || ranks > 64 || w->slot)
        return false;
    world_open(w, ranks);
    while ((word = strtok_r(NULL, " ", &rest))) {
        if (sscanf(word, "eta=%" SCNd64, &w->config.eta) == 1 ||
            sscanf(word, "delta=%" SCNd64, &w->config.delta) == 1 || sscanf(word, "tau=%" SCNd64, &w->config.tau) == 1)
            continue;
        if (strcmp(word, "hba") == 0)
            w->config.overlay = KNELL_OVERLAY_HBA;
        else if (strcmp(word, "latest") == 0)
            w->config.latest_only = true;
        else
            return false;
    }
    w->delay = w->config.tau;
    if (knell_config_check(&w->config, NULL))
        return false;
    world_start(w);
    return true;
}

static bool play_event(struct world *w, const char *line)
{
    unsigned r, value, other;
    int end = 0;
    size_t size = strlen(line);
#define SAYS(format, ...) \
    (sscanf(line, format "%n", __VA_ARGS__, &end) >= 1 && (size_t)end == size && r < w->config.ranks)
    if (SAYS("crash %u", &r))
        return world_crash(w, r), true;
    if (SAYS("cut %u after %u", &r, &other))
        return w->slot[r].may_send = other, true;
    if (SAYS("suspect %u at %u", &r, &other) && other < w->config.ranks)
        return world_suspect(w, other, r, KNELL_WHY_KERNEL) == 0;
    if (SAYS("leave %u", &r))
        return world_leave(w, r) == 0;
    if (SAYS("trigger %u", &r))
        return world_trigger(w, r) == 0;
    if (SAYS("revoke %u", &r))
        return world_revoke(w, r, KNELL_WORLD) == 0;
    if (SAYS("propose %u %x", &r, &value))
        return world_propose(w, r, KNELL_WORLD, KNELL_KIND_AGREE, (uint8_t)value, 0) == 0;
#undef SAYS
    return false;
}

static bool play_line(struct world *w, char *line)
{
    int64_t until;
    unsigned value;
    if (strncmp(line, "nodes ", 6) == 0)
        return parse_nodes(w, line + 6);
    if (!w->slot)
        return false;
    if (sscanf(line, "run %" SCNd64, &until) == 1)
        return until >= w->now ? world_run(w, until), true : false;
    world_note(w, "* %s", line);
    if (strcmp(line, "lose") == 0) {
        while (w->wire_count)
            world_lose(w, 0);
        return true;
    }
    if (sscanf(line, "everyone proposes %x", &value) == 1) {
        for (knell_rank r = 0; r < w->config.ranks; r++)
            if (world_alive(w, r))
                world_propose(w, r, KNELL_WORLD, KNELL_KIND_AGREE, (uint8_t)value, 0);
        return true;
    }
    return play_event(w, line);
}

/* Plays the script part; false, with a word about it, when a line is not understood. */
static bool play(const char *path, const char *script, size_t size, struct world *w)
{
    char *copy = strndup(script, size), *rest = NULL;
    bool good = true;
    for (char *line = strtok_r(copy, "\n", &rest); line && good; line = strtok_r(NULL, "\n", &rest)) {
        char *end = line + strcspn(line, "#");
        while (end > line && end[-1] == ' ')
            end--;
        *end = '\0';
        if (*line && !play_line(w, line)) {
            fprintf(stderr, "%s: not understood, or refused: %s\n", path, line);
            good = false;
        }
    }
    free(copy);
    return good;
}

static void show_difference(const char *path, const char *want, const char *got)
{
    unsigned line = 1;
    for (size_t i = 0, begin = 0;; i++) {
        if (want[i] != got[i]) {
            fprintf(stderr, "%s: line %u of the trace differs\n  wanted: %.*s\n  got:    %.*s\n", path, line,
                    (int)strcspn(want + begin, "\n"), want + begin, (int)strcspn(got + begin, "\n"), got + begin);
            return;
        }
        if (want[i] == '\n') {
            line++;
            begin = i + 1;
        }
    }
}

static bool rewrite(const char *path, const char *script, size_t size, const char *log)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    fprintf(file, "%.*s----\n%s", (int)size, script, log);
    return fclose(file) == 0;
}

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 20);
    if (!file || !text || fread(text, 1, (1 << 20) - 1, file) == 0) {
        perror(path);
        exit(1);
    }
    fclose(file);
    return text;
}

static bool check(const char *path)
{
    struct world w = {.now = 0};
    char *text = read_all(path), *line = strstr(text, "\n----\n");
    size_t script = line ? (size_t)(line + 1 - text) : strlen(text);
    bool good = play(path, text, script, &w);
    const char *want = line ? line + 6 : "", *got = w.log ? w.log : "";
    if (good && getenv("KNELL_REWRITE"))
        good = rewrite(path, text, script, got);
    else if (good && strcmp(want, got) != 0) {
        show_difference(path, want, got);
        good = false;
    }
    if (w.slot)
        world_close(&w);
    free(text);
    return good;
}

TEST(every_trace)
{
    glob_t found;
    REQUIRE(glob(KNELL_TEST_DIR "/trace/*.txt", 0, NULL, &found) == 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        test_context("%s", strrchr(found.gl_pathv[i], '/') + 1);
        CHECK(check(found.gl_pathv[i]));
    }
    globfree(&found);
}
