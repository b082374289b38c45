/* agree.c: agreement on a value, early returning and uniform among all who live (docs/design/protocol.md, "Agreement").
 *
 * Contributions are folded up the tree (UP), the root's decision goes down (DOWN); a node returns when the decision
 * passes it. What holds it together under crashes:
 *  - A reign is the time of one acting root, named by its index. An UP counts only for the reign it was said in, and
 *    saying it promises: nothing that an earlier root decided will be accepted from a dead node. A new root that has all
 *    the UPs of its reign thus knows that no living member holds a decision, and may decide anew (I8).
 *  - Where a network may split, a reign is also that of one D: who speaks in it knows the same dead (split.c).
 *  - Who holds a decision never says UP again; it hands the decision to whoever sends it an UP, and to its new parent
 *    when the old one dies.
 *  - Messages from the known dead are dropped before they come here (I3), and carry the sender's dead set, merged before
 *    too: no node speaks with another about a reign that only one of them knows to be over.
 * Two slots per kind and group suffice: a contribution to instance i + 1 proves that its sender returned from i. */
#include "core/agree.h"
#include "core/dead.h"
#include "core/memory.h"
#include "core/registry.h"
#include "core/split.h"
#include "core/tree.h"
#include "util/rankset.h"

#include <assert.h>
#include <string.h>

/* Where an agreement keeps values and ranges: per slot limits.dead_ranges ranges, then limits.value_bytes bytes. */
static char *store_of(struct knell_node *node, const struct knell__agreement *agreement, const struct knell__slot *slot)
{
    struct knell__areas areas = knell__areas_of(&node->limits);
    const struct knell__agreement *first = (const struct knell__agreement *)((char *)node + areas.agreements);
    size_t each = node->limits.agreements ? (areas.pending - areas.stores) / node->limits.agreements / 2 : 0;
    size_t number = (size_t)(agreement - first) * 2 + (size_t)(slot - agreement->slot);
    return (char *)node + areas.stores + number * each;
}

static struct knell_range *ranges_of(struct knell_node *node, const struct knell__agreement *agreement,
                                     const struct knell__slot *slot)
{
    return (struct knell_range *)store_of(node, agreement, slot);
}

static uint8_t *value_of(struct knell_node *node, const struct knell__agreement *agreement,
                         const struct knell__slot *slot)
{
    return (uint8_t *)(ranges_of(node, agreement, slot) + node->limits.dead_ranges);
}

struct knell__agreement *knell__agreements(struct knell_node *node)
{
    return (struct knell__agreement *)((char *)node + knell__areas_of(&node->limits).agreements);
}

struct knell__agreement *knell__agreement_find(struct knell_node *node, uint64_t group, unsigned kind)
{
    struct knell__agreement *agreement = knell__agreements(node);
    for (uint32_t i = 0; i < node->agreements; i++)
        if (agreement[i].group == group && agreement[i].kind == kind)
            return &agreement[i];
    return NULL;
}

static struct knell__agreement *find_or_add(struct knell_node *node, uint64_t group, unsigned kind)
{
    struct knell__agreement *found = knell__agreement_find(node, group, kind);
    if (found)
        return found;
    assert(node->agreements < node->limits.agreements);
    found = knell__agreements(node) + node->agreements++;
    *found = (struct knell__agreement){.group = group, .kind = (uint8_t)kind};
    return found;
}

/* The slot of an instance, opened if need be; NULL when the instance is over for everyone, or cannot have begun. */
static struct knell__slot *slot_for(struct knell__agreement *agreement, uint32_t instance)
{
    struct knell__slot *slot = &agreement->slot[instance & 1];
    if (instance > agreement->next || (slot->state != KNELL__SLOT_FREE && slot->instance > instance))
        return NULL;
    if (slot->state == KNELL__SLOT_FREE || slot->instance < instance) {
        if (slot->state == KNELL__SLOT_OPEN)
            return NULL;
        *slot = (struct knell__slot){.instance = instance,
                                     .state = KNELL__SLOT_OPEN,
                                     .reign = KNELL_NOBODY,
                                     .said_to = KNELL_NOBODY,
                                     .told_by = KNELL_NOBODY,
                                     .asks = KNELL_NOBODY};
    }
    return slot;
}

