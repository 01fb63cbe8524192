/* The code between definitions → ranges: runs of imports, constants that stand alone, windows of the rest. The twin
 * is greppy.analysis.loose. */

#include "outline.h"

enum { LONG_MINOR = 4 };

/* The first place among the first lines of cuts, which come one after the other `stride` bytes apart, that is not less
 * than `line`: Python's bisect_left. */
static size_t left_of(const void *firsts, size_t stride, size_t count, int32_t line)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int32_t first;
        memcpy(&first, (const char *)firsts + middle * stride, sizeof first);
        if (first < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int open_loose(Loose *loose, const Ranges *imports)
{
    const Page *page = loose->page;
    for (size_t i = 0; i < imports->used; i++) {
        Range lines = lines_of(page, imports->items[i].start, imports->items[i].end);
        Range *run = loose->runs.used ? &loose->runs.items[loose->runs.used - 1] : NULL;
        if (run != NULL && (lines.start <= run->end + 1 ||
                            is_empty(page, page->starts[run->end + 1], page->starts[lines.start])))
            run->end = lines.end > run->end ? lines.end : run->end;
        else if (push_range(&loose->runs, lines.start, lines.end) < 0)
            return -1;
    }
    return 0;
}

void free_loose(Loose *loose)
{
    free(loose->minors.items);
    free(loose->pieces.items);
    free(loose->runs.items);
}

static int32_t past_blank(const Page *page, int32_t line)
{
    while (line < page->count && is_blank_line(page, line))
        line++;
    return line;
}

static int is_edge(const Page *page, int32_t line)
{
    return line < 0 || line >= page->count || is_blank_line(page, line);
}

static int stands_alone(const Page *page, const Cut *minor)
{
    if (minor->last - minor->first + 1 >= LONG_MINOR)
        return 1;
    return minor->last > minor->first && is_edge(page, minor->first - 1) && is_edge(page, minor->last + 1);
}

/* Where pieces begin, told by the runs of imports (a later one corrects an earlier one) or by the constants. */
typedef struct {
    int32_t line, order;
    int is_import, is_run;
} Edge;

typedef struct {
    Edge *items;
    size_t used, capacity;
} Edges;

static int compare_edges(const void *one, const void *other)
{
    const Edge *a = one, *b = other;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->order - b->order;
}

static int push_edge(Edges *edges, int32_t line, int is_import, int is_run)
{
    if (reserve(&edges->items, &edges->capacity, edges->used + 1, sizeof(Edge)) < 0)
        return -1;
    edges->items[edges->used] = (Edge){line, (int32_t)edges->used, is_import, is_run};
    edges->used++;
    return 0;
}

typedef struct {
    size_t from, to;
} Slice;

/* The constants that begin in the lines first..last; those that end beyond them must be passed over. */
static Slice minors_in(const Loose *loose, int32_t first, int32_t last)
{
    const Cuts *minors = &loose->minors;
    return (Slice){left_of(minors->items, sizeof(Cut), minors->used, first),
                   left_of(minors->items, sizeof(Cut), minors->used, last + 1)};
}

static int gather_edges(const Loose *loose, Edges *edges, Cut whole, Slice runs, Slice minors)
{
    const Page *page = loose->page;
    int failed = push_edge(edges, whole.first, 0, 1);
    for (size_t i = runs.from; !failed && i < runs.to; i++) {
        Range run = loose->runs.items[i];
        int32_t last = run.end < whole.last ? run.end : whole.last;
        failed = push_edge(edges, run.start, 1, 1) < 0 || push_edge(edges, past_blank(page, last + 1), 0, 1) < 0;
    }
    for (size_t i = minors.from; !failed && i < minors.to; i++) {
        const Cut *minor = &loose->minors.items[i];
        if (minor->last <= whole.last && stands_alone(page, minor))
            failed = push_edge(edges, minor->first, 0, 0) < 0 ||
                     push_edge(edges, past_blank(page, minor->last + 1), 0, 0) < 0;
    }
    if (!failed)
        qsort(edges->items, edges->used, sizeof(Edge), compare_edges);
    return failed ? -1 : 0;
}

/* A window of constants alone, with their kind, and the name if it is only one; 0 if there is other code. */
static int name_constants(const Loose *loose, Cut *window)
{
    const Page *page = loose->page;
    const Cut *only = NULL;
    int32_t at = window->first, count = 0;
    Slice slice = minors_in(loose, window->first, window->last);
    for (size_t i = slice.from; i < slice.to; i++) {
        const Cut *minor = &loose->minors.items[i];
        if (minor->last > window->last)
            continue;
        if (minor->first > at && !is_empty(page, page->starts[at], page->starts[minor->first]))
            return 0;
        at = minor->last + 1 > at ? minor->last + 1 : at;
        only = count++ ? only : minor;
    }
    if (only == NULL || (at <= window->last && !is_empty(page, page->starts[at], page->starts[window->last + 1])))
        return 0;
    window->kind = only->kind;
    window->symbol = count == 1 ? only->symbol : NULL;
    return 1;
}

static int cut_piece(Loose *loose, Cuts *cuts, Cut piece, int is_import)
{
    size_t from = cuts->used;
    if (is_import) {
        piece.kind = loose->roles->imports;
        piece.symbol = NULL;
    }
    if (cut_windows(cuts, loose->page, piece) < 0)
        return -1;
    for (size_t i = from; !is_import && i < cuts->used; i++)
        name_constants(loose, &cuts->items[i]);
    return 0;
}

int cut_loose(Loose *loose, Cuts *cuts, Cut whole)
{
    const Ranges *all = &loose->runs;
    Slice runs = {left_of(all->items, sizeof(Range), all->used, whole.first),
                  left_of(all->items, sizeof(Range), all->used, whole.last + 1)};
    Slice minors = minors_in(loose, whole.first, whole.last);
    Edges edges = {NULL, 0, 0};
    int failed = gather_edges(loose, &edges, whole, runs, minors) < 0;
    for (size_t i = 0; !failed && i < edges.used && edges.items[i].line <= whole.last;) {
        Edge edge = edges.items[i];
        int is_import = 0;
        for (; i < edges.used && edges.items[i].line == edge.line; i++)
            is_import = edges.items[i].is_run ? edges.items[i].is_import : is_import;
        int32_t next = i < edges.used ? edges.items[i].line : INT32_MAX;
        Cut piece = {edge.line, next <= whole.last ? next - 1 : whole.last, whole.kind, whole.symbol};
        failed = cut_piece(loose, cuts, piece, is_import) < 0;
    }
    free(edges.items);
    return failed ? -1 : 0;
}
