/* config.c: what a configuration may be, and the core's words as text. */
#include <knell/core.h>

static int refuse(const char *reason, const char **why)
{
    if (why)
        *why = reason;
    return KNELL_EINVAL;
}

int knell_config_check(const struct knell_config *config, const char **why)
{
    const knell_time longest = KNELL_NEVER / 8; /* room for sums of a few of them */
    if (config->ranks < 2 || config->ranks > KNELL_RANKS_MAX)
        return refuse("ranks must be 2 to 2147483648", why);
    if (config->tau <= 0 || config->tau > longest)
        return refuse("tau must be positive and below 36 years", why);
    if (config->eta <= 0 || config->eta > longest)
        return refuse("eta must be positive and below 36 years", why);
    if (config->delta > longest)
        return refuse("delta must be below 36 years", why);
    if (config->delta < config->eta + config->tau)
        return refuse("delta must be at least eta + tau, or a late heartbeat is taken for a death", why);
    if (config->overlay != KNELL_OVERLAY_CIRCULANT && config->overlay != KNELL_OVERLAY_HBA)
        return refuse("overlay must be circulant or hba", why);
    if (config->beats != KNELL_BEATS_SENT && config->beats != KNELL_BEATS_POSTED)
        return refuse("beats must be sent or posted", why);
    if (!config->ring_order != !config->ring_position)
        return refuse("ring_order and ring_position come together or not at all", why);
    if (config->combine && config->combine_count == 0)
        return refuse("combine_count must say how many operations there are", why);
    if (config->tree_bits > 8)
        return refuse("tree_bits must be 0 to 8", why);
    if (config->on_split != KNELL_SPLIT_GO_ON && config->on_split != KNELL_SPLIT_END)
        return refuse("on_split must be go-on or end", why);
    return 0;
}

const char *knell_error_text(int code)
{
    switch (code) {
    case 0:
        return "success";
#define TEXT(name, number, text) \
    case KNELL_##name:           \
        return text;
        KNELL_ERRORS(TEXT)
#undef TEXT
    }
    return "unknown error";
}

const char *knell_why_text(enum knell_why why)
{
    switch (why) {
    case KNELL_WHY_TIMEOUT:
        return "timeout";
    case KNELL_WHY_TRIGGER:
        return "trigger";
    case KNELL_WHY_KERNEL:
        return "kernel";
    case KNELL_WHY_HARDWARE:
        return "hardware";
    case KNELL_WHY_OPERATOR:
        return "operator";
    case KNELL_WHY_TOLD:
        return "told";
    case KNELL_WHY_LEFT:
        return "left";
    case KNELL_WHY_ENDED:
        return "ended";
    case KNELL_WHY_END:
        break;
    }
    return "unknown";
}

const char *knell_message_text(enum knell_message type)
{
    switch (type) {
    case KNELL_MESSAGE_HEARTBEAT:
        return "heartbeat";
    case KNELL_MESSAGE_NEW_OBSERVER:
        return "new-observer";
    case KNELL_MESSAGE_TRIGGER:
        return "trigger";
    case KNELL_MESSAGE_BROADCAST:
        return "broadcast";
    case KNELL_MESSAGE_SYNC:
        return "sync";
    case KNELL_MESSAGE_REVOKE:
        return "revoke";
    case KNELL_MESSAGE_UP:
        return "up";
    case KNELL_MESSAGE_DOWN:
        return "down";
    case KNELL_MESSAGE_END:
        break;
    }
    return "unknown";
}
