#include "CCharsets.h"

#include <string.h>
#include <unicode/ucnv.h>
#include <unicode/ucsdet.h>

const char *ccharsets_standard_name(const char *name, const char *standard) {
    UErrorCode status = U_ZERO_ERROR;
    const char *found = ucnv_getStandardName(name, standard, &status);
    return U_FAILURE(status) ? NULL : found;
}

const char *ccharsets_alias(const char *name, uint16_t index) {
    UErrorCode status = U_ZERO_ERROR;
    if (index >= ucnv_countAliases(name, &status) || U_FAILURE(status)) return NULL;
    const char *found = ucnv_getAlias(name, index, &status);
    return U_FAILURE(status) ? NULL : found;
}

int32_t ccharsets_detect(const char *bytes, int32_t count, char *name, int32_t capacity, int32_t *confidence) {
    UErrorCode status = U_ZERO_ERROR;
    int32_t length = -1;
    UCharsetDetector *detector = ucsdet_open(&status);
    ucsdet_setText(detector, bytes, count, &status);
    const UCharsetMatch *match = ucsdet_detect(detector, &status);
    const char *found = match ? ucsdet_getName(match, &status) : NULL;
    if (U_SUCCESS(status) && found && strlen(found) < (size_t)capacity) {
        *confidence = ucsdet_getConfidence(match, &status);
        length = (int32_t)strlen(found);
        memcpy(name, found, (size_t)length);
    }
    if (detector) ucsdet_close(detector);
    return length;
}
