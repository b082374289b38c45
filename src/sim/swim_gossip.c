/* swim_gossip: see swim_gossip.h. */
#include "sim/swim_gossip.h"

#include <stdlib.h>
#include <string.h>

struct update {
    uint32_t talk, incarnation;
    enum knell__swim_state state;
};

/* ---- memory ---------------------------------------------------------------------------------------------------------------- */

bool knell__swim_gossip_init(struct knell__swim_gossip *gossip, const struct knell_swim_plan *plan)
{
    *gossip = (struct knell__swim_gossip){.plan = *plan};
    gossip->talk_of = calloc(plan->nodes, sizeof *gossip->talk_of);
    gossip->open = calloc(plan->nodes, sizeof *gossip->open);
    return gossip->talk_of && gossip->open;
}

void knell__swim_gossip_free(struct knell__swim_gossip *gossip)
{
    for (uint32_t i = 0; gossip->open && i < gossip->plan.nodes; i++)
        free(gossip->open[i].talk);
    for (uint32_t i = 0; i < gossip->made; i++)
        free(gossip->talk[i].view);
    free(gossip->open);
    free(gossip->talk);
    free(gossip->talk_of);
}

void knell__swim_gossip_begin(struct knell__swim_gossip *gossip)
{
    uint32_t nodes = gossip->plan.nodes;
    for (uint32_t i = 0; i < gossip->talks; i++) {
        gossip->talk_of[gossip->talk[i].subject] = 0;
        memset(gossip->talk[i].view, 0, nodes * sizeof *gossip->talk[i].view);
    }
    for (uint32_t i = 0; i < nodes; i++)
        gossip->open[i].count = gossip->open[i].dead = 0;
    gossip->talks = 0;
    gossip->now = 0;
    gossip->no_memory = false;
}

static bool make_talk(struct knell__swim_gossip *gossip)
{
    if (gossip->made == gossip->room) {
        uint32_t room = gossip->room ? 2 * gossip->room : 16;
        struct knell__swim_talk *talk = realloc(gossip->talk, room * sizeof *talk);
        if (!talk)
            return false;
        gossip->talk = talk;
        gossip->room = room;
    }
    struct knell__swim_view *view = calloc(gossip->plan.nodes, sizeof *view);
    if (!view)
        return false;
    gossip->talk[gossip->made++].view = view;
    return true;
}

/* NULL: no memory. */
static struct knell__swim_talk *talk_for(struct knell__swim_gossip *gossip, uint32_t subject)
{
    if (gossip->talk_of[subject])
        return &gossip->talk[gossip->talk_of[subject] - 1];
    if (gossip->talks == gossip->made && !make_talk(gossip)) {
        gossip->no_memory = true;
        return NULL;
    }
    struct knell__swim_talk *talk = &gossip->talk[gossip->talks++];
    *talk = (struct knell__swim_talk){.subject = subject, .view = talk->view};
    gossip->talk_of[subject] = gossip->talks;
    return talk;
}

/* ---- what a member holds --------------------------------------------------------------------------------------------------- */

bool knell__swim_holds_dead(const struct knell__swim_gossip *gossip, uint32_t member, uint32_t subject)
{
    uint32_t talk = gossip->talk_of[subject];
    return talk && gossip->talk[talk - 1].view[member].state == KNELL__SWIM_DEAD;
}

static void open_view(struct knell__swim_gossip *gossip, uint32_t member, uint32_t talk)
{
    struct knell__swim_open *open = &gossip->open[member];
    if (open->count == open->room) {
        uint32_t room = open->room ? 2 * open->room : 4;
        uint32_t *grown = realloc(open->talk, room * sizeof *grown);
        if (!grown) {
            gossip->no_memory = true;
            return;
        }
        open->talk = grown;
        open->room = room;
    }
    open->talk[open->count++] = talk;
    gossip->talk[talk].view[member].open = true;
}

static void hold(struct knell__swim_gossip *gossip, uint32_t member, uint32_t number, enum knell__swim_state state,
                 uint32_t incarnation)
{
    struct knell__swim_talk *talk = &gossip->talk[number];
    struct knell__swim_view *view = &talk->view[member];
    view->state = (uint8_t)state;
    view->incarnation = incarnation;
    view->left = gossip->plan.piggyback ? (uint16_t)gossip->plan.repeats : 0;
    view->due = gossip->now + gossip->plan.suspicion;
    if (state != KNELL__SWIM_ALIVE && !talk->suspected)
        talk->suspected = gossip->now;
    gossip->open[member].dead += state == KNELL__SWIM_DEAD;
    if (state == KNELL__SWIM_DEAD && talk->holders++ == 0)
        talk->declared = gossip->now;
    if (!view->open)
        open_view(gossip, member, number);
}

