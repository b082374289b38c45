/* leave.c: departure (docs/design/protocol.md, "The dead set" and "Agreement").
 *
 * A departure is a broadcast by the one who departs. Whoever has heard it hears nothing else from there (I3), and channels keep no
 * order: a decision this node passed on, and returned, could be overtaken by its farewell and be decided otherwise. So a node that
 * leaves first asks those around it in the tree of each agreement, one after the other, whether they hold the last decision; the
 * question is the decision. When all have answered, somebody who stays holds what this node returned, and it goes. */
#include "core/leave.h"
#include "core/agree.h"
#include "core/broadcast.h"
#include "core/dead.h"
#include "core/registry.h"
#include "core/tree.h"
#include "util/rankset.h"

static uint32_t failures(struct knell_node *node)
{
    return node->gone_size - knell__ranges_size(knell__left(node), node->left_ranges);
}

static void say_farewell(struct knell__step *step)
{
    knell__broadcast(step, step->node->self, KNELL_WHY_LEFT);
    knell__stop(step->node, KNELL_STATE_LEFT);
}

void knell__depart(struct knell__step *step)
{
    struct knell_node *node = step->node;
    if (node->leaving)
        say_farewell(step);
    node->leaving = true;
    node->leave_failures = failures(node);
}

/* ---- the one who leaves ------------------------------------------------------------------------------------------------- */

/* The first living child at or after index `from`, then the parent; KNELL_NOBODY when there is nobody to ask. */
static uint32_t next_to_ask(struct knell__at *at, uint32_t from)
{
    const struct knell_node *node = at->step->node;
    uint32_t end = knell__tree_end(node, at->group, at->self);
    uint32_t child = from < end ? knell__tree_child(node, at->group, from, end) : end;
    if (child < end)
        return child;
    uint32_t parent = knell__tree_parent(node, at->group, at->self);
    return parent == at->slot->told_by ? KNELL_NOBODY : parent;
}

static void ask(struct knell__at *at, uint32_t whom)
{
    struct knell_body body;
    at->slot->asks = whom;
    at->slot->handed = whom == KNELL_NOBODY;
    if (at->slot->handed)
        return;
    knell__agree_fill(at, KNELL_MESSAGE_DOWN, &body);
    body.flags |= KNELL_FLAG_ANSWER;
    knell__send_one(at->step, knell__tree_rank(at->group, whom), &body);
}

/* A decision of the instance after it proves that everybody returned from this one. */
static bool is_over(const struct knell__at *at)
{
    const struct knell__slot *other = &at->agreement->slot[~at->slot->instance & 1];
    return other->state == KNELL__SLOT_DECIDED && other->instance > at->slot->instance;
}

/* Who is asked may go instead of answering: then those behind it are asked. */
static bool is_handed(struct knell__at *at)
{
    const struct knell_node *node = at->step->node;
    struct knell__slot *slot = at->slot;
    if (slot->state != KNELL__SLOT_DECIDED || slot->handed || is_over(at))
        return true;
    if (slot->asks == KNELL_NOBODY || knell__is_gone(node, knell__tree_rank(at->group, slot->asks))) {
        bool is_child = slot->asks != KNELL_NOBODY && slot->asks > at->self;
        ask(at, next_to_ask(at, is_child ? slot->asks : at->self + 1));
    }
    return slot->handed;
}

/* Who failed may have been the one that held a decision for others: all are asked again. Who left has asked them itself. */
static void ask_again(struct knell__agreement *agreement, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (unsigned s = 0; s < 2; s++) {
            agreement[i].slot[s].handed = false;
            agreement[i].slot[s].asks = KNELL_NOBODY;
        }
}

void knell__depart_advance(struct knell__step *step)
{
    struct knell_node *node = step->node;
    struct knell__agreement *agreement = knell__agreements(node);
    bool all = true;
    if (failures(node) != node->leave_failures)
        ask_again(agreement, node->agreements);
    node->leave_failures = failures(node);
    for (uint32_t i = 0; i < node->agreements; i++)
        for (unsigned s = 0; s < 2; s++) {
            const struct knell_group *group = knell__group_of(node, agreement[i].group);
            struct knell__at at = knell__at_make(step, group, &agreement[i], &agreement[i].slot[s]);
            all &= is_handed(&at);
        }
    if (all)
        say_farewell(step);
}

void knell__depart_answered(struct knell__step *step, const struct knell_group *group, knell_rank from,
                            const struct knell_body *body)
{
    struct knell__agreement *agreement = knell__agreement_find(step->node, group->id, body->kind);
    struct knell__slot *slot = agreement ? &agreement->slot[body->sequence & 1] : NULL;
    uint32_t index = knell__tree_index(group, from);
    if (!step->node->leaving || !slot || slot->instance != body->sequence || index == KNELL_NOBODY ||
        index != slot->asks)
        return;
    struct knell__at at = knell__at_make(step, group, agreement, slot);
    if (index < at.self)
        slot->handed = true; /* the parent comes last */
    else
        ask(&at, next_to_ask(&at, index + knell__tree_width(step->node, index)));
}

/* ---- who is asked ------------------------------------------------------------------------------------------------------- */

/* The decision was taken, or has been long ago: also who has dropped the group says so. Who never was in it was not waited for. */
void knell__depart_asked(struct knell__step *step, knell_rank from, const struct knell_body *body)
{
    knell__send_one(step, from,
                    &(struct knell_body){
                        .type = KNELL_MESSAGE_DOWN,
                        .flags = KNELL_FLAG_HELD,
                        .kind = body->kind,
                        .sequence = body->sequence,
                        .subject = KNELL_NOBODY,
                        .group = body->group,
                        .dead = knell__dead(step->node),
                    });
}
