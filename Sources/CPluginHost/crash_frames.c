/* dl_iterate_phdr is an extension. */
#define _GNU_SOURCE
#include "CPluginHost.h"
#include "crash_parts.h"

#include <link.h>
#include <stdatomic.h>
#include <unwind.h>

/* Whose code a thread is in: the innermost frame that lies in a plugin's library or in the program itself tells.
 * Frames of other libraries do not, for both sides call those. */

struct library {
    uintptr_t begin, end;
    atomic_int owner;
};

enum { most_runners = 16, most_frames = 100000 };

static struct library libraries[crash_most_plugins + 1];
static atomic_int library_count;

/* Where the functions begin that only run the jobs of a thread. */
static _Atomic uintptr_t runners[most_runners];

static int find_library(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    struct library *wanted = data;
    uintptr_t begin = UINTPTR_MAX, end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD) continue;
        uintptr_t first = info->dlpi_addr + segment->p_vaddr;
        if (first < begin) begin = first;
        if (first + segment->p_memsz > end) end = first + segment->p_memsz;
    }
    if (wanted->begin < begin || wanted->begin >= end) return 0;
    wanted->begin = begin;
    wanted->end = end;
    return 1;
}

void crash_add_library(const void *address, int owner) {
    struct library found = {.begin = (uintptr_t)address};
    if (!dl_iterate_phdr(find_library, &found)) return;
    int count = atomic_load(&library_count);
    for (int i = 0; i < count; i++) {
        if (libraries[i].begin != found.begin) continue;
        atomic_store(&libraries[i].owner, owner);
        return;
    }
    if (count > crash_most_plugins) return;
    libraries[count].begin = found.begin;
    libraries[count].end = found.end;
    atomic_store(&libraries[count].owner, owner);
    /* Last: a handler on another thread reads only finished entries. */
    atomic_store(&library_count, count + 1);
}

int crash_owner_of(uintptr_t address) {
    int count = atomic_load(&library_count);
    for (int i = 0; i < count; i++)
        if (address >= libraries[i].begin && address < libraries[i].end) return atomic_load(&libraries[i].owner);
    return crash_unknown;
}

static int is_runner(uintptr_t function) {
    for (int i = 0; i < most_runners; i++) {
        uintptr_t runner = atomic_load(&runners[i]);
        if (runner == 0) return 0;
        if (runner == function) return 1;
    }
    return 0;
}

/* Of the Swift runtime: they run a job of a task. Outward from them there is only what runs the jobs of a thread. */
extern void swift_job_run(void) __attribute__((weak));
extern void swift_job_run_on_task_executor(void) __attribute__((weak));
extern void swift_job_run_on_serial_and_task_executor(void) __attribute__((weak));

static int runs_a_job(uintptr_t function) {
    return function
        && (function == (uintptr_t)swift_job_run || function == (uintptr_t)swift_job_run_on_task_executor
            || function == (uintptr_t)swift_job_run_on_serial_and_task_executor);
}

struct walk {
    int owner;
    int frames;
    /* Past the handler that began the walk. */
    int is_outside;
    /* The frame pointer of the last frame, if the walk ended there for want of a table. */
    uintptr_t frame;
};

/* Of the registers, by the numbers of the tables. */
#if defined(__x86_64__)
enum { frame_pointer = 6 };
#elif defined(__aarch64__)
enum { frame_pointer = 29 };
#endif

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *data) {
    struct walk *walk = data;
    int is_interrupted = 0;
    uintptr_t address = _Unwind_GetIPInfo(context, &is_interrupted);
    /* A return address is that of the instruction behind the call. */
    int owner = crash_owner_of(is_interrupted ? address : address - 1);
    walk->frame = 0;
    if (runs_a_job(_Unwind_GetRegionStart(context))) return _URC_NORMAL_STOP;
    if (owner != crash_program) {
        walk->is_outside = 1;
    } else if (!walk->is_outside || is_runner(_Unwind_GetRegionStart(context))) {
        owner = crash_unknown;
    }
    walk->owner = owner;
    if (owner != crash_unknown || ++walk->frames >= most_frames) return _URC_NORMAL_STOP;
    walk->frame = _Unwind_GetGR(context, frame_pointer);
    return _URC_NO_REASON;
}

/* Swift's runtime has functions without a table to unwind them by. But they keep a frame pointer, as all of Swift. */
static int owner_of_callers(const uintptr_t *frame) {
    while (frame && (uintptr_t)frame % sizeof *frame == 0) {
        uintptr_t address = frame[1] - 1;
        uintptr_t function = (uintptr_t)_Unwind_FindEnclosingFunction((void *)address);
        if (runs_a_job(function)) break;
        int owner = crash_owner_of(address);
        if (owner != crash_unknown && !(owner == crash_program && is_runner(function))) return owner;
        const uintptr_t *next = (const uintptr_t *)frame[0];
        if (next <= frame) break;
        frame = next;
    }
    return crash_unknown;
}

int crash_owner_of_thread(void) {
    struct walk walk = {crash_unknown, 0, 0, 0};
    _Unwind_Backtrace(look, &walk);
    return walk.owner == crash_unknown ? owner_of_callers((const uintptr_t *)walk.frame) : walk.owner;
}

static _Unwind_Reason_Code skip(struct _Unwind_Context *context, void *data) {
    (void)data;
    uintptr_t function = _Unwind_GetRegionStart(context);
    if (crash_owner_of(function) != crash_program || is_runner(function)) return _URC_NO_REASON;
    for (int i = 0; i < most_runners; i++) {
        uintptr_t empty = 0;
        if (atomic_compare_exchange_strong(&runners[i], &empty, function) || empty == function) break;
    }
    return _URC_NO_REASON;
}

void crash_skip_callers(void) { _Unwind_Backtrace(skip, NULL); }
