/* dist_graph_exchange.c: MPI_Dist_graph_create: the edges that the members give come to their ends, by two exchanges of everybody with
 * everybody: how many, and which. Both ends of an edge put it behind those of lower givers, and behind those that its giver gave before:
 * several edges between two members have one order. */
#include "mpi/coll/coll.h"
#include "mpi/topo/topo.h"

#include <stdlib.h>

/* Ways that an edge goes, as its end sees it: away, or in. */
enum { OUT, IN, WAYS };

/* What goes to each member, or comes from it: for each of them its outgoing edges, then its incoming ones, as pairs of neighbour and
 * weight. */
struct parcel {
    int (*edges)[WAYS]; /* by rank: how many */
    int *counts, *displs;
    int *pairs;
};

static void *need(size_t bytes)
{
    void *made = calloc(1, bytes + 1);
    if (!made)
        layer_die("out of memory");
    return made;
}

static struct parcel parcel_new(int size)
{
    return (struct parcel){.edges = need((size_t)size * sizeof(int[WAYS])),
                           .counts = need((size_t)size * sizeof(int)),
                           .displs = need((size_t)size * sizeof(int))};
}

static void parcel_free(struct parcel *parcel)
{
    free(parcel->edges);
    free(parcel->counts);
    free(parcel->displs);
    free(parcel->pairs);
}

/* The number of edges is known: room for them. */
static void parcel_lay_out(struct parcel *parcel, int size)
{
    int at = 0;
    for (int i = 0; i < size; i++) {
        parcel->counts[i] = 2 * (parcel->edges[i][OUT] + parcel->edges[i][IN]);
        parcel->displs[i] = at;
        at += parcel->counts[i];
    }
    parcel->pairs = need((size_t)at * sizeof(int));
}

/* ---- going ------------------------------------------------------------------------------------------------------------------------ */

static void put(int **to, int neighbour, int weight)
{
    *(*to)++ = neighbour;
    *(*to)++ = weight;
}

static void parcel_fill(struct parcel *parcel, const struct edges *given, int size)
{
    int *(*to)[WAYS] = need((size_t)size * sizeof *to);
    for (int i = 0; i < size; i++) {
        to[i][OUT] = parcel->pairs + parcel->displs[i];
        to[i][IN] = to[i][OUT] + 2 * (size_t)parcel->edges[i][OUT];
    }
    for (int i = 0; i < given->count; i++) {
        const int *edge = given->edge + 3 * (size_t)i;
        put(&to[edge[0]][OUT], edge[1], edge[2]);
        put(&to[edge[1]][IN], edge[0], edge[2]);
    }
    free(to);
}

static struct parcel parcel_of(const struct edges *given, int size)
{
    struct parcel parcel = parcel_new(size);
    for (int i = 0; i < given->count; i++) {
        parcel.edges[given->edge[3 * (size_t)i]][OUT]++;
        parcel.edges[given->edge[3 * (size_t)i + 1]][IN]++;
    }
    parcel_lay_out(&parcel, size);
    parcel_fill(&parcel, given, size);
    return parcel;
}

/* ---- under way -------------------------------------------------------------------------------------------------------------------- */

static int exchange_numbers(struct comm *comm, const struct parcel *going, struct parcel *coming)
{
    struct coll_arrays none = {0};
    struct coll_args args = {.send = going->edges,
                             .send_count = WAYS,
                             .send_type = MPI_INT,
                             .recv = coming->edges,
                             .recv_count = WAYS,
                             .recv_type = MPI_INT,
                             .by_rank = &none};
    return coll_alltoall(comm, &args);
}

static int exchange_edges(struct comm *comm, const struct parcel *going, struct parcel *coming)
{
    parcel_lay_out(coming, comm->size);
    struct coll_arrays arrays = {.send_counts = going->counts,
                                 .recv_counts = coming->counts,
                                 .send_displs = going->displs,
                                 .recv_displs = coming->displs};
    struct coll_args args = {
        .send = going->pairs, .send_type = MPI_INT, .recv = coming->pairs, .recv_type = MPI_INT, .by_rank = &arrays};
    return coll_alltoall(comm, &args);
}

/* ---- there ------------------------------------------------------------------------------------------------------------------------ */

static int total(const struct parcel *came, int size, int way)
{
    int count = 0;
    for (int i = 0; i < size; i++)
        count += came->edges[i][way];
    return count;
}

static void collect(const struct parcel *came, int size, int way, int *neighbours, int *weights)
{
    for (int i = 0; i < size; i++) {
        const int *pair = came->pairs + came->displs[i] + (way == IN ? 2 * came->edges[i][OUT] : 0);
        for (int k = 0; k < came->edges[i][way]; k++, pair += 2) {
            *neighbours++ = pair[0];
            *weights++ = pair[1];
        }
    }
}

static struct topology *graph_of(const struct parcel *came, int size, bool weighted)
{
    int ins = total(came, size, IN), outs = total(came, size, OUT);
    struct topology *graph = topology_new(TOPOLOGY_DIST_GRAPH, 2 * ((size_t)ins + (size_t)outs));
    int *sources = topology_take(graph, NULL, ins), *source_weights = topology_take(graph, NULL, ins);
    int *destinations = topology_take(graph, NULL, outs), *destination_weights = topology_take(graph, NULL, outs);
    collect(came, size, IN, sources, source_weights);
    collect(came, size, OUT, destinations, destination_weights);
    graph->indegree = ins;
    graph->outdegree = outs;
    graph->weighted = weighted;
    graph->sources = sources;
    graph->destinations = destinations;
    graph->source_weights = source_weights;
    graph->destination_weights = destination_weights;
    return graph;
}

/* A member that fails in the first exchange is in no second one: the others hear that it is out, as in any collectives. */
int dist_graph_exchange(struct comm *comm, const struct edges *given, struct topology **topology)
{
    struct parcel going = parcel_of(given, comm->size), coming = parcel_new(comm->size);
    int code = exchange_numbers(comm, &going, &coming);
    if (code == MPI_SUCCESS)
        code = exchange_edges(comm, &going, &coming);
    if (code == MPI_SUCCESS)
        *topology = graph_of(&coming, comm->size, given->weighted);
    parcel_free(&going);
    parcel_free(&coming);
    return code;
}