/* ---- one instance, with all that belongs to it -------------------------------------------------------------------------- */

struct knell__at knell__at_make(struct knell__step *step, const struct knell_group *group,
                                struct knell__agreement *agreement, struct knell__slot *slot)
{
    return (struct knell__at){step, group, agreement, slot, knell__tree_index(group, step->node->self)};
}

void knell__agree_fill(struct knell__at *at, enum knell_message type, struct knell_body *body)
{
    struct knell_node *node = at->step->node;
    *body = (struct knell_body){
        .type = (uint8_t)type,
        .flags = at->slot->flags,
        .kind = at->agreement->kind,
        .operation = at->slot->operation,
        .sequence = at->slot->instance,
        .subject = KNELL_NOBODY,
        .group = at->agreement->group,
        .acked = at->slot->acked,
        .root = at->slot->reign,
        .value_size = at->slot->value_size,
        .value = value_of(node, at->agreement, at->slot),
        .dead = knell__dead(node),
    };
    if (type == KNELL_MESSAGE_UP)
        body->known = at->slot->known;
    if (type == KNELL_MESSAGE_DOWN) {
        body->agreed = ranges_of(node, at->agreement, at->slot);
        body->agreed_ranges = at->slot->ranges;
    }
}

static void tell_decision(struct knell__at *at)
{
    struct knell_node *node = at->step->node;
    if (!at->slot->asked)
        return;
    knell__tell(at->step, &(struct knell_fact){
                              .type = KNELL_FACT_DECIDED,
                              .rank = node->self,
                              .group = at->agreement->group,
                              .kind = at->agreement->kind,
                              .instance = at->slot->instance,
                              .flags = at->slot->flags,
                              .value_size = at->slot->value_size,
                              .value = value_of(node, at->agreement, at->slot),
                              .dead = ranges_of(node, at->agreement, at->slot),
                              .dead_ranges = at->slot->ranges,
                          });
}

/* The decision goes to every child but the one it came from, the widest subtrees first. */
static void send_down(struct knell__at *at, knell_rank except)
{
    struct knell_node *node = at->step->node;
    struct knell_body body;
    knell_rank child[64], to[64];
    uint32_t end = knell__tree_end(node, at->group, at->self), index = at->self + 1;
    knell__agree_fill(at, KNELL_MESSAGE_DOWN, &body);
    while ((index = knell__tree_child(node, at->group, index, end)) < end) {
        uint32_t count = 0;
        for (; index < end && count < 64; index = knell__tree_child(node, at->group, index, end)) {
            knell_rank rank = knell__tree_rank(at->group, index);
            if (rank != except)
                child[count++] = rank;
            index += knell__tree_width(node, index);
        }
        for (uint32_t i = 0; i < count; i++)
            to[i] = child[count - 1 - i];
        knell__send(at->step, to, count, &(struct knell_route){.from = node->self, .hops = 1}, &body);
    }
}

static void contribute_revoked(struct knell__step *step, const struct knell_group *group);

/* The slot holds the decision from here on. The children are told before the driver: who returned has spoken. */
static void decide(struct knell__at *at, knell_rank from)
{
    struct knell_node *node = at->step->node;
    at->slot->state = KNELL__SLOT_DECIDED;
    knell__split_decided(at, ranges_of(node, at->agreement, at->slot), at->slot->ranges);
    at->slot->said_to = knell__tree_parent(node, at->group, at->self);
    send_down(at, from);
    if (from != KNELL_NOBODY && at->slot->said_to != KNELL_NOBODY) {
        /* Handed up by a child or sideways: a parent that is not the one who told may not know yet. */
        knell_rank parent = knell__tree_rank(at->group, at->slot->said_to);
        if (parent != from) {
            struct knell_body body;
            knell__agree_fill(at, KNELL_MESSAGE_DOWN, &body);
            knell__send_one(at->step, parent, &body);
        }
    }
    tell_decision(at);
    if (at->agreement->kind == KNELL_KIND_CREATE && knell__group_find(node, at->agreement->group)->revoked)
        contribute_revoked(at->step, at->group);
}

