/* decode.c: reads instructions as objdump prints their bytes, one a line, "48 83 ec 08", and says whose length decode() gets wrong. */
#include "agent/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned read_bytes(char *line, uint8_t code[INSTRUCTION_MAX])
{
    unsigned count = 0;
    for (char *byte = strtok(line, " \n"); byte && count < INSTRUCTION_MAX; byte = strtok(NULL, " \n"))
        code[count++] = (uint8_t)strtoul(byte, NULL, 16);
    return count;
}

int main(void)
{
    char line[256], copy[256];
    unsigned long good = 0, bad = 0;
    while (fgets(line, sizeof line, stdin)) {
        uint8_t code[INSTRUCTION_MAX];
        memset(code, 0xcc, sizeof code);
        memcpy(copy, line, sizeof copy);
        unsigned size = read_bytes(line, code), got = decode(code, INSTRUCTION_MAX).size;
        good += got == size;
        bad += got != size;
        if (got != size && bad <= 20)
            printf("%u, not %u: %s", got, size, copy);
    }
    printf("%lu instructions, %lu with another length\n", good + bad, bad);
    return bad > 0 || good < 1000;
}
