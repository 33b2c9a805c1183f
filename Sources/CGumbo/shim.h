#include <gumbo.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Gumbo frees a tree with a function that calls itself for every level, which deeply nested mail turns into
// a crash. So the memory of a tree is one arena, which is freed as a whole.
//
// HTML5 has rules that copy elements, so that a small page can ask for any amount of memory and time. Both have
// an end here: the arena refuses, and leaves the parser at once. Gumbo holds nothing but memory of the arena.

struct cgumbo_block {
    struct cgumbo_block *next;
    size_t used, size;
};

typedef struct {
    struct cgumbo_block *blocks;
    GumboOutput *output;
    size_t bytes, most_bytes;
    unsigned pieces;
    double deadline;
    /// A jmp_buf on the stack of the parsing call; null when there is none.
    void *escape;
} cgumbo_tree;

/// What a page may take: some time for a small one, and more by its length.
enum { CGUMBO_SECONDS = 2, CGUMBO_BYTES_PER_SECOND = 500000 };

/// What this thread has worked, so that a busy machine is no reason to refuse a page.
static inline double cgumbo_seconds(void) {
    struct timespec time;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return 0;
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static inline void cgumbo_refuse(cgumbo_tree *tree) {
    if (!tree->escape) abort();
    longjmp(*(jmp_buf *)tree->escape, 1);
}

static inline void *cgumbo_allocate(void *tree_pointer, size_t size) {
    cgumbo_tree *tree = (cgumbo_tree *)tree_pointer;
    struct cgumbo_block *block = tree->blocks;
    if (++tree->pieces % 256 == 0 && cgumbo_seconds() > tree->deadline) cgumbo_refuse(tree);
    size = (size + 15) & ~(size_t)15;
    if (!block || block->size - block->used < size) {
        size_t room = size > 65536 ? size : 65536;
        if (room > tree->most_bytes - tree->bytes) cgumbo_refuse(tree);
        block = (struct cgumbo_block *)malloc(sizeof(struct cgumbo_block) + 16 + room);
        if (!block) cgumbo_refuse(tree);
        tree->bytes += room;
        block->size = room;
        block->used = 0;
        block->next = tree->blocks;
        tree->blocks = block;
    }
    // Behind the block's head, on an address that is right for everything.
    char *start = (char *)(((uintptr_t)(block + 1) + 15) & ~(uintptr_t)15);
    void *memory = start + block->used;
    block->used += size;
    return memory;
}

static inline void cgumbo_forget(void *tree, void *memory) {
    (void)tree;
    (void)memory;
}

static inline void cgumbo_free(cgumbo_tree *tree) {
    while (tree->blocks) {
        struct cgumbo_block *next = tree->blocks->next;
        free(tree->blocks);
        tree->blocks = next;
    }
    free(tree);
}

/// Parses HTML in UTF-8, which must stay where it is until the tree is given back with `cgumbo_free`.
///
/// Null for what asks for more than `most_bytes` of memory, or takes too long.
static inline cgumbo_tree *cgumbo_parse(const char *html, size_t length, size_t most_bytes) {
    cgumbo_tree *tree = (cgumbo_tree *)calloc(1, sizeof(cgumbo_tree));
    if (!tree) return NULL;
    jmp_buf escape;
    tree->most_bytes = most_bytes;
    tree->deadline = cgumbo_seconds() + CGUMBO_SECONDS + (double)length / CGUMBO_BYTES_PER_SECOND;
    tree->escape = &escape;
    if (setjmp(escape) != 0) {
        cgumbo_free(tree);
        return NULL;
    }
    GumboOptions options = kGumboDefaultOptions;
    options.allocator = cgumbo_allocate;
    options.deallocator = cgumbo_forget;
    options.userdata = tree;
    options.max_errors = 0;
    tree->output = gumbo_parse_with_options(&options, html, length);
    tree->escape = NULL;
    return tree;
}

static inline const GumboNode *cgumbo_root(const cgumbo_tree *tree) { return tree->output->root; }

/// The children of an element; none of any other node.
static inline unsigned cgumbo_child_count(const GumboNode *node) {
    return node->type == GUMBO_NODE_ELEMENT || node->type == GUMBO_NODE_TEMPLATE
        ? node->v.element.children.length : 0;
}

static inline const GumboNode *cgumbo_child(const GumboNode *node, unsigned index) {
    return index < cgumbo_child_count(node) ? (const GumboNode *)node->v.element.children.data[index] : NULL;
}

static inline unsigned cgumbo_attribute_count(const GumboNode *node) {
    return node->type == GUMBO_NODE_ELEMENT || node->type == GUMBO_NODE_TEMPLATE
        ? node->v.element.attributes.length : 0;
}

static inline const GumboAttribute *cgumbo_attribute(const GumboNode *node, unsigned index) {
    return index < cgumbo_attribute_count(node)
        ? (const GumboAttribute *)node->v.element.attributes.data[index] : NULL;
}

/// Whether it is an element of HTML, not of SVG or MathML.
static inline _Bool cgumbo_is_html(const GumboNode *node) {
    return node->type == GUMBO_NODE_ELEMENT && node->v.element.tag_namespace == GUMBO_NAMESPACE_HTML;
}

/// Empty for an element that HTML does not know.
static inline const char *cgumbo_name(const GumboNode *node) {
    return node->type == GUMBO_NODE_ELEMENT ? gumbo_normalized_tagname(node->v.element.tag) : "";
}

/// Null for what is no text.
static inline const char *cgumbo_text(const GumboNode *node) {
    switch (node->type) {
        case GUMBO_NODE_TEXT:
        case GUMBO_NODE_WHITESPACE:
        case GUMBO_NODE_CDATA: return node->v.text.text;
        default: return NULL;
    }
}