/* The root has heard of everyone: what was folded together becomes the decision, and its own dead set goes with it. */
static void decide_as_root(struct knell__at *at)
{
    struct knell_node *node = at->step->node;
    if (at->slot->acked != knell__digest_in(node, at->group))
        at->slot->flags &= (uint8_t)~KNELL_FLAG_ACKED;
    memcpy(ranges_of(node, at->agreement, at->slot), knell__gone(node), node->gone_ranges * sizeof(struct knell_range));
    at->slot->ranges = node->gone_ranges;
    at->slot->flags |= knell__split_settles(at);
    decide(at, KNELL_NOBODY);
}

/* Has every living member of this node's part spoken in this reign? */
static bool all_covered(struct knell__at *at)
{
    struct knell_node *node = at->step->node;
    const struct knell_range *covered = ranges_of(node, at->agreement, at->slot);
    uint32_t end = knell__tree_end(node, at->group, at->self), index = at->self + 1;
    while ((index = knell__tree_child(node, at->group, index, end)) < end) {
        uint32_t range = knell__ranges_find(covered, at->slot->ranges, index);
        if (range == at->slot->ranges || covered[range].first > index)
            return false;
        index = covered[range].last + 1;
    }
    return true;
}

static void enter_reign(struct knell__at *at)
{
    uint32_t root = knell__tree_root(at->step->node, at->group);
    uint64_t known = knell__split_known(at->step->node);
    if (at->slot->reign == root && at->slot->known == known)
        return;
    at->slot->reign = root;
    at->slot->known = known;
    at->slot->said_to = KNELL_NOBODY;
    at->slot->ranges = 0;
}

/* Does whatever an open instance can do now. */
static void advance(struct knell__at *at)
{
    struct knell_node *node = at->step->node;
    enter_reign(at);
    if (!at->slot->contributed || !all_covered(at))
        return;
    uint32_t parent = knell__tree_parent(node, at->group, at->self);
    if (parent == KNELL_NOBODY) {
        decide_as_root(at);
    } else if (parent != at->slot->said_to) {
        struct knell_body body;
        at->slot->said_to = parent;
        knell__agree_fill(at, KNELL_MESSAGE_UP, &body);
        knell__send_one(at->step, knell__tree_rank(at->group, parent), &body);
    }
}

/* ---- folding ------------------------------------------------------------------------------------------------------------ */

struct contribution {
    uint8_t flags;
    uint8_t operation;
    uint64_t acked;
    uint32_t size;
    const uint8_t *value;
};

static void and_bits(uint8_t *into, const uint8_t *from, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        into[i] &= from[i];
}

static void fold_value(struct knell__at *at, const struct contribution *c)
{
    struct knell_node *node = at->step->node;
    struct knell__slot *slot = at->slot;
    uint8_t *value = value_of(node, at->agreement, slot);
    if (!(slot->flags & KNELL_FLAG_VALUE)) {
        if (c->size)
            memcpy(value, c->value, c->size);
        slot->value_size = c->size;
        slot->operation = c->operation;
        slot->flags |= KNELL_FLAG_VALUE;
        return;
    }
    if (c->size != slot->value_size || c->operation != slot->operation)
        slot->flags |= KNELL_FLAG_MISMATCH;
    if (c->size < slot->value_size)
        slot->value_size = c->size;
    knell_combine *combine = node->config->combine ? node->config->combine[slot->operation] : and_bits;
    combine(value, c->value, slot->value_size);
}

/* Every participant's acknowledged set is within the union of the known dead; so "all acknowledged all" is "all digests
 * are equal, and equal to that of the union", which the root checks at the end. */
static void fold(struct knell__at *at, const struct contribution *c)
{
    struct knell__slot *slot = at->slot;
    if (!slot->started) {
        slot->acked = c->acked;
        slot->flags |= c->flags & KNELL_FLAG_ACKED;
    } else if (slot->acked != c->acked || !(c->flags & KNELL_FLAG_ACKED)) {
        slot->flags &= (uint8_t)~KNELL_FLAG_ACKED;
    }
    slot->started = true;
    slot->flags |= c->flags & (KNELL_FLAG_REVOKED | KNELL_FLAG_MISMATCH);
    if (c->flags & KNELL_FLAG_VALUE)
        fold_value(at, c);
}

