/* reference.c: see reference.h. */
#include "reference.h"

static bool fits(const struct reference_message *message, int comm, int source, int tag)
{
    return !message->is_taken && message->comm == comm && (source == REFERENCE_ANY || source == message->source) &&
           (tag == REFERENCE_ANY || tag == message->tag);
}

int reference_probe(const struct reference *reference, int comm, int source, int tag)
{
    for (int i = 0; i < reference->messages; i++)
        if (fits(&reference->message[i], comm, source, tag))
            return i;
    return REFERENCE_NONE;
}

/* The first receive that fits gets it. */
int reference_arrive(struct reference *reference, int comm, int source, int tag)
{
    int number = reference->messages++;
    struct reference_message *message = &reference->message[number];
    *message = (struct reference_message){comm, source, tag, false};
    for (int i = 0; i < reference->receives && !message->is_taken; i++) {
        struct reference_receive *receive = &reference->receive[i];
        if (receive->message != REFERENCE_NONE || receive->is_cancelled ||
            !fits(message, receive->comm, receive->source, receive->tag))
            continue;
        receive->message = number;
        message->is_taken = true;
    }
    return number;
}

/* It gets the first message that fits. */
int reference_post(struct reference *reference, int comm, int source, int tag)
{
    int number = reference->receives++, message = reference_probe(reference, comm, source, tag);
    reference->receive[number] = (struct reference_receive){comm, source, tag, false, message};
    if (message != REFERENCE_NONE)
        reference->message[message].is_taken = true;
    return number;
}

bool reference_cancel(struct reference *reference, int receive)
{
    struct reference_receive *of = &reference->receive[receive];
    of->is_cancelled = of->message == REFERENCE_NONE;
    return of->is_cancelled;
}

void reference_discard(struct reference *reference, int comm, int source, int tag)
{
    for (int i = 0; i < reference->messages; i++)
        if (fits(&reference->message[i], comm, source, tag))
            reference->message[i].is_taken = true;
}

void reference_end(struct reference *reference, int comm)
{
    reference_discard(reference, comm, REFERENCE_ANY, REFERENCE_ANY);
}
