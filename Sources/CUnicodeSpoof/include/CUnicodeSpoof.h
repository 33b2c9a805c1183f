#pragma once

#include <stdint.h>

// ICU's own headers stay out of this one: Foundation has a module of another version of them, and Swift refuses to
// see two. Each function is one of ICU's with its options, and answers -1 or a null pointer instead of an error.

/// Judges names; a null pointer where it cannot be made. It is never closed.
void *cunicode_open_spoof(void);

/// 1 if a name mixes scripts that no language does, or has characters that no language of today uses, or that cannot
/// be seen.
int cunicode_mixes(const void *checker, const char *name, int32_t length);

/// What is equal for names that look the same. The length of the result.
int32_t cunicode_skeleton(const void *checker, const char *name, int32_t length, char *result, int32_t capacity);

/// The letters of the main language of a country, by its code of two letters. Their number; -1 if it is unknown.
int32_t cunicode_alphabet(const char *country, uint32_t *letters, int32_t capacity);

/// Reads hosts; a null pointer where it cannot be made. It is never closed.
void *cunicode_open_idna(void);

/// A host in its Unicode form, or in its ASCII form. The length of the result; -1 for what is no host.
int32_t cunicode_host(
    const void *idna, _Bool to_ascii, const char *host, int32_t length, char *result, int32_t capacity);
