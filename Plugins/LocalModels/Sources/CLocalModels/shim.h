#ifndef CLOCALMODELS_SHIM_H
#define CLOCALMODELS_SHIM_H

#include <openssl/evp.h>
#include <spawn.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Whether this processor has what llama.cpp was compiled for. Asked before any of it runs. */
static inline int clocalmodels_processor_suffices(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("f16c");
#else
    return 1;
#endif
}

/* Whether it has what the wide one of the two programs was compiled for: all of it. */
static inline int clocalmodels_processor_is_wide(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vnni");
#else
    return 0;
#endif
}

/* Has the system begin to put a part of a file on the disk; nobody waits for it. */
static inline void clocalmodels_begin_writing(int file, long offset, long count) {
    enum { begin_writing = 2 };
    syscall(SYS_sync_file_range, file, offset, count, begin_writing);
}

/* Declared by spawn.h only for programs that ask for GNU's extensions. */
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);

/* So is this in dlfcn.h, with what it fills in. */
struct clocalmodels_place {
    const char *file;
    void *base;
    const char *symbol;
    void *address;
};
extern int dladdr(const void *address, struct clocalmodels_place *place);

/* The file of the library that an address belongs to; null if that is not known. */
static inline const char *clocalmodels_library(const void *address) {
    struct clocalmodels_place place;
    return dladdr(address, &place) ? place.file : 0;
}

#endif