/* ---- events ------------------------------------------------------------------------------------------------------------- */

/* The instance that ended in "revoked", if there is one. It is the last that needs a slot, and keeps it: others may still
 * ask for its decision, however often the driver calls again. */
static const struct knell__slot *revoked_slot(const struct knell__agreement *agreement)
{
    for (unsigned s = 0; s < 2; s++)
        if (agreement->slot[s].state == KNELL__SLOT_DECIDED && (agreement->slot[s].flags & KNELL_FLAG_REVOKED))
            return &agreement->slot[s];
    return NULL;
}

/* On a revoked group "create" ends in "revoked" everywhere: every member contributes that to the instance it has not
 * contributed to yet, asked or not, so that nobody waits for one who will never call. */
static void contribute_revoked(struct knell__step *step, const struct knell_group *group)
{
    struct knell__agreement *agreement = find_or_add(step->node, group->id, KNELL_KIND_CREATE);
    bool in_progress = agreement->next > 0 && agreement->slot[(agreement->next - 1) & 1].state == KNELL__SLOT_OPEN;
    if (in_progress || revoked_slot(agreement))
        return;
    struct knell__slot *slot = slot_for(agreement, agreement->next);
    if (!slot || slot->contributed || slot->state == KNELL__SLOT_DECIDED) /* whoever holds a decision says UP no more */
        return;
    struct knell__at at = knell__at_make(step, group, agreement, slot);
    slot->contributed = true;
    fold(&at, &(struct contribution){.flags = KNELL_FLAG_REVOKED});
    advance(&at);
}

void knell__agree_revoked(struct knell__step *step, const struct knell_group *group)
{
    contribute_revoked(step, group);
}

/* A create on a group whose members agreed already that it is revoked: nobody is asked again. The slots stay as they are,
 * as others may still have to be told. */
static void tell_closed(struct knell__step *step, struct knell__agreement *agreement)
{
    knell__tell(step, &(struct knell_fact){.type = KNELL_FACT_DECIDED,
                                           .rank = step->node->self,
                                           .group = agreement->group,
                                           .kind = agreement->kind,
                                           .instance = agreement->next++,
                                           .flags = KNELL_FLAG_REVOKED});
}

int knell__agree_propose(struct knell__step *step, const struct knell_event *event)
{
    struct knell_node *node = step->node;
    const struct knell_group *group = knell__group_of(node, event->as.propose.group);
    struct knell__agreement *agreement = find_or_add(node, group->id, event->as.propose.kind);
    const struct knell__slot *revoked = agreement->kind == KNELL_KIND_CREATE ? revoked_slot(agreement) : NULL;
    if (revoked && revoked->instance < agreement->next) {
        tell_closed(step, agreement);
        return 0;
    }
    struct knell__slot *slot = slot_for(agreement, agreement->next);
    assert(slot);
    agreement->next++;
    struct knell__at at = knell__at_make(step, group, agreement, slot);
    slot->asked = true;
    if (slot->state == KNELL__SLOT_DECIDED) {
        tell_decision(&at);
        return 0;
    }
    if (slot->contributed)
        return 0; /* as revoked; the decision will come */
    slot->contributed = true;
    fold(&at, &(struct contribution){
                  .flags = KNELL_FLAG_ACKED | KNELL_FLAG_VALUE,
                  .operation = event->as.propose.operation,
                  .acked = event->as.propose.acked,
                  .size = event->as.propose.size,
                  .value = event->as.propose.value,
              });
    advance(&at);
    return 0;
}

