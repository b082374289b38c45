/* tree.h: the tree of an agreement, mended around the dead (docs/design/protocol.md, "Agreement").
 *
 * Over the indices of a group lies a fixed tree: the parent of i is i without its lowest digit that is not 0, the subtree of i
 * is i and all that differ from it below that digit. Digits have config.tree_bits bits; of one bit the tree is binomial. The dead are stepped over: a node's parent is its closest living ancestor; when there is none,
 * the lowest living member, which acts as root. What a subtree covers never depends on who is dead, so two nodes that know
 * of different deaths still mean the same by "my part". */
#ifndef KNELL_CORE_TREE_H
#define KNELL_CORE_TREE_H

#include "core/state.h"

/* How many members of the group, which has a list, are smaller than `rank`. */
uint32_t knell__members_below(const struct knell_group *group, knell_rank rank);

/* The index of a rank in its group; KNELL_NOBODY if it is no member. */
uint32_t knell__tree_index(const struct knell_group *group, knell_rank rank);
knell_rank knell__tree_rank(const struct knell_group *group, uint32_t index);

/* The lowest index this node believes alive. */
uint32_t knell__tree_root(const struct knell_node *node, const struct knell_group *group);

/* Index of the parent; KNELL_NOBODY for the acting root. */
uint32_t knell__tree_parent(const struct knell_node *node, const struct knell_group *group, uint32_t index);

/* One past the last index `index` answers for; the acting root answers for all. */
uint32_t knell__tree_end(const struct knell_node *node, const struct knell_group *group, uint32_t index);

/* The next child of a walk over the children: the first living index at or after `at` and below `end`; `end` if none.
 * After child c the walk goes on at c + its width. */
uint32_t knell__tree_child(const struct knell_node *node, const struct knell_group *group, uint32_t at, uint32_t end);
uint32_t knell__tree_width(const struct knell_node *node, uint32_t index); /* not of index 0 */

#endif
