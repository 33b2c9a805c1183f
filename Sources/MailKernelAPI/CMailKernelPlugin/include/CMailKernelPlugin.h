#ifndef CMAILKERNELPLUGIN_H
#define CMAILKERNELPLUGIN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The one C symbol of a plugin is
 *
 *     void *mailkernel_plugin(void *question);
 *
 * Asked with NULL it returns a descriptor that lives as long as the library. Nothing but the
 * descriptor's plain bytes is read until all of them have been checked. Asked with anything else,
 * it makes its provider, in Swift (see MailKernelPlugin in the API). */

#define MAILKERNEL_PLUGIN_SYMBOL "mailkernel_plugin"
#define MAILKERNEL_PLUGIN_MAGIC 0x4d4b504cu /* "MKPL" */
#define MAILKERNEL_API_MAJOR 2u
#define MAILKERNEL_API_MINOR 0u

/* Fixed-size text and no pointers: a reader needs no trust in the writer beyond these bytes. The first
 * four fields, 16 bytes, never change their place: every program can tell a plugin of another API by
 * them. Later versions may append fields. */
typedef struct mailkernel_descriptor {
    uint32_t magic;
    uint32_t size;
    uint32_t api_major;
    uint32_t api_minor;
    char fingerprint[64];
    char swift_version[160];
} mailkernel_descriptor;

/* Swift defines `__swift__` for the headers that it imports: the number of its version, or of the language mode
 * that a target asks for. The API is always compiled in its own mode, so its number is the compiler's. */
#ifdef __swift__
#define MAILKERNEL_SWIFT __swift__
#endif

/* Static inline, so that it names the compiler that compiles the caller. Clang's name tells apart toolchains of one
 * version. */
static inline void mailkernel_name_compiler(char *text, size_t size, int32_t swift) {
    snprintf(text, size, "%d, %s", swift, __VERSION__);
}

#endif