void knell__agree_up(struct knell__step *step, const struct knell_group *group, knell_rank from,
                     const struct knell_body *body)
{
    struct knell__agreement *agreement = find_or_add(step->node, group->id, body->kind);
    struct knell__slot *slot = slot_for(agreement, body->sequence);
    uint32_t index = knell__tree_index(group, from);
    if (!slot || index == KNELL_NOBODY || index == 0)
        return;
    struct knell__at at = knell__at_make(step, group, agreement, slot);
    if (slot->state == KNELL__SLOT_DECIDED) {
        struct knell_body answer;
        knell__agree_fill(&at, KNELL_MESSAGE_DOWN, &answer);
        knell__send_one(step, from, &answer);
        return;
    }
    enter_reign(&at);
    if (body->root != slot->reign || body->known != slot->known)
        return; /* said under a root that is dead by now, or not knowing of a death: it will be said again */
    fold(&at, &(struct contribution){body->flags, body->operation, body->acked, body->value_size, body->value});
    uint32_t last = index + knell__tree_width(step->node, index) - 1, first = index;
    struct knell_range *covered = ranges_of(step->node, agreement, slot);
    for (uint32_t end = last; first <= last && knell__ranges_gap(covered, slot->ranges, &first, &end); end = last) {
        slot->ranges = knell__ranges_insert(covered, slot->ranges, first, end);
        first = end + 1;
    }
    advance(&at);
}

void knell__agree_down(struct knell__step *step, const struct knell_group *group, knell_rank from,
                       const struct knell_body *body)
{
    struct knell_node *node = step->node;
    struct knell__agreement *agreement = find_or_add(node, group->id, body->kind);
    struct knell__slot *slot = slot_for(agreement, body->sequence);
    uint32_t index = knell__tree_index(group, from);
    if (!slot || slot->state == KNELL__SLOT_DECIDED || index == KNELL_NOBODY)
        return;
    struct knell__at at = knell__at_make(step, group, agreement, slot);
    slot->told_by = index;
    slot->flags = body->flags & (uint8_t)~KNELL_FLAG_ANSWER;
    slot->operation = body->operation;
    slot->acked = body->acked;
    slot->reign = body->root;
    slot->value_size = body->value_size;
    if (body->value_size)
        memcpy(value_of(node, agreement, slot), body->value, body->value_size);
    if (body->agreed_ranges)
        memcpy(ranges_of(node, agreement, slot), body->agreed, body->agreed_ranges * sizeof *body->agreed);
    slot->ranges = body->agreed_ranges;
    decide(&at, from);
}

static void slot_dead_changed(struct knell__at *at)
{
    struct knell_node *node = at->step->node;
    if (at->slot->state == KNELL__SLOT_OPEN)
        advance(at);
    if (at->slot->state != KNELL__SLOT_DECIDED)
        return;
    uint32_t parent = knell__tree_parent(node, at->group, at->self);
    if (parent == at->slot->said_to)
        return;
    at->slot->said_to = parent;
    if (parent == KNELL_NOBODY)
        return;
    struct knell_body body;
    knell__agree_fill(at, KNELL_MESSAGE_DOWN, &body);
    knell__send_one(at->step, knell__tree_rank(at->group, parent), &body);
}

void knell__agree_dead_changed(struct knell__step *step)
{
    struct knell_node *node = step->node;
    struct knell__agreement *agreement = knell__agreements(node);
    for (uint32_t i = 0; i < node->agreements; i++) {
        const struct knell_group *group = knell__group_of(node, agreement[i].group);
        for (unsigned s = 0; s < 2; s++) {
            struct knell__at at = knell__at_make(step, group, &agreement[i], &agreement[i].slot[s]);
            slot_dead_changed(&at);
        }
    }
}

void knell__agree_drop(struct knell_node *node, uint64_t group)
{
    struct knell__agreement *agreement = knell__agreements(node);
    uint32_t i = 0;
    while (i < node->agreements) {
        if (agreement[i].group != group) {
            i++;
            continue;
        }
        uint32_t last = --node->agreements;
        if (i == last)
            return;
        for (unsigned s = 0; s < 2; s++) { /* the last one moves into the gap, with what it stores */
            size_t each = (size_t)node->limits.dead_ranges * sizeof(struct knell_range) + node->limits.value_bytes;
            memcpy(store_of(node, &agreement[i], &agreement[i].slot[s]),
                   store_of(node, &agreement[last], &agreement[last].slot[s]), each);
        }
        agreement[i] = agreement[last];
    }
}
