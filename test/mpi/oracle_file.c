/* oracle_file.c: random programs that use files: views of all kinds, every kind of access, interleaved pieces of all ranks. Prints for
 * each seed a digest of the file's bytes and of what was read back, which must not depend on the layer.
 *
 * Where ranks write, their pieces are disjoint: what the standard leaves open is not asked for. Left out, because the MPIs left alone are
 * wrong or refuse: atomic mode (OMPIO has none), shared pointers of a view that is not contiguous (OMPIO's pointer counts bytes). */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 4096 }; /* etypes of a rank, at most */

static int me, ranks;
static uint64_t state;
static char name[64];
static MPI_File file;
static uint64_t digest;

static uint32_t draw(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33);
}

static int below(int n)
{
    return (int)(draw() % (uint32_t)n);
}

static void eat(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ at[i]) * UINT64_C(1099511628211);
}

static void must(int code, const char *what)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    if (code == MPI_SUCCESS)
        return;
    MPI_Error_string(code, text, &length);
    fprintf(stderr, "rank %d: %s: %s\n", me, what, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}
#define MUST(call) must(call, #call)

/* ---- views: of one kind for all ranks, each with its own part of a tile ----------------------------------------------------------- */

struct view {
    MPI_Datatype etype, filetype;
    MPI_Offset disp;
    int per_tile; /* etypes of this rank */
};

static MPI_Datatype tile(MPI_Datatype part, MPI_Aint extent)
{
    MPI_Datatype made;
    MUST(MPI_Type_create_resized(part, 0, extent, &made));
    MUST(MPI_Type_commit(&made));
    MUST(MPI_Type_free(&part));
    return made;
}

static MPI_Datatype vector_of(int blocks, int length, MPI_Datatype etype, int size, int *count)
{
    MPI_Datatype part, shifted;
    MPI_Aint at = (MPI_Aint)me * length * size;
    MUST(MPI_Type_vector(blocks, length, length * ranks, etype, &part));
    MUST(MPI_Type_create_hindexed(1, (int[]){1}, &at, part, &shifted));
    MUST(MPI_Type_free(&part));
    *count = blocks * length;
    return tile(shifted, (MPI_Aint)blocks * length * ranks * size);
}

static MPI_Datatype subarray_of(int rows, int columns, MPI_Datatype etype, int *count)
{
    MPI_Datatype part;
    int sizes[] = {rows, columns * ranks}, subsizes[] = {rows, columns}, starts[] = {0, columns * me};
    MUST(MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, etype, &part));
    MUST(MPI_Type_commit(&part));
    *count = rows * columns;
    return part;
}

static MPI_Datatype darray_of(int each, int block, MPI_Datatype etype, int *count)
{
    MPI_Datatype part;
    int gsizes[] = {each * block * ranks}, distribs[] = {MPI_DISTRIBUTE_CYCLIC}, dargs[] = {block}, psizes[] = {ranks};
    MUST(MPI_Type_create_darray(ranks, me, 1, gsizes, distribs, dargs, psizes, MPI_ORDER_C, etype, &part));
    MUST(MPI_Type_commit(&part));
    *count = each * block;
    return part;
}

/* Blocks of random lengths, given out in turn. */
static MPI_Datatype hindexed_of(int blocks, MPI_Datatype etype, int size, int *count)
{
    int length[16], mine = 0;
    MPI_Aint at[16], end = 0;
    MPI_Datatype part;
    *count = 0;
    for (int i = 0; i < blocks; i++)
        for (int rank = 0; rank < ranks; rank++) {
            int n = 1 + below(5);
            if (rank == me) {
                length[mine] = n;
                at[mine++] = end;
                *count += n;
            }
            end += (MPI_Aint)n * size;
        }
    MUST(MPI_Type_create_hindexed(mine, length, at, etype, &part));
    return tile(part, end);
}

static struct view draw_view(void)
{
    static const int sizes[] = {1, 4, 8, 12};
    struct view view = {.disp = below(3) * 16};
    int kind = below(4), size = sizes[below(4)], a = 1 + below(6), b = 1 + below(6);
    MPI_Datatype etype;
    if (size == 12) {
        MUST(MPI_Type_contiguous(3, MPI_INT, &etype));
        MUST(MPI_Type_commit(&etype));
    } else
        etype = size == 1 ? MPI_BYTE : size == 4 ? MPI_INT : MPI_DOUBLE;
    view.etype = etype;
    view.filetype = kind == 0   ? vector_of(a, b, etype, size, &view.per_tile)
                    : kind == 1 ? subarray_of(a, b, etype, &view.per_tile)
                    : kind == 2 ? darray_of(a, b, etype, &view.per_tile)
                                : hindexed_of(a, etype, size, &view.per_tile);
    return view;
}

