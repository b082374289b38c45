/* point.c: breakpoints. An int3 is one byte, written while other threads run: they execute either the old byte or the new one. */
#include "agent/state.h"

#include <stdlib.h>
#include <string.h>

static unsigned place_of(const struct agent_image *image, uint64_t address)
{
    unsigned low = 0, high = image->points;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (image->point[middle]->address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct agent_point *point_find(const struct agent_image *image, uint64_t address)
{
    unsigned at = place_of(image, address);
    return at < image->points && image->point[at]->address == address ? image->point[at] : NULL;
}

static bool make_room(struct agent_image *image)
{
    if (image->points < image->room)
        return true;
    unsigned room = image->room ? 2 * image->room : 16;
    struct agent_point **more = realloc(image->point, room * sizeof *more);
    if (!more)
        return false;
    image->point = more;
    image->room = room;
    return true;
}

/* What the code is without our breakpoints. */
static void read_code(const struct agent_image *image, struct agent_point *point)
{
    point->size = INSTRUCTION_MAX;
    while (point->size > 0 && !image_read(image, point->address, point->code, point->size))
        point->size--;
    for (unsigned i = place_of(image, point->address); i < image->points; i++) {
        const struct agent_point *other = image->point[i];
        if (other->address >= point->address + point->size)
            break;
        if (other->inserted)
            point->code[other->address - point->address] = other->code[0];
    }
}

struct agent_point *point_add(struct agent_image *image, uint64_t address)
{
    unsigned at = place_of(image, address);
    if (at < image->points && image->point[at]->address == address) {
        if (image->point[at]->size == 0)
            read_code(image, image->point[at]);
        return image->point[at];
    }
    struct agent_point *point = make_room(image) ? calloc(1, sizeof *point) : NULL;
    if (!point)
        return NULL;
    point->address = address;
    read_code(image, point);
    memmove(image->point + at + 1, image->point + at, (image->points - at) * sizeof(struct agent_point *));
    image->point[at] = point;
    image->points++;
    return point;
}

static bool write_byte(struct agent_image *image, struct agent_point *point, bool in)
{
    static const uint8_t int3 = 0xcc;
    return image_write(image, point->address, in ? &int3 : point->code, 1);
}

bool point_settle(struct agent_image *image, struct agent_point *point)
{
    bool wanted = point->armed || point->returns > 0;
    if (wanted == point->inserted || point->size == 0)
        return point->size > 0;
    if (!write_byte(image, point, wanted))
        return false;
    point->inserted = wanted;
    return true;
}

void point_take_out_all(struct agent_image *image)
{
    for (unsigned i = 0; i < image->points; i++) {
        struct agent_point *point = image->point[i];
        if (point->inserted)
            write_byte(image, point, false);
        point->inserted = false;
        point->armed = point->returns = 0;
    }
}

/* Calls may be under way that know the points. */
void point_forget(struct agent_image *image, uint64_t start, uint64_t end)
{
    for (unsigned i = place_of(image, start); i < image->points && image->point[i]->address < end; i++) {
        struct agent_point *point = image->point[i];
        point->inserted = false;
        point->armed = point->functions = point->returns = 0;
        point->size = 0;
        point->aside = 0;
    }
}
