/* dl_iterate_phdr is an extension that Swift's Glibc module does not have. */
#define _GNU_SOURCE
#include "CPluginHost.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

struct visitor {
    void (*visit)(const char *path, void *context);
    void *context;
};

static int visit_one(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    const struct visitor *visitor = data;
    /* The program itself has no name here. */
    if (info->dlpi_name && info->dlpi_name[0]) visitor->visit(info->dlpi_name, visitor->context);
    return 0;
}

void each_library(void (*visit)(const char *path, void *context), void *context) {
    struct visitor visitor = {visit, context};
    dl_iterate_phdr(visit_one, &visitor);
}

void *open_bound(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
