/* An outline → ranges of lines that become chunks: each line belongs to the innermost definition that owns a chunk.
 * The twin is greppy.analysis.cutting. */

#include "outline.h"

enum { SMALL_NESTED = 8, TINY_GAP = 3, SPACE = 32, LEAST_LINES = 25, MOST_LINES = 40 };

/* A definition with its lines: `first` with the comments and attributes above it, `head` below them. */
typedef struct {
    int32_t first, head, last, definition;
} Placed;

/* A definition with a chunk of its own, or the whole file. */
typedef struct {
    int32_t first, head, last, end;
    int kind, in_function;
    PyObject *symbol;
} Owner;

typedef struct {
    int32_t first, last, owner;
} Segment;

typedef struct {
    const Outline *outline;
    const Page *page;
    const Roles *roles;
    Ranges above; /* comments and attributes, by position */
    Placed *placed;
    Owner *owners;
    int32_t *stack; /* of owners */
    size_t depth;
    Segment *segments;
    size_t segments_used, segments_capacity;
    int32_t at; /* the first line that no segment has yet */
} Cutting;

static int gather_above(Cutting *this)
{
    const Ranges *sources[] = {&this->outline->comments, &this->outline->attributes};
    for (int i = 0; i < 2; i++)
        for (size_t at = 0; at < sources[i]->used; at++)
            if (push_range(&this->above, sources[i]->items[at].start, sources[i]->items[at].end) < 0)
                return -1;
    if (this->outline->attributes.used)
        qsort(this->above.items, this->above.used, sizeof(Range), compare_ranges);
    return 0;
}

/* The first line of the comments that stand directly above the line `first`, without a blank line between. */
static int32_t with_comments(const Cutting *this, int32_t first)
{
    const Page *page = this->page;
    while (first > 0 && !is_blank_line(page, first - 1)) {
        int32_t edge = page->starts[first];
        size_t low = 0, high = this->above.used;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (this->above.items[middle].start < edge)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == 0)
            break;
        Range nearest = this->above.items[low - 1];
        int32_t begins_at = line_of(page, nearest.start);
        if (!is_empty(page, nearest.end, edge) || !is_empty(page, page->starts[begins_at], nearest.start))
            break;
        first = begins_at;
    }
    return first;
}

static void place_all(Cutting *this)
{
    const Page *page = this->page;
    const int32_t *starts = page->starts;
    int32_t head = 0;
    for (size_t i = 0; i < this->outline->found_used; i++) {
        const Definition *one = &this->outline->definitions[this->outline->found[i]];
        int32_t start = one->start, end = one->end;
        if (end > page->size || end == 0 || page->text[end - 1] <= SPACE) {
            end = end < page->size ? end : page->size;
            end = end < start ? start : end;
            while (end > start && is_space(page->text[end - 1]))
                end--;
        }
        if (start >= starts[head + 1])
            head = right_of(starts, start, head, page->count) - 1;
        int32_t last = end <= starts[head + 1] ? head : right_of(starts, end - 1, head, page->count) - 1;
        int has_blank_above = head == 0 || is_blank_line(page, head - 1);
        this->placed[i] = (Placed){has_blank_above ? head : with_comments(this, head), head, last,
                                   this->outline->found[i]};
    }
}

static int end_segment(Cutting *this, int32_t last, int32_t owner)
{
    if (last < this->at)
        return 0;
    if (reserve(&this->segments, &this->segments_capacity, this->segments_used + 1, sizeof(Segment)) < 0)
        return -1;
    this->segments[this->segments_used++] = (Segment){this->at, last, owner};
    this->at = last + 1;
    return 0;
}

/* Whether a definition in a function has no chunk of its own: it is small, or would leave but a stump of it. */
static int stays_inside(const Cutting *this, const Placed *placed, const Owner *top)
{
    if (placed->head - top->head < TINY_GAP && has_trait(this->roles, top->kind, IS_FUNCTION) &&
        top->last - top->first < LONG_FUNCTION)
        return 1;
    return placed->last - placed->head + 1 < SMALL_NESTED;
}

static int begin_owner(Cutting *this, const Placed *placed, int32_t top_at, int32_t ordinal)
{
    const Definition *one = &this->outline->definitions[placed->definition];
    const Owner *top = &this->owners[top_at];
    int32_t first = placed->first, least = top_at == 0 ? top->first : top->first + 1;
    first = first < least ? least : first;
    first = first < this->at ? this->at : first;
    if (first > this->at && end_segment(this, first - 1, top_at) < 0)
        return -1;
    int in_function = top->in_function || has_trait(this->roles, one->kind, IS_FUNCTION);
    this->owners[ordinal] = (Owner){first, placed->head, placed->last, one->end, one->kind, in_function, one->symbol};
    this->stack[this->depth++] = ordinal;
    return 0;
}

