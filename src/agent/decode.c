/* decode.c: how long an instruction of x86-64 is, and where its parts are. It knows the maps of opcodes up to AVX-512, not what they do;
 * what is no instruction may get a length all the same. */
#include "agent/state.h"

enum { NONE = 0, MODRM = 1, BYTE = 2, WORD = 4, LONG = 8, GROUP3 = 16, WIDE = 32, OFFSET = 64, BAD = 128 };

/* LONG: 4 bytes, 2 with the prefix 66. WIDE: 8 with REX.W. */
static unsigned form_of_low(unsigned op)
{
    static const uint8_t forms[8] = {MODRM, MODRM, MODRM, MODRM, BYTE, LONG, BAD, BAD};
    return forms[op & 7];
}

static unsigned form_of_60(unsigned op)
{
    static const uint8_t forms[16] = {BAD,  BAD,          BAD,  MODRM,        NONE, NONE, NONE, NONE,
                                      LONG, MODRM | LONG, BYTE, MODRM | BYTE, NONE, NONE, NONE, NONE};
    return forms[op & 15];
}

static unsigned form_of_80(unsigned op)
{
    static const uint8_t forms[16] = {MODRM | BYTE, MODRM | LONG, BAD,   MODRM | BYTE, MODRM, MODRM, MODRM, MODRM,
                                      MODRM,        MODRM,        MODRM, MODRM,        MODRM, MODRM, MODRM, MODRM};
    return forms[op & 15];
}

static unsigned form_of_c0(unsigned op)
{
    static const uint8_t forms[16] = {MODRM | BYTE, MODRM | BYTE, WORD, NONE, BAD,  BAD,  MODRM | BYTE, MODRM | LONG,
                                      WORD | BYTE,  NONE,         WORD, NONE, NONE, BYTE, BAD,          NONE};
    return forms[op & 15];
}

static unsigned form_of_e0(unsigned op)
{
    static const uint8_t forms[16] = {BYTE, BYTE, BYTE, BYTE, BYTE, BYTE, BYTE, BYTE,
                                      LONG, LONG, BAD,  BYTE, NONE, NONE, NONE, NONE};
    return forms[op & 15];
}

static unsigned form_of_f0(unsigned op)
{
    static const uint8_t forms[16] = {NONE, NONE, NONE, NONE, NONE, NONE, MODRM | GROUP3, MODRM | GROUP3,
                                      NONE, NONE, NONE, NONE, NONE, NONE, MODRM,          MODRM};
    return forms[op & 15];
}

static unsigned form_of_one(unsigned op)
{
    if (op < 0x40)
        return form_of_low(op);
    switch (op >> 4) {
    case 0x6:
        return form_of_60(op);
    case 0x7:
        return BYTE;
    case 0x8:
        return form_of_80(op);
    case 0x9:
        return op == 0x9a ? BAD : NONE;
    case 0xa:
        return op < 0xa4 ? OFFSET : op == 0xa8 ? BYTE : op == 0xa9 ? LONG : NONE;
    case 0xb:
        return op < 0xb8 ? BYTE : WIDE;
    case 0xc:
        return form_of_c0(op);
    case 0xd:
        return op >= 0xd4 && op <= 0xd6 ? BAD : op == 0xd7 ? NONE : MODRM;
    case 0xe:
        return form_of_e0(op);
    case 0xf:
        return form_of_f0(op);
    default:
        return NONE; /* push and pop */
    }
}

