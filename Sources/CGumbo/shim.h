#include <gumbo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Gumbo frees a tree with a function that calls itself for every level, which deeply nested mail turns into
// a crash. So the memory of a tree is one arena, which is freed as a whole.

struct cgumbo_block {
    struct cgumbo_block *next;
    size_t used, size;
};

typedef struct {
    struct cgumbo_block *blocks;
    GumboOutput *output;
} cgumbo_tree;

static inline void *cgumbo_allocate(void *tree_pointer, size_t size) {
    cgumbo_tree *tree = (cgumbo_tree *)tree_pointer;
    struct cgumbo_block *block = tree->blocks;
    size = (size + 15) & ~(size_t)15;
    if (!block || block->size - block->used < size) {
        size_t room = size > 65536 ? size : 65536;
        block = (struct cgumbo_block *)malloc(sizeof(struct cgumbo_block) + 16 + room);
        if (!block) abort();
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
static inline cgumbo_tree *cgumbo_parse(const char *html, size_t length) {
    cgumbo_tree *tree = (cgumbo_tree *)calloc(1, sizeof(cgumbo_tree));
    if (!tree) return NULL;
    GumboOptions options = kGumboDefaultOptions;
    options.allocator = cgumbo_allocate;
    options.deallocator = cgumbo_forget;
    options.userdata = tree;
    options.max_errors = 0;
    tree->output = gumbo_parse_with_options(&options, html, length);
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
