/* variable.c: variables of the program under test: where they are, reading, writing. A name is looked up in the program first, then in its
 * libraries in the order in which they are mapped. */
#include "agent/state.h"
#include "symbols/table.h"
#include "symbols/variable.h"

#include <stdlib.h>
#include <string.h>

/* ---- where ------------------------------------------------------------------------------------------------------- */

static bool find_in(const struct agent_module *module, const char *name, struct agent_variable *found)
{
    char why[128];
    if (!symbols_variable_find(module->file->table, name, &found->symbol, why, sizeof why))
        return false;
    found->bias = module->bias;
    return true;
}

static struct agent_variable *find(const struct agent *agent, struct agent_image *image, uint32_t variable)
{
    const struct knell_fail_program *program = agent->config.program;
    if (!image->variable)
        image->variable = calloc(knell_fail_variable_count(program), sizeof *image->variable);
    if (!image->variable)
        return NULL;
    struct agent_variable *found = &image->variable[variable];
    for (unsigned i = found->looked; i < image->modules && !found->is_known; i++)
        found->is_known = find_in(&image->module[i], knell_fail_variable_at(program, variable) + 1, found);
    found->looked = image->modules;
    return found->is_known ? found : NULL;
}

bool variable_locate(const struct agent *agent, struct agent_image *image, uint32_t variable, uint64_t *address,
                     const struct symbols_variable **symbol)
{
    const struct agent_variable *found = find(agent, image, variable);
    if (!found)
        return false;
    *symbol = &found->symbol;
    *address = found->symbol.address + found->bias;
    for (unsigned i = 0; i < found->symbol.steps; i++) {
        *address += found->symbol.step[i].offset;
        if (found->symbol.step[i].follows && (!image_read(image, *address, address, sizeof *address) || *address == 0))
            return false;
    }
    return true;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static int64_t number_of(const struct symbols_variable *symbol, const uint8_t bytes[8])
{
    uint64_t whole = 0;
    double real;
    float single;
    memcpy(&whole, bytes, symbol->size);
    memcpy(&real, bytes, sizeof real);
    memcpy(&single, bytes, sizeof single);
    if (symbol->type == SYMBOLS_REAL)
        real = symbol->size == sizeof single ? (double)single : real;
    if (symbol->type == SYMBOLS_REAL)
        return real >= -9.2e18 && real <= 9.2e18 ? (int64_t)real : 0;
    unsigned unused = 64 - 8 * symbol->size;
    return symbol->type == SYMBOLS_SIGNED ? (int64_t)(whole << unused) >> unused : (int64_t)whole;
}

static void bytes_of(const struct symbols_variable *symbol, int64_t value, uint8_t bytes[8])
{
    double real = (double)value;
    float single = (float)value;
    if (symbol->type != SYMBOLS_REAL)
        memcpy(bytes, &value, sizeof value);
    else if (symbol->size == sizeof single)
        memcpy(bytes, &single, sizeof single);
    else
        memcpy(bytes, &real, sizeof real);
}

bool variable_value(const struct agent *agent, struct agent_image *image, uint32_t variable, int64_t *value)
{
    const struct symbols_variable *symbol;
    uint8_t bytes[8] = {0};
    uint64_t address;
    if (!variable_locate(agent, image, variable, &address, &symbol) || !image_read(image, address, bytes, symbol->size))
        return false;
    *value = number_of(symbol, bytes);
    return true;
}

bool variable_read(void *driver, uint32_t instance, uint32_t variable, int64_t *value)
{
    const struct agent *agent = driver;
    const struct agent_process *process = agent->slot[instance];
    return process && variable_value(agent, process->image, variable, value);
}

static void complain(const struct agent *agent, const struct agent_process *process, uint32_t variable)
{
    agent_say(agent, false, "%s cannot be written in process %ld",
              knell_fail_variable_at(agent->config.program, variable), (long)process->pid);
}

void variable_write(struct agent *agent, struct agent_process *process, uint32_t variable, int64_t value)
{
    const struct symbols_variable *symbol;
    uint8_t bytes[8];
    uint64_t address;
    if (!variable_locate(agent, process->image, variable, &address, &symbol)) {
        complain(agent, process, variable);
        return;
    }
    bytes_of(symbol, value, bytes);
    if (!image_write(process->image, address, bytes, symbol->size))
        complain(agent, process, variable);
}

void variable_flip(struct agent *agent, struct agent_process *process, uint32_t variable, uint64_t bit)
{
    const struct symbols_variable *symbol;
    uint64_t address;
    uint8_t byte;
    if (!variable_locate(agent, process->image, variable, &address, &symbol)) {
        complain(agent, process, variable);
        return;
    }
    bit %= 8 * symbol->size;
    address += bit / 8;
    if (!image_read(process->image, address, &byte, 1))
        return;
    byte ^= (uint8_t)(1u << bit % 8);
    if (!image_write(process->image, address, &byte, 1))
        complain(agent, process, variable);
}
