/* Places of addresses in this program itself, and in copies of it without debug information and without symbols. */
#include "symbols/symbols.h"
#include "test.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __clang__
#define STAY __attribute__((noinline, optnone))
#else
#define STAY __attribute__((noinline, noclone, noipa))
#endif

static char self[1024];
static uint64_t base;
static uint8_t build_id[64];
static size_t build_id_size;

/* ---- what this program knows of itself ------------------------------------------------------------------------- */

static void take_notes(const char *at, const char *end)
{
    while (end - at > (ptrdiff_t)sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
        const char *name = at + sizeof *note, *content = name + (note->n_namesz + 3) / 4 * 4;

        if (note->n_type == NT_GNU_BUILD_ID && note->n_descsz <= sizeof build_id) {
            build_id_size = note->n_descsz;
            memcpy(build_id, content, build_id_size);
        }
        at = content + (note->n_descsz + 3) / 4 * 4;
    }
}

static int take_first(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE && info->dlpi_phdr[i].p_align == 4)
            take_notes((const char *)(base + info->dlpi_phdr[i].p_vaddr),
                       (const char *)(base + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz));
    return 1; /* the program comes before its libraries */
}

__attribute__((constructor)) static void know_self(void)
{
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        abort();
    dl_iterate_phdr(take_first, NULL);
}

/* ---- places ----------------------------------------------------------------------------------------------------- */

static STAY uint64_t return_address(void)
{
    return (uint64_t)(uintptr_t)__builtin_return_address(0) - base;
}

/* By name in a program without debug information, so it is no static one. */
uint64_t symbols_test_landmark(int *line);

STAY uint64_t symbols_test_landmark(int *line)
{
    *line = __LINE__ + 1;
    uint64_t offset = return_address();
    __asm__ volatile("" : : : "memory"); /* no tail call */
    return offset;
}

static void expect(const char *path, uint64_t offset, bool is_return_address, const char *expected)
{
    struct symbols *symbols = symbols_open();
    char text[200];

    for (int again = 0; again < 2; again++) { /* the second time from what it keeps */
        symbols_place(symbols, path, build_id, build_id_size, offset, is_return_address, text, sizeof text);
        CHECK_STR(text, expected);
    }
    symbols_close(symbols);
}

TEST(a_line)
{
    char expected[64];
    int line;
    uint64_t offset = symbols_test_landmark(&line);

    snprintf(expected, sizeof expected, "symbols_test.c:%d", line);
    CHECK(build_id_size > 0);
    expect(self, offset, true, expected);
    expect(self, offset - 1, false, expected);
}

TEST(the_first_line_of_a_function)
{
    struct symbols *symbols = symbols_open();
    char text[64];
    int line;

    symbols_test_landmark(&line);
    symbols_place(symbols, self, NULL, 0, (uint64_t)(uintptr_t)symbols_test_landmark - base, false, text, sizeof text);
    CHECK(strncmp(text, "symbols_test.c:", 15) == 0);
    CHECK(line - 4 <= atoi(text + 15) && atoi(text + 15) <= line);
    symbols_close(symbols);
}

static const char *copy_of_self(const char *folder, const char *stripped)
{
    static char path[256];
    char command[2048];

    snprintf(path, sizeof path, "%s/copy", folder);
    snprintf(command, sizeof command, "objcopy %s '%s' '%s'", stripped, self, path);
    return system(command) == 0 ? path : NULL;
}

TEST(copies)
{
    char folder[] = "/tmp/knell-symbols-XXXXXX", expected[64];
    int line;
    uint64_t offset = symbols_test_landmark(&line),
             inside = offset - ((uint64_t)(uintptr_t)symbols_test_landmark - base);
    const char *path;

    REQUIRE(mkdtemp(folder) != NULL);
    path = copy_of_self(folder, "--remove-section=.debug_aranges"); /* as clang has it */
    REQUIRE(path != NULL);
    snprintf(expected, sizeof expected, "symbols_test.c:%d", line);
    expect(path, offset, true, expected);
    path = copy_of_self(folder, "--strip-debug");
    REQUIRE(path != NULL);
    snprintf(expected, sizeof expected, "symbols_test_landmark+0x%llx", (unsigned long long)inside);
    expect(path, offset, true, expected);
    path = copy_of_self(folder, "--strip-all");
    REQUIRE(path != NULL);
    snprintf(expected, sizeof expected, "copy+0x%llx", (unsigned long long)offset);
    expect(path, offset, true, expected);
    unlink(path);
    expect(path, offset, true, expected);
    rmdir(folder);
}

TEST(a_file_that_has_changed)
{
    char expected[1200];
    int line;
    uint64_t offset = symbols_test_landmark(&line);

    snprintf(expected, sizeof expected, "%s+0x%llx (the file has changed)", strrchr(self, '/') + 1,
             (unsigned long long)offset);
    build_id[3] ^= 1;
    expect(self, offset, true, expected);
    build_id[3] ^= 1;
    build_id_size--;
    expect(self, offset, true, expected);
    build_id_size++;
}

/* The same path with two build ids, as after a rebuild: each has its answer. */
TEST(both_builds)
{
    struct symbols *symbols = symbols_open();
    char text[200];
    int line;
    uint64_t offset = symbols_test_landmark(&line);

    build_id[0] ^= 1;
    symbols_place(symbols, self, build_id, build_id_size, offset, true, text, sizeof text);
    CHECK(strstr(text, "changed") != NULL);
    build_id[0] ^= 1;
    symbols_place(symbols, self, build_id, build_id_size, offset, true, text, sizeof text);
    CHECK(strstr(text, "changed") == NULL);
    symbols_close(symbols);
}

TEST(what_is_no_program)
{
    char folder[] = "/tmp/knell-symbols-XXXXXX", pipe[64];

    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(pipe, sizeof pipe, "%s/pipe", folder);
    CHECK(mkfifo(pipe, 0600) == 0); /* nobody writes: it must not be waited for */
    expect(pipe, 0x12, true, "pipe+0x12");
    expect("/nowhere/libfoo.so", 0x1234, true, "libfoo.so+0x1234");
    expect("linux-vdso.so.1", 0x800, true, "linux-vdso.so.1+0x800");
    expect("/etc/passwd", 0, true, "passwd+0x0");
    expect("/tmp", UINT64_MAX, true, "tmp+0xffffffffffffffff");
    expect("", 1, false, "+0x1");
    unlink(pipe);
    rmdir(folder);
}

TEST(addresses_outside)
{
    char expected[1100];

    snprintf(expected, sizeof expected, "%s+0xffffffffffffffff", strrchr(self, '/') + 1);
    expect(self, UINT64_MAX, false, expected);
    snprintf(expected, sizeof expected, "%s+0x0", strrchr(self, '/') + 1);
    expect(self, 0, true, expected);
}

TEST(a_small_buffer)
{
    struct symbols *symbols = symbols_open();
    char text[8] = "1234567";

    symbols_place(symbols, "/nowhere/libfoo.so", NULL, 0, 1, true, text, 4);
    CHECK_STR(text, "lib");
    CHECK_STR(text + 4, "567");
    symbols_close(symbols);
    symbols_close(NULL);
}
