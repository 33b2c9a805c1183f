#pragma once

#include <libical/ical.h>

// ICU's own headers stay out of this one, as in CUnicodeSpoof.

/// The name in the tz database for a zone as Windows calls it, such as “W. Europe Standard Time”, with the zero at its
/// end. Returns its length, and 0 for an unknown one.
int cical_zone_of_windows(const char *name, char *result, int capacity);
