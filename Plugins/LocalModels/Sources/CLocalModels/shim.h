#ifndef CLOCALMODELS_SHIM_H
#define CLOCALMODELS_SHIM_H

#include <errno.h>
#include <fcntl.h>
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

/* Has the system begin to put a part of a file on the disk, without waiting for it. */
static inline void clocalmodels_begin_writing(int file, long offset, long count) {
    enum { begin_writing = 2 };
    syscall(SYS_sync_file_range, file, offset, count, begin_writing);
}

/* Writes whole pages from an address of a whole page to the disk itself, past the memory that the system keeps
   files in. -1 with EINVAL where the file system has no such way. */
static inline ssize_t clocalmodels_write_past_cache(int file, const void *bytes, size_t count, off_t offset) {
    int flags = fcntl(file, F_GETFL);
    if (flags < 0 || fcntl(file, F_SETFL, flags | __O_DIRECT) != 0) {
        errno = EINVAL;
        return -1;
    }
    ssize_t written = pwrite(file, bytes, count, offset);
    int failure = errno;
    fcntl(file, F_SETFL, flags);
    errno = failure;
    return written;
}

/* Declared by spawn.h only for programs that ask for GNU's extensions. */
static const short clocalmodels_spawn_setsid = 0x80;
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