/* The paper, 4.2: a death overrides all, a suspicion what is alive under its incarnation or a lower one, life only what is lower. */
static bool overrides(const struct update *update, const struct knell__swim_view *view)
{
    if (view->state == KNELL__SWIM_DEAD || update->state == KNELL__SWIM_DEAD)
        return view->state != KNELL__SWIM_DEAD;
    return update->incarnation > view->incarnation ||
           (update->incarnation == view->incarnation && update->state > view->state);
}

static void hear(struct knell__swim_gossip *gossip, uint32_t member, const struct update *update)
{
    const struct knell__swim_talk *talk = &gossip->talk[update->talk];
    const struct knell__swim_view *view = &talk->view[member];
    if (talk->subject != member && overrides(update, view))
        hold(gossip, member, update->talk, update->state, update->incarnation);
    else if (talk->subject == member && update->state == KNELL__SWIM_SUSPECT &&
             update->incarnation >= view->incarnation)
        hold(gossip, member, update->talk, KNELL__SWIM_ALIVE, update->incarnation + 1);
}

void knell__swim_suspect(struct knell__swim_gossip *gossip, uint32_t member, uint32_t subject)
{
    const struct knell__swim_talk *talk = talk_for(gossip, subject);
    if (!talk)
        return;
    hear(gossip, member,
         &(struct update){.talk = (uint32_t)(talk - gossip->talk),
                          .incarnation = talk->view[member].incarnation,
                          .state = gossip->plan.suspicion ? KNELL__SWIM_SUSPECT : KNELL__SWIM_DEAD});
}

/* ---- passing on ------------------------------------------------------------------------------------------------------------ */

static void close_spent(struct knell__swim_gossip *gossip, uint32_t member)
{
    struct knell__swim_open *open = &gossip->open[member];
    for (uint32_t i = 0; i < open->count;) {
        struct knell__swim_view *view = &gossip->talk[open->talk[i]].view[member];
        if (view->left > 0 || view->state == KNELL__SWIM_SUSPECT) {
            i++;
            continue;
        }
        view->open = false;
        open->talk[i] = open->talk[--open->count];
    }
}

/* The talks that were passed on least, at most as many as a message carries. */
static uint32_t pick(const struct knell__swim_gossip *gossip, uint32_t member, uint32_t *picked)
{
    const struct knell__swim_open *open = &gossip->open[member];
    uint32_t count = 0;
    for (uint32_t i = 0; i < open->count; i++) {
        uint16_t left = gossip->talk[open->talk[i]].view[member].left;
        uint32_t at = count;
        while (at > 0 && gossip->talk[picked[at - 1]].view[member].left < left)
            at--;
        if (left == 0 || at == gossip->plan.piggyback)
            continue;
        count += count < gossip->plan.piggyback;
        memmove(&picked[at + 1], &picked[at], (count - at - 1) * sizeof *picked);
        picked[at] = open->talk[i];
    }
    return count;
}

void knell__swim_tell(struct knell__swim_gossip *gossip, uint32_t from, uint32_t to, bool arrives)
{
    uint32_t picked[KNELL_SWIM_PIGGYBACK_MAX], count = gossip->open[from].count ? pick(gossip, from, picked) : 0;
    bool spent = false;
    for (uint32_t i = 0; i < count; i++) {
        struct knell__swim_view *view = &gossip->talk[picked[i]].view[from];
        spent |= --view->left == 0;
        if (arrives)
            hear(gossip, to, &(struct update){picked[i], view->incarnation, (enum knell__swim_state)view->state});
    }
    if (spent)
        close_spent(gossip, from);
}

void knell__swim_end_period(struct knell__swim_gossip *gossip, uint32_t member)
{
    const struct knell__swim_open *open = &gossip->open[member];
    for (uint32_t i = 0; i < open->count; i++) {
        const struct knell__swim_view *view = &gossip->talk[open->talk[i]].view[member];
        if (view->state == KNELL__SWIM_SUSPECT && view->due <= gossip->now)
            hold(gossip, member, open->talk[i], KNELL__SWIM_DEAD, view->incarnation);
    }
    close_spent(gossip, member);
}