/* After 0f. */
static unsigned form_of_two(unsigned op)
{
    if ((op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 ||
        (op >= 0xc4 && op <= 0xc6))
        return MODRM | BYTE;
    if (op >= 0x80 && op <= 0x8f)
        return LONG;
    if ((op >= 0x05 && op <= 0x0b) || op == 0x0e || (op >= 0x30 && op <= 0x37) || op == 0x77 ||
        (op >= 0xa0 && op <= 0xa2) || (op >= 0xa8 && op <= 0xaa) || (op >= 0xc8 && op <= 0xcf))
        return NONE;
    return MODRM;
}

static unsigned form_of_map(unsigned map, unsigned op)
{
    return map == 1 ? form_of_two(op) : map == 2 ? MODRM : map == 3 ? MODRM | BYTE : BAD;
}

/* The bytes that an operand in memory adds to the byte that names it. */
static unsigned memory_size(const uint8_t *modrm, unsigned left)
{
    unsigned mod = modrm[0] >> 6, rm = modrm[0] & 7, size = 1;
    if (mod == 3)
        return 1;
    if (rm == 4) {
        size++;
        if (left > 1 && mod == 0 && (modrm[1] & 7) == 5)
            size += 4;
    }
    return size + (mod == 1 ? 1 : mod == 2 || (mod == 0 && rm == 5) ? 4 : 0);
}

struct reader {
    const uint8_t *code;
    unsigned size, at;
    bool is_short; /* 66 */
    bool is_wide;  /* REX.W */
};

static unsigned immediate_size(const struct reader *r, unsigned form, unsigned op, unsigned modrm)
{
    unsigned size = (form & BYTE ? 1 : 0) + (form & WORD ? 2 : 0);
    if (form & LONG)
        size += r->is_short && !r->is_wide && op != 0xe8 && op != 0xe9 ? 2 : 4;
    if (form & WIDE)
        size += r->is_wide ? 8 : r->is_short ? 2 : 4;
    if (form & OFFSET)
        size += 8;
    if (form & GROUP3 && (modrm >> 3 & 7) < 2)
        size += op == 0xf6 ? 1 : r->is_short && !r->is_wide ? 2 : 4;
    return size;
}

static bool is_prefix(uint8_t byte)
{
    return byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e ||
           byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 || byte == 0x65;
}

static void read_prefixes(struct reader *r, struct instruction *found)
{
    while (r->at < r->size && is_prefix(r->code[r->at]))
        r->is_short |= r->code[r->at++] == 0x66;
    if (r->at < r->size && (r->code[r->at] & 0xf0) == 0x40) {
        found->rex_at = r->at;
        found->has_rex = true;
        r->is_wide = r->code[r->at++] & 8;
    }
}

/* VEX, EVEX, 0f, 0f 38, 0f 3a, or the byte itself. Leaves `at` behind the opcode. */
static unsigned read_opcode(struct reader *r, struct instruction *found)
{
    const uint8_t *c = r->code + r->at;
    unsigned left = r->size - r->at;
    if (left >= 5 && c[0] == 0x62) {
        found->is_vex = true;
        r->at += 5;
        return form_of_map(c[1] & 7, c[4]);
    }
    if (left >= 4 && c[0] == 0xc4) {
        found->is_vex = true;
        r->at += 4;
        return form_of_map(c[1] & 31, c[3]);
    }
    if (left >= 3 && c[0] == 0xc5) {
        found->is_vex = true;
        r->at += 3;
        return form_of_map(1, c[2]);
    }
    if (left >= 3 && c[0] == 0x0f && (c[1] == 0x38 || c[1] == 0x3a)) {
        r->at += 3;
        return form_of_map(c[1] == 0x38 ? 2 : 3, c[2]);
    }
    if (left >= 2 && c[0] == 0x0f) {
        r->at += 2;
        found->is_two = true;
        return form_of_two(c[1]);
    }
    r->at++;
    return form_of_one(c[0]);
}

struct instruction decode(const uint8_t *code, unsigned size)
{
    struct reader r = {.code = code, .size = size};
    struct instruction found = {0};
    read_prefixes(&r, &found);
    if (r.at >= size)
        return found;
    unsigned form = read_opcode(&r, &found), modrm = 0;
    found.opcode_at = r.at - 1;
    if (form & MODRM && r.at < size) {
        found.modrm_at = r.at;
        modrm = code[r.at];
        r.at += memory_size(code + r.at, size - r.at);
    }
    unsigned op = found.is_vex || found.is_two ? 0x100 : code[found.opcode_at];
    r.at += immediate_size(&r, form, op, modrm);
    found.size = form & BAD || r.at > size ? 0 : r.at;
    return found;
}
