#ifndef CLLAMA_SANDBOX_H
#define CLLAMA_SANDBOX_H

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * What a process gives up that only computes: new programs and privileges, the network, writing files, core
 * dumps. It can still read files, use memory, start threads and use the connection that it was given.
 */

#if defined(__x86_64__)
#define CLLAMA_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CLLAMA_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

static const unsigned int cllama_refused[] = {
    __NR_socket, __NR_socketpair, __NR_connect, __NR_bind, __NR_listen, __NR_accept, __NR_accept4,
    __NR_execve, __NR_execveat, __NR_ptrace, __NR_process_vm_readv, __NR_process_vm_writev, __NR_bpf,
    __NR_perf_event_open, __NR_keyctl, __NR_add_key, __NR_request_key, __NR_mount, __NR_unshare, __NR_setns,
    __NR_unlinkat, __NR_renameat2, __NR_linkat, __NR_symlinkat, __NR_mkdirat, __NR_mknodat, __NR_fchmodat,
    __NR_fchownat, __NR_truncate, __NR_kill, __NR_tkill, __NR_rt_sigqueueinfo, __NR_rt_tgsigqueueinfo,
    /* A file that is open for reading alone can be given away with these. */
    __NR_fchmod, __NR_fchown, __NR_setxattr, __NR_lsetxattr, __NR_fsetxattr, __NR_removexattr,
    __NR_lremovexattr, __NR_fremovexattr, __NR_utimensat,
    /* What a device or a file system does beside reading: a terminal takes typed commands in this way. */
    __NR_ioctl,
    424 /* pidfd_send_signal */, 434 /* pidfd_open */, 438 /* pidfd_getfd */, 452 /* fchmodat2 */,
#ifdef __NR_renameat
    __NR_renameat,
#endif
#ifdef __NR_open
    /* The C library uses openat, whose flags are looked at. */
    __NR_open, __NR_creat, __NR_fork, __NR_vfork, __NR_unlink, __NR_rename, __NR_link, __NR_symlink,
    __NR_mkdir, __NR_rmdir, __NR_mknod, __NR_chmod, __NR_chown, __NR_lchown,
    __NR_utime, __NR_utimes, __NR_futimesat,
#endif
};

/* Their arguments lie in memory, where a filter cannot look. The C library does without them. */
static const unsigned int cllama_unknown[] = {
    425 /* io_uring_setup */, 435 /* clone3 */, 437 /* openat2 */,
};

static inline int cllama_filter(void) {
#ifdef CLLAMA_ARCHITECTURE
    enum { refused = sizeof cllama_refused / sizeof *cllama_refused,
           unknown = sizeof cllama_unknown / sizeof *cllama_unknown };
    struct sock_filter rules[32 + 2 * (refused + unknown)];
    unsigned short count = 0;
#define CLLAMA_LOAD(field) \
    rules[count++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned int)(field))
#define CLLAMA_JUMP(test, value, yes, no) \
    rules[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | (test) | BPF_K, (value), (yes), (no))
#define CLLAMA_END(result) rules[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, (result))
    CLLAMA_LOAD(offsetof(struct seccomp_data, arch));
    CLLAMA_JUMP(BPF_JEQ, CLLAMA_ARCHITECTURE, 1, 0);
    CLLAMA_END(SECCOMP_RET_KILL_PROCESS);
    CLLAMA_LOAD(offsetof(struct seccomp_data, nr));
    /* The second set of numbers on x86-64. */
    CLLAMA_JUMP(BPF_JGE, 0x40000000u, 0, 1);
    CLLAMA_END(SECCOMP_RET_KILL_PROCESS);
    for (int index = 0; index < refused; index++) {
        CLLAMA_JUMP(BPF_JEQ, cllama_refused[index], 0, 1);
        CLLAMA_END(SECCOMP_RET_ERRNO | EPERM);
    }
    for (int index = 0; index < unknown; index++) {
        CLLAMA_JUMP(BPF_JEQ, cllama_unknown[index], 0, 1);
        CLLAMA_END(SECCOMP_RET_ERRNO | ENOSYS);
    }
    /* Signals and limits are for itself: others would be the program that started it. */
    CLLAMA_JUMP(BPF_JEQ, __NR_tgkill, 0, 4);
    CLLAMA_LOAD(offsetof(struct seccomp_data, args[0]));
    CLLAMA_JUMP(BPF_JEQ, (unsigned int)getpid(), 0, 1);
    CLLAMA_END(SECCOMP_RET_ALLOW);
    CLLAMA_END(SECCOMP_RET_ERRNO | EPERM);
    CLLAMA_JUMP(BPF_JEQ, __NR_prlimit64, 0, 4);
    CLLAMA_LOAD(offsetof(struct seccomp_data, args[0]));
    CLLAMA_JUMP(BPF_JEQ, 0, 0, 1);
    CLLAMA_END(SECCOMP_RET_ALLOW);
    CLLAMA_END(SECCOMP_RET_ERRNO | EPERM);
    /* Files are opened for reading alone. Threads are made, processes are not. */
    CLLAMA_JUMP(BPF_JEQ, __NR_openat, 0, 2);
    CLLAMA_LOAD(offsetof(struct seccomp_data, args[2]));
    CLLAMA_JUMP(BPF_JSET, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 4, 3);
    CLLAMA_JUMP(BPF_JEQ, __NR_clone, 0, 2);
    CLLAMA_LOAD(offsetof(struct seccomp_data, args[0]));
    CLLAMA_JUMP(BPF_JSET, CLONE_THREAD, 0, 1);
    CLLAMA_END(SECCOMP_RET_ALLOW);
    CLLAMA_END(SECCOMP_RET_ERRNO | EPERM);
#undef CLLAMA_LOAD
#undef CLLAMA_JUMP
#undef CLLAMA_END
    struct sock_fprog program = {count, rules};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
#else
    return 0;
#endif
}

static inline int cllama_limit(int resource, unsigned long long most) {
    struct rlimit limit = {most, most};
    return setrlimit(resource, &limit);
}

/* False where the system refuses a part of it: then nothing is begun. */
static inline int cllama_confine(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 &&
           cllama_limit(RLIMIT_CORE, 0) == 0 && cllama_limit(RLIMIT_FSIZE, 0) == 0 &&
           cllama_limit(RLIMIT_NOFILE, 64) == 0 && cllama_filter() == 0;
}

/* How many processors it may run on. */
static inline int cllama_processors(void) {
    unsigned long set[128] = {0};
    int count = 0;
    if (syscall(__NR_sched_getaffinity, 0, sizeof set, set) <= 0) return 1;
    for (unsigned int index = 0; index < sizeof set / sizeof *set; index++) count += __builtin_popcountl(set[index]);
    return count;
}

/* How much memory it may take besides the files that it reads. */
static inline int cllama_limit_memory(unsigned long long bytes) { return cllama_limit(RLIMIT_DATA, bytes) == 0; }

#endif
