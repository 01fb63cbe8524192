/* A text with its lines, and growing arrays of ranges. */

#include "outline.h"

int is_space(uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

int open_page(Page *page, const Py_buffer *text)
{
    const uint8_t *at = text->buf, *end = at + text->len;
    size_t used = 0, capacity = 0;
    if (text->len == 0 || text->len >= INT32_MAX / 2) {
        refuse("a text must have 1 byte to 1 GiB");
        return -1;
    }
    page->text = at;
    page->size = (int32_t)text->len;
    do {
        if (reserve(&page->starts, &capacity, used + 2, sizeof *page->starts) < 0)
            return -1;
        page->starts[used++] = (int32_t)(at - page->text);
        at = memchr(at, '\n', (size_t)(end - at));
    } while (at != NULL && ++at < end);
    page->starts[used] = page->size;
    page->count = (int32_t)used;
    return 0;
}

int push_range(Ranges *ranges, int32_t start, int32_t end)
{
    if (reserve(&ranges->items, &ranges->capacity, ranges->used + 1, sizeof(Range)) < 0)
        return -1;
    ranges->items[ranges->used++] = (Range){start, end};
    return 0;
}

int push_cut(Cuts *cuts, Cut cut)
{
    if (reserve(&cuts->items, &cuts->capacity, cuts->used + 1, sizeof(Cut)) < 0)
        return -1;
    cuts->items[cuts->used++] = cut;
    return 0;
}

int compare_ranges(const void *one, const void *other)
{
    const Range *a = one, *b = other;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->end < b->end ? -1 : a->end > b->end;
}

int has_trait(const Roles *roles, int kind, int trait) { return (roles->traits[kind] & trait) != 0; }

int32_t right_of(const int32_t *starts, int32_t offset, int32_t low, int32_t high)
{
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (offset < starts[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

int32_t line_of(const Page *page, int32_t offset) { return right_of(page->starts, offset, 0, page->count) - 1; }

Range lines_of(const Page *page, int32_t start, int32_t end)
{
    int32_t first = line_of(page, start);
    if (end <= page->starts[first + 1])
        return (Range){first, first};
    return (Range){first, right_of(page->starts, end - 1, first, page->count) - 1};
}

int is_empty(const Page *page, int32_t start, int32_t end)
{
    end = end < page->size ? end : page->size;
    for (; start < end; start++)
        if (!is_space(page->text[start]))
            return 0;
    return 1;
}

int is_blank_line(const Page *page, int32_t line)
{
    return is_empty(page, page->starts[line], page->starts[line + 1]);
}