static void free_view(struct view *view)
{
    MUST(MPI_Type_free(&view->filetype));
    if (view->etype != MPI_BYTE && view->etype != MPI_INT && view->etype != MPI_DOUBLE)
        MUST(MPI_Type_free(&view->etype));
}

static void set_view(const struct view *view)
{
    MUST(MPI_File_set_view(file, view->disp, view->etype, view->filetype, "native", MPI_INFO_NULL));
}

/* ---- access ------------------------------------------------------------------------------------------------------------------------- */

static char data[MOST * 12 * 2];

static int size_of(const struct view *view)
{
    int size;
    MUST(MPI_Type_size(view->etype, &size));
    return size;
}

static void note(MPI_Status *status, MPI_Datatype type)
{
    int count = -1;
    MUST(MPI_Get_count(status, type, &count));
    eat(&count, sizeof count);
}

static void finish(MPI_Request *request, MPI_Datatype type, int how)
{
    MPI_Status status;
    int flag = 0, index;
    if (how == 0)
        MUST(MPI_Wait(request, &status));
    while (how == 1 && !flag)
        MUST(MPI_Test(request, &flag, &status));
    if (how == 2)
        MUST(MPI_Waitall(1, request, &status));
    if (how == 3)
        MUST(MPI_Waitany(1, request, &index, &status));
    note(&status, type);
}

/* `count` etypes from `offset` on, where the individual pointer is as well. */
static void write_some(MPI_Offset offset, char *from, int count, MPI_Datatype type, int kind, int how)
{
    MPI_Status status;
    MPI_Request request;
    switch (kind) {
    case 0:
        MUST(MPI_File_write_all(file, from, count, type, &status));
        break;
    case 1:
        MUST(MPI_File_write(file, from, count, type, &status));
        break;
    case 2:
        MUST(MPI_File_write_at_all(file, offset, from, count, type, &status));
        break;
    case 3:
        MUST(MPI_File_write_at(file, offset, from, count, type, &status));
        break;
    case 4:
        MUST(MPI_File_write_all_begin(file, from, count, type));
        MUST(MPI_File_write_all_end(file, from, &status));
        break;
    case 5:
        MUST(MPI_File_write_at_all_begin(file, offset, from, count, type));
        MUST(MPI_File_write_at_all_end(file, from, &status));
        break;
    case 6:
        MUST(MPI_File_iwrite(file, from, count, type, &request));
        break;
    case 7:
        MUST(MPI_File_iwrite_at(file, offset, from, count, type, &request));
        break;
    case 8:
        MUST(MPI_File_iwrite_all(file, from, count, type, &request));
        break;
    default:
        MUST(MPI_File_iwrite_at_all(file, offset, from, count, type, &request));
    }
    if (kind >= 6)
        finish(&request, type, how);
    else
        note(&status, type);
}

static void read_some(MPI_Offset offset, char *into, int count, MPI_Datatype type, int kind, int how)
{
    MPI_Status status;
    MPI_Request request;
    switch (kind) {
    case 0:
        MUST(MPI_File_read_all(file, into, count, type, &status));
        break;
    case 1:
        MUST(MPI_File_read(file, into, count, type, &status));
        break;
    case 2:
        MUST(MPI_File_read_at_all(file, offset, into, count, type, &status));
        break;
    case 3:
        MUST(MPI_File_read_at(file, offset, into, count, type, &status));
        break;
    case 4:
        MUST(MPI_File_read_all_begin(file, into, count, type));
        MUST(MPI_File_read_all_end(file, into, &status));
        break;
    case 5:
        MUST(MPI_File_read_at_all_begin(file, offset, into, count, type));
        MUST(MPI_File_read_at_all_end(file, into, &status));
        break;
    case 6:
        MUST(MPI_File_iread(file, into, count, type, &request));
        break;
    case 7:
        MUST(MPI_File_iread_at(file, offset, into, count, type, &request));
        break;
    case 8:
        MUST(MPI_File_iread_all(file, into, count, type, &request));
        break;
    default:
        MUST(MPI_File_iread_at_all(file, offset, into, count, type, &request));
    }
    if (kind >= 6)
        finish(&request, type, how);
    else
        note(&status, type);
}

/* Do they move the individual pointer? */
static int is_at(int kind)
{
    return kind == 2 || kind == 3 || kind == 5 || kind == 7 || kind == 9;
}

