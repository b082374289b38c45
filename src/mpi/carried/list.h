/* list.h: lists whose members know their place: a ring of nodes with the list as one of them. */
#ifndef KNELL_MPI_CARRIED_LIST_H
#define KNELL_MPI_CARRIED_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list_node {
    struct list_node *next, *before;
};
struct list {
    struct list_node ring;
};

#define LIST_OF(node, type, member) ((type *)((char *)(node)-offsetof(type, member)))
#define LIST_EACH(node, list)                                                                     \
    for (struct list_node *node = (list)->ring.next, *after_ = node->next; node != &(list)->ring; \
         node = after_, after_ = node->next)

static inline void list_begin(struct list *list)
{
    list->ring.next = list->ring.before = &list->ring;
}
static inline bool list_is_empty(const struct list *list)
{
    return list->ring.next == &list->ring;
}
static inline void list_put_before(struct list_node *at, struct list_node *node)
{
    node->next = at;
    node->before = at->before;
    at->before->next = node;
    at->before = node;
}
static inline void list_append(struct list *list, struct list_node *node)
{
    list_put_before(&list->ring, node);
}
static inline void list_take(struct list_node *node)
{
    node->before->next = node->next;
    node->next->before = node->before;
}

#endif