/* Runs of lines with the same owner, in order: a definition's lines, less those of definitions inside it. */
static int segment_lines(Cutting *this)
{
    int32_t owners = 1, last_line = this->page->count - 1;
    this->owners[0] = (Owner){0, -1, last_line, this->page->size, this->roles->code, 0, NULL};
    this->stack[this->depth++] = 0;
    for (size_t i = 0; i < this->outline->found_used; i++) {
        const Placed *placed = &this->placed[i];
        const Definition *one = &this->outline->definitions[placed->definition];
        if (has_trait(this->roles, one->kind, IS_MINOR))
            continue;
        int32_t top = this->stack[this->depth - 1];
        while (this->owners[top].last < placed->head && this->depth > 1) {
            int32_t close = this->owners[top].last < placed->first ? this->owners[top].last : placed->first - 1;
            if (end_segment(this, close, top) < 0)
                return -1;
            top = this->stack[--this->depth - 1];
        }
        const Owner *owner = &this->owners[top];
        if (one->start >= owner->end || placed->head <= owner->head) {
            for (size_t at = 0; at < this->depth; at++)
                if (this->owners[this->stack[at]].last < placed->last)
                    this->owners[this->stack[at]].last = placed->last;
        } else if (!owner->in_function || !stays_inside(this, placed, owner)) {
            if (begin_owner(this, placed, top, owners++) < 0)
                return -1;
        }
    }
    while (this->depth--)
        if (end_segment(this, this->owners[this->stack[this->depth]].last, this->stack[this->depth]) < 0)
            return -1;
    return 0;
}

static int same_symbol(PyObject *one, PyObject *other)
{
    if (one == other)
        return 1;
    return one != NULL && other != NULL && PyUnicode_Compare(one, other) == 0;
}

/* Whether a definition is another clause or overload of the one whose lines end directly above it. */
static int continues(const Cutting *this, int32_t first, int32_t before, const Segment *segment)
{
    const Owner *owner = &this->owners[before], *other = &this->owners[segment->owner];
    return before != segment->owner && owner->kind == other->kind && segment->last - first < LONG_FUNCTION &&
           !is_blank_line(this->page, segment->first - 1) && same_symbol(owner->symbol, other->symbol);
}

static int is_closer(uint8_t byte) { return byte != 0 && strchr("{}()[];, \t\r\n", byte) != NULL; }

/* Whether a word closes a block in some language. */
static int is_closing_word(const uint8_t *word, size_t size)
{
    static const char *words[] = {"end", "fi", "done", "esac", "endif", "endfunction", "endclass"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == size && memcmp(words[i], word, size) == 0)
            return 1;
    return 0;
}

static int all_closing_words(const uint8_t *at, const uint8_t *end)
{
    while (at < end) {
        const uint8_t *word = at;
        while (at < end && !is_space(*at))
            at++;
        if (at > word && !is_closing_word(word, (size_t)(at - word)))
            return 0;
        while (at < end && is_space(*at))
            at++;
    }
    return 1;
}

/* Whether lines have too little content for a chunk of their own. */
static int joins(const Cutting *this, const Segment *segment)
{
    const uint8_t *at = this->page->text + this->page->starts[segment->first];
    const uint8_t *end = this->page->text + this->page->starts[segment->last + 1];
    while (at < end && is_closer(*at))
        at++;
    while (at < end && is_closer(end[-1]))
        end--;
    if (all_closing_words(at, end))
        return 1;
    if (has_trait(this->roles, this->owners[segment->owner].kind, IS_SCOPE))
        return 0;
    int lines = 1;
    while (lines < TINY_GAP && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        at++;
        lines++;
    }
    return lines < TINY_GAP;
}

static int32_t lines_end(const Page *page, int32_t line) { return page->starts[line + 1]; }