/* In the order of the view; the same draws at all ranks, of as many tiles as all have. */
static void go_through(const struct view *view, int tiles, int writes)
{
    MPI_Offset offset = 0;
    int size = size_of(view);
    for (int done = 0; done < tiles;) {
        int kind = below(10), how = below(4), now = 1 + below(tiles - done), count = now * view->per_tile;
        char *at = data + offset * size;
        if (is_at(kind) || below(3) == 0)
            MUST(MPI_File_seek(file, offset, MPI_SEEK_SET));
        (writes ? write_some : read_some)(offset, at, count, view->etype, kind, how);
        offset += count;
        if (is_at(kind))
            MUST(MPI_File_seek(file, offset, MPI_SEEK_SET));
        done += now;
    }
    MPI_Offset position = -1, bytes = -1;
    MUST(MPI_File_get_position(file, &position));
    MUST(MPI_File_get_byte_offset(file, position, &bytes));
    eat(&position, sizeof position);
    eat(&bytes, sizeof bytes);
}

static void fill(size_t bytes, uint64_t seed)
{
    uint64_t x = seed * 1000003 + (uint64_t)me * 7919 + 1;
    for (size_t i = 0; i < bytes; i++) {
        x = x * UINT64_C(6364136223846793005) + 12345;
        data[i] = (char)(x >> 40);
    }
}

static void synchronise(void)
{
    MUST(MPI_File_sync(file));
    MUST(MPI_Barrier(MPI_COMM_WORLD));
    MUST(MPI_File_sync(file));
}

/* ---- ordered, on a view that is the same at all ranks -------------------------------------------------------------------------------- */

static void go_ordered(uint64_t seed)
{
    MPI_Offset position = -1;
    MPI_Status status;
    int counts = 1 + below(20), split = below(2), mine = (counts + 3 * me) % 9;
    fill((size_t)mine * sizeof(int), seed + 5);
    MUST(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    MUST(MPI_File_seek_shared(file, counts, MPI_SEEK_SET));
    if (split) {
        MUST(MPI_File_write_ordered_begin(file, data, mine, MPI_INT));
        MUST(MPI_File_write_ordered_end(file, data, &status));
    } else
        MUST(MPI_File_write_ordered(file, data, mine, MPI_INT, &status));
    note(&status, MPI_INT);
    synchronise();
    MUST(MPI_File_get_position_shared(file, &position));
    eat(&position, sizeof position);
    MUST(MPI_Barrier(MPI_COMM_WORLD));
    MUST(MPI_File_seek_shared(file, counts, MPI_SEEK_SET));
    memset(data, 0, sizeof(int) * 16);
    MUST(MPI_File_read_ordered(file, data, mine, MPI_INT, &status));
    eat(data, (size_t)mine * sizeof(int));
}

/* ---- one seed ------------------------------------------------------------------------------------------------------------------------ */

static void eat_file(void)
{
    static char bytes[1 << 16];
    FILE *read = fopen(name, "rb");
    for (size_t n; read && (n = fread(bytes, 1, sizeof bytes, read)) > 0;)
        eat(bytes, n);
    if (read)
        fclose(read);
}

static void run(uint64_t seed, int ordered)
{
    uint64_t all[64] = {0};
    MPI_Offset size = -1;
    state = seed * UINT64_C(0x9e3779b97f4a7c15) + 99;
    digest = UINT64_C(14695981039346656037);
    MUST(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    for (int phase = 1 + below(3); phase > 0; phase--) {
        struct view view = draw_view();
        int tiles = 1 + below(12);
        set_view(&view);
        fill((size_t)tiles * (size_t)view.per_tile * (size_t)size_of(&view), seed);
        go_through(&view, tiles, 1);
        synchronise();
        memset(data, 0, sizeof data);
        if (below(2))
            set_view(&view);
        else
            MUST(MPI_File_seek(file, 0, MPI_SEEK_SET));
        go_through(&view, tiles, 0);
        eat(data, (size_t)tiles * (size_t)view.per_tile * (size_t)size_of(&view));
        synchronise();
        free_view(&view);
    }
    if (ordered && below(2))
        go_ordered(seed);
    if (below(4) == 0) {
        synchronise();
        MUST(MPI_File_set_size(file, 100 + below(5000)));
    }
    synchronise();
    MUST(MPI_File_get_size(file, &size));
    eat(&size, sizeof size);
    MUST(MPI_File_close(&file));
    MUST(MPI_Barrier(MPI_COMM_WORLD));
    if (me == 0)
        eat_file();
    MUST(MPI_Gather(&digest, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD));
    eat(all, sizeof all);
    if (me == 0) {
        MUST(MPI_File_delete(name, MPI_INFO_NULL));
        printf("%llu %016llx\n", (unsigned long long)seed, (unsigned long long)digest);
    }
    MUST(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    int pid = (int)getpid();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    int ordered = argc < 4 || strcmp(argv[3], "plain") != 0;
    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "/tmp/knell-oracle-file-%d", pid);
    for (uint64_t seed = first; seed < first + count; seed++)
        run(seed, ordered);
    MPI_Finalize();
    return 0;
}
