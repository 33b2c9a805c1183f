#pragma once

#include <stdint.h>

// ICU's tables of charset names and its detector. As in CUnicodeSpoof, ICU's own headers stay out of this one.
// Names are compared without regard to case and punctuation.

/// The preferred name of a charset in a standard, `IANA` or `MIME`; a null pointer if it has none.
const char *ccharsets_standard_name(const char *name, const char *standard);

/// One of the names of a charset, counted from 0; a null pointer after the last one.
const char *ccharsets_alias(const char *name, uint16_t index);

/// The most likely charset of the bytes and how certain that is, from 0 to 100. The length of its name; -1 if there
/// is none.
int32_t ccharsets_detect(const char *bytes, int32_t count, char *name, int32_t capacity, int32_t *confidence);
