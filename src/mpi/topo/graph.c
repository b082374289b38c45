/* graph.c: graphs that every member knows wholly: MPI_Graph_create and what is asked of them. */
#include "mpi/base/gen/own.h"
#include "mpi/error/error.h"
#include "mpi/native/native.h"
#include "mpi/topo/topo.h"

/* ---- a graph -------------------------------------------------------------------------------------------------------------------- */

static int first_edge(const int *index, int node)
{
    return node > 0 ? index[node - 1] : 0;
}

/* As the member of that rank has it. Its neighbours are both sources and destinations. */
static struct topology *graph_new(int nodes, const int *index, const int *edges, int rank)
{
    int count = index[nodes - 1], first = first_edge(index, rank);
    struct topology *graph = topology_new(TOPOLOGY_GRAPH, (size_t)nodes + (size_t)count);
    graph->nodes = nodes;
    graph->edges = count;
    graph->index = topology_take(graph, index, nodes);
    graph->edge = topology_take(graph, edges, count);
    graph->indegree = graph->outdegree = index[rank] - first;
    graph->sources = graph->destinations = graph->edge + first;
    return graph;
}

/* Several edges between two nodes are right, and edges that have no counterpart the other way. */
static int check(int most, int nodes, const int *index, const int *edges)
{
    if (nodes < 0 || nodes > most || (nodes > 0 && !index))
        return MPI_ERR_ARG;
    for (int i = 0; i < nodes; i++)
        if (index[i] < first_edge(index, i))
            return MPI_ERR_ARG;
    int count = nodes > 0 ? index[nodes - 1] : 0;
    if (count > 0 && !edges)
        return MPI_ERR_ARG;
    for (int i = 0; i < count; i++)
        if (edges[i] < 0 || edges[i] >= nodes)
            return MPI_ERR_ARG;
    return MPI_SUCCESS;
}

/* Without a node nobody is in it. */
int mpi_graph_create(MPI_Comm handle, int nnodes, const int indx[], const int edges[], int reorder, MPI_Comm *newcomm)
{
    struct comm *comm = comm_of(handle);
    if (!comm)
        return native.graph_create(handle, nnodes, indx, edges, reorder, newcomm);
    if (comm_is_inter(comm))
        return topo_refuse(comm, newcomm);
    int code = check(comm->size, nnodes, indx, edges);
    bool member = code == MPI_SUCCESS && comm->rank < nnodes;
    return topo_make(comm, member ? graph_new(nnodes, indx, edges, comm->rank) : NULL, comm->process_of,
                     member ? nnodes : 0, code, newcomm);
}

int mpi_graph_map(MPI_Comm handle, int nnodes, const int indx[], const int edges[], int *newrank)
{
    struct comm *comm = comm_of(handle);
    if (!comm)
        return native.graph_map(handle, nnodes, indx, edges, newrank);
    if (comm_is_inter(comm))
        return error_raise(comm, MPI_ERR_COMM);
    int code = nnodes < 1 ? MPI_ERR_ARG : check(comm->size, nnodes, indx, edges);
    if (code == MPI_SUCCESS)
        *newrank = comm->rank < nnodes ? comm->rank : MPI_UNDEFINED;
    return error_raise(comm, code);
}

/* ---- what is asked of it -------------------------------------------------------------------------------------------------------- */

int mpi_graphdims_get(MPI_Comm handle, int *nnodes, int *nedges)
{
    int code;
    const struct comm *comm = topo_of(handle, TOPOLOGY_GRAPH, &code);
    if (!comm)
        return code;
    *nnodes = comm->topology->nodes;
    *nedges = comm->topology->edges;
    return MPI_SUCCESS;
}

int mpi_graph_get(MPI_Comm handle, int maxindex, int maxedges, int indx[], int edges[])
{
    int code;
    struct comm *comm = topo_of(handle, TOPOLOGY_GRAPH, &code);
    if (!comm)
        return code;
    if (maxindex < 0 || maxedges < 0)
        return error_raise(comm, MPI_ERR_ARG);
    topo_copy(indx, maxindex, comm->topology->index, comm->topology->nodes);
    topo_copy(edges, maxedges, comm->topology->edge, comm->topology->edges);
    return MPI_SUCCESS;
}

int mpi_graph_neighbors_count(MPI_Comm handle, int rank, int *nneighbors)
{
    int code;
    struct comm *comm = topo_of(handle, TOPOLOGY_GRAPH, &code);
    if (!comm)
        return code;
    if (rank < 0 || rank >= comm->size)
        return error_raise(comm, MPI_ERR_RANK);
    *nneighbors = comm->topology->index[rank] - first_edge(comm->topology->index, rank);
    return MPI_SUCCESS;
}

int mpi_graph_neighbors(MPI_Comm handle, int rank, int maxneighbors, int neighbors[])
{
    int code;
    struct comm *comm = topo_of(handle, TOPOLOGY_GRAPH, &code);
    if (!comm)
        return code;
    const struct topology *graph = comm->topology;
    if (rank < 0 || rank >= comm->size)
        return error_raise(comm, MPI_ERR_RANK);
    if (maxneighbors < 0)
        return error_raise(comm, MPI_ERR_ARG);
    int first = first_edge(graph->index, rank);
    topo_copy(neighbors, maxneighbors, graph->edge + first, graph->index[rank] - first);
    return MPI_SUCCESS;
}