/* Joins segments without content of their own to the one before (at the top of a file, after), in place. */
static void join_segments(Cutting *this)
{
    const Page *page = this->page;
    Segment *segments = this->segments;
    size_t at = 0, used = 0, count = this->segments_used;
    while (at + 1 < count && is_empty(page, page->starts[segments[at].first], lines_end(page, segments[at].last)))
        at++;
    Segment open = {0, segments[at].last, segments[at].owner};
    for (at++; at < count; at++) {
        Segment segment = segments[at];
        if (segment.first == this->owners[segment.owner].first) {
            if (continues(this, open.first, open.owner, &segment)) {
                open.last = segment.last;
                open.owner = segment.owner;
                continue;
            }
        } else if (joins(this, &segment)) {
            open.last = segment.last;
            continue;
        } else
            while (segment.first < segment.last && is_blank_line(page, segment.first))
                segment.first++;
        open.last = segment.first - 1;
        segments[used++] = open;
        open = segment;
    }
    segments[used++] = open;
    this->segments_used = used;
}

static int32_t window_end(const Page *page, int32_t first, int32_t last)
{
    const int32_t *starts = page->starts;
    int32_t by_size = right_of(starts, starts[first] + MOST_BYTES, 0, page->count + 1) - 2;
    int32_t end = first + MOST_LINES - 1 < last ? first + MOST_LINES - 1 : last;
    by_size = by_size < first ? first : by_size;
    end = by_size < end ? by_size : end;
    if (end == last)
        return last;
    for (int32_t line = end; line > first + LEAST_LINES - 2; line--)
        if (is_blank_line(page, line))
            return line;
    return end;
}

int cut_windows(Cuts *cuts, const Page *page, Cut whole)
{
    int32_t first = whole.first, last = whole.last;
    if (last - first < MOST_LINES && page->starts[last + 1] - page->starts[first] <= MOST_BYTES)
        return push_cut(cuts, whole);
    while (first <= last) {
        int32_t end = window_end(page, first, last);
        if (push_cut(cuts, (Cut){first, end, whole.kind, whole.symbol}) < 0)
            return -1;
        first = end + 1;
    }
    return 0;
}

static int cut_segments(const Cutting *this, Loose *loose, Cuts *cuts)
{
    const int32_t *starts = this->page->starts;
    int failed = 0;
    for (size_t i = 0; !failed && i < this->segments_used; i++) {
        const Segment *segment = &this->segments[i];
        const Owner *owner = &this->owners[segment->owner];
        Cut whole = {segment->first, segment->last, owner->kind, owner->symbol};
        if (has_trait(this->roles, owner->kind, IS_SCOPE))
            failed = cut_loose(loose, cuts, whole);
        else if (whole.last - whole.first < LONG_FUNCTION &&
                 starts[whole.last + 1] - starts[whole.first] <= 2 * MOST_BYTES)
            failed = push_cut(cuts, whole);
        else
            failed = cut_windows(cuts, this->page, whole);
    }
    return failed;
}

/* Whether it is a constant or the like, and not a part of one that has a name. */
static int is_outer_minor(const Cutting *this, const Definition *one)
{
    const Definition *around = one->parent < 0 ? NULL : &this->outline->definitions[one->parent];
    int is_part = around != NULL && has_trait(this->roles, around->kind, IS_MINOR) && around->name_end > around->name_start;
    return has_trait(this->roles, one->kind, IS_MINOR) && !is_part;
}

static int collect_minors(const Cutting *this, Loose *loose)
{
    for (size_t i = 0; i < this->outline->found_used; i++) {
        const Placed *placed = &this->placed[i];
        const Definition *one = &this->outline->definitions[placed->definition];
        if (is_outer_minor(this, one) &&
            push_cut(&loose->minors, (Cut){placed->first, placed->last, one->kind, one->symbol}) < 0)
            return -1;
    }
    return 0;
}

int cut_outline(Cuts *cuts, const Outline *outline, const Page *page, const Roles *roles)
{
    Cutting this = {.outline = outline, .page = page, .roles = roles};
    Loose loose = {.page = page, .roles = roles};
    size_t most = outline->found_used + 1;
    this.placed = calloc(most, sizeof *this.placed);
    this.owners = calloc(most, sizeof *this.owners);
    this.stack = calloc(most, sizeof *this.stack);
    int failed = -1;
    if (this.placed == NULL || this.owners == NULL || this.stack == NULL)
        PyErr_NoMemory();
    else if (gather_above(&this) == 0) {
        place_all(&this);
        failed = segment_lines(&this) < 0 || collect_minors(&this, &loose) < 0 ||
                 open_loose(&loose, &outline->imports) < 0;
        if (!failed) {
            join_segments(&this);
            failed = cut_segments(&this, &loose, cuts);
        }
    }
    free(this.above.items);
    free(this.placed);
    free(this.owners);
    free(this.stack);
    free(this.segments);
    free_loose(&loose);
    return failed ? -1 : 0;
}
