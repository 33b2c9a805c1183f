#include "CICal.h"

#include <string.h>
#include <unicode/ucal.h>

int cical_zone_of_windows(const char *name, char *result, int capacity) {
    UChar wide[128], found[128];
    if (strlen(name) >= 128) return 0;
    for (size_t index = 0; index <= strlen(name); index++) {
        // All of these names are ASCII.
        if ((unsigned char)name[index] >= 0x80) return 0;
        wide[index] = (UChar)name[index];
    }
    UErrorCode status = U_ZERO_ERROR;
    int32_t length = ucal_getTimeZoneIDForWindowsID(wide, -1, NULL, found, 128, &status);
    if (U_FAILURE(status) || length <= 0 || length >= capacity || length >= 128) return 0;
    for (int32_t index = 0; index < length; index++) result[index] = (char)found[index];
    result[length] = 0;
    return length;
}
