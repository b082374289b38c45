/* dist_graph.c: graphs of which each member knows its own part: MPI_Dist_graph_create_adjacent, where it gives its neighbours itself,
 * MPI_Dist_graph_create, where anybody gives any edge (dist_graph_exchange.c), and what is asked of them. Info means nothing here. */
#include "mpi/base/gen/own.h"
#include "mpi/error/error.h"
#include "mpi/native/native.h"
#include "mpi/topo/topo.h"

#include <limits.h>
#include <stdlib.h>

/* ---- arguments ------------------------------------------------------------------------------------------------------------------ */

static bool are_ranks(const int *list, int count, int size)
{
    if (count < 0 || (count > 0 && !list))
        return false;
    for (int i = 0; i < count; i++)
        if (list[i] < 0 || list[i] >= size)
            return false;
    return true;
}

/* Of no edges any address will do. */
static bool are_weights(const int *list, int count)
{
    if (list == MPI_UNWEIGHTED || count == 0)
        return true;
    if (!list || list == MPI_WEIGHTS_EMPTY)
        return false;
    for (int i = 0; i < count; i++)
        if (list[i] < 0)
            return false;
    return true;
}

/* ---- each gives its neighbours --------------------------------------------------------------------------------------------------- */

/* One half may have weights alone: the other's are then 1. */
static const int *take_weights(struct topology *graph, const int *weights, int count)
{
    int *taken = topology_take(graph, weights == MPI_UNWEIGHTED ? NULL : weights, count);
    for (int i = 0; i < count && weights == MPI_UNWEIGHTED; i++)
        taken[i] = 1;
    return taken;
}

int mpi_dist_graph_create_adjacent(MPI_Comm handle, int indegree, const int sources[], const int sourceweights[],
                                   int outdegree, const int destinations[], const int destweights[], MPI_Info info,
                                   int reorder, MPI_Comm *newcomm)
{
    struct comm *comm = comm_of(handle);
    struct topology *graph = NULL;
    if (!comm)
        return native.dist_graph_create_adjacent(handle, indegree, sources, sourceweights, outdegree, destinations,
                                                 destweights, info, reorder, newcomm);
    if (comm_is_inter(comm))
        return topo_refuse(comm, newcomm);
    bool right = are_ranks(sources, indegree, comm->size) && are_ranks(destinations, outdegree, comm->size) &&
                 are_weights(sourceweights, indegree) && are_weights(destweights, outdegree);
    if (right) {
        graph = topology_new(TOPOLOGY_DIST_GRAPH, 2 * ((size_t)indegree + (size_t)outdegree));
        graph->indegree = indegree;
        graph->outdegree = outdegree;
        graph->weighted = sourceweights != MPI_UNWEIGHTED || destweights != MPI_UNWEIGHTED;
        graph->sources = topology_take(graph, sources, indegree);
        graph->destinations = topology_take(graph, destinations, outdegree);
        graph->source_weights = take_weights(graph, sourceweights, indegree);
        graph->destination_weights = take_weights(graph, destweights, outdegree);
    }
    return topo_make(comm, graph, comm->process_of, comm->size, right ? MPI_SUCCESS : MPI_ERR_ARG, newcomm);
}

/* ---- anybody gives any edge ------------------------------------------------------------------------------------------------------ */

/* How many edges; -1: something is wrong with the arguments. */
static int count_edges(int size, int n, const int *sources, const int *degrees, const int *destinations,
                       const int *weights)
{
    long long count = 0;
    if (!are_ranks(sources, n, size) || (n > 0 && !degrees))
        return -1;
    for (int i = 0; i < n; i++) {
        if (degrees[i] < 0)
            return -1;
        count += degrees[i];
    }
    if (count > INT_MAX / 3 || !are_ranks(destinations, (int)count, size) || !are_weights(weights, (int)count))
        return -1;
    return (int)count;
}

static int *list_edges(int count, const int *sources, const int *degrees, const int *destinations, const int *weights)
{
    int *list = malloc((3 * (size_t)count + 1) * sizeof *list), *to = list;
    if (!list)
        layer_die("out of memory");
    for (int i = 0, node = 0, left = degrees && count > 0 ? degrees[0] : 0; i < count; i++, left--) {
        while (left == 0)
            left = degrees[++node];
        *to++ = sources[node];
        *to++ = destinations[i];
        *to++ = weights == MPI_UNWEIGHTED ? 1 : weights[i];
    }
    return list;
}

int mpi_dist_graph_create(MPI_Comm handle, int n, const int sources[], const int degrees[], const int destinations[],
                          const int weights[], MPI_Info info, int reorder, MPI_Comm *newcomm)
{
    struct comm *comm = comm_of(handle);
    struct topology *graph = NULL;
    if (!comm)
        return native.dist_graph_create(handle, n, sources, degrees, destinations, weights, info, reorder, newcomm);
    if (comm_is_inter(comm))
        return topo_refuse(comm, newcomm);
    int count = count_edges(comm->size, n, sources, degrees, destinations, weights);
    bool wrong = count < 0; /* this member has none for the others, who wait for it */
    int *list = list_edges(wrong ? 0 : count, sources, degrees, destinations, weights);
    struct edges edges = {list, wrong ? 0 : count, weights != MPI_UNWEIGHTED};
    int code = dist_graph_exchange(comm, &edges, &graph);
    free(list);
    return topo_make(comm, graph, comm->process_of, comm->size, wrong ? MPI_ERR_ARG : code, newcomm);
}

/* ---- what is asked of them -------------------------------------------------------------------------------------------------------- */

int mpi_dist_graph_neighbors_count(MPI_Comm handle, int *indegree, int *outdegree, int *weighted)
{
    int code;
    const struct comm *comm = topo_of(handle, TOPOLOGY_DIST_GRAPH, &code);
    if (!comm)
        return code;
    *indegree = comm->topology->indegree;
    *outdegree = comm->topology->outdegree;
    *weighted = comm->topology->weighted;
    return MPI_SUCCESS;
}

/* Weights that are not there are not given: the arrays stay as they are. */
static void give(int *into, int *weights, int room, const int *list, const int *known, int count, bool weighted)
{
    topo_copy(into, room, list, count);
    if (weighted && weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY)
        topo_copy(weights, room, known, count);
}

int mpi_dist_graph_neighbors(MPI_Comm handle, int maxindegree, int sources[], int sourceweights[], int maxoutdegree,
                             int destinations[], int destweights[])
{
    int code;
    struct comm *comm = topo_of(handle, TOPOLOGY_DIST_GRAPH, &code);
    if (!comm)
        return code;
    const struct topology *graph = comm->topology;
    if (maxindegree < 0 || maxoutdegree < 0)
        return error_raise(comm, MPI_ERR_ARG);
    give(sources, sourceweights, maxindegree, graph->sources, graph->source_weights, graph->indegree, graph->weighted);
    give(destinations, destweights, maxoutdegree, graph->destinations, graph->destination_weights, graph->outdegree,
         graph->weighted);
    return MPI_SUCCESS;
}
