/* host: see host.h. */
#include "runtime/host.h"

#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { BOOT_ID = 64, TEXT = 256 };

static unsigned long long namespace_of(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 ? (unsigned long long)file.st_ino : 0;
}

static size_t name_boot(char text[BOOT_ID])
{
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? 0 : read(fd, text, BOOT_ID);
    if (fd >= 0)
        close(fd);
    return size > 0 ? (size_t)size : 0;
}

/* Namespaces have the same numbers on every machine; the boot has not, unless the machine is the copy of a running one: then it
 * has another name. */
static void name_machine(char text[TEXT])
{
    struct utsname names = {.nodename = ""};
    size_t size = name_boot(text);
    uname(&names);
    snprintf(text + size, TEXT - size, "%s", names.nodename);
}

static void hash(const char *text, uint8_t id[KNELL__HOST_ID])
{
    crypto_generichash(id, KNELL__HOST_ID, (const uint8_t *)text, strlen(text), NULL, 0);
}

void knell__host_id(const char *name, uint8_t id[KNELL__HOST_ID])
{
    char machine[TEXT], text[2 * TEXT];
    if (name) {
        hash(name, id);
        return;
    }
    name_machine(machine);
    snprintf(text, sizeof text, "%s %llu %llu", machine, namespace_of("/proc/self/ns/pid"),
             namespace_of("/proc/self/ns/time"));
    hash(text, id);
}

void knell__host_network(uint8_t id[KNELL__HOST_ID])
{
    char machine[TEXT], text[2 * TEXT];
    name_machine(machine);
    snprintf(text, sizeof text, "%s %llu", machine, namespace_of("/proc/self/ns/net"));
    hash(text, id);
}

void knell__host_machine(uint8_t id[KNELL__HOST_ID])
{
    char text[TEXT] = "";
    size_t size = name_boot(text);
    if (size == 0)
        name_machine(text);
    else
        text[size - 1] = '\0'; /* in the place of the newline */
    hash(text, id);
}
