#include "CUnicodeSpoof.h"

#include <stdio.h>
#include <unicode/uidna.h>
#include <unicode/uloc.h>
#include <unicode/ulocdata.h>
#include <unicode/uset.h>
#include <unicode/uspoof.h>

void *cunicode_open_spoof(void) {
    UErrorCode status = U_ZERO_ERROR;
    USpoofChecker *checker = uspoof_open(&status);
    if (U_FAILURE(status)) return NULL;
    // Letters that no language of today writes with look like those of others, and count as mixed.
    USet *usual = uset_cloneAsThawed(uspoof_getRecommendedSet(&status));
    uset_addAll(usual, uspoof_getInclusionSet(&status));
    // Joiners are part of Persian and Indic words.
    uset_addRange(usual, 0x200C, 0x200D);
    uspoof_setAllowedChars(checker, usual, &status);
    uset_close(usual);
    uspoof_setRestrictionLevel(checker, USPOOF_HIGHLY_RESTRICTIVE);
    uspoof_setChecks(checker, USPOOF_RESTRICTION_LEVEL | USPOOF_INVISIBLE, &status);
    if (U_SUCCESS(status)) return checker;
    uspoof_close(checker);
    return NULL;
}

int cunicode_mixes(const void *checker, const char *name, int32_t length) {
    UErrorCode status = U_ZERO_ERROR;
    int32_t found = uspoof_checkUTF8((const USpoofChecker *)checker, name, length, NULL, &status);
    return U_FAILURE(status) ? -1 : found != 0;
}

int32_t cunicode_skeleton(
    const void *checker, const char *name, int32_t length, char *result, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    int32_t written = uspoof_getSkeletonUTF8(
        (const USpoofChecker *)checker, 0, name, length, result, capacity, &status);
    return U_FAILURE(status) || written > capacity ? -1 : written;
}

static int32_t letters_of(const USet *set, uint32_t *letters, int32_t capacity) {
    int32_t count = 0;
    for (int32_t item = 0; item < uset_getItemCount(set); item++) {
        UChar32 first, last;
        UErrorCode status = U_ZERO_ERROR;
        // Strings of several letters are made of letters that have items of their own.
        if (uset_getItem(set, item, &first, &last, NULL, 0, &status) != 0) continue;
        for (UChar32 letter = first; letter <= last && count < capacity; letter++) letters[count++] = (uint32_t)letter;
    }
    return count;
}

int32_t cunicode_alphabet(const char *country, uint32_t *letters, int32_t capacity) {
    char region[8], locale[ULOC_FULLNAME_CAPACITY];
    snprintf(region, sizeof region, "und_%.2s", country);
    UErrorCode status = U_ZERO_ERROR;
    uloc_addLikelySubtags(region, locale, sizeof locale, &status);
    ULocaleData *data = ulocdata_open(locale, &status);
    USet *set = ulocdata_getExemplarSet(data, NULL, 0, ULOCDATA_ES_STANDARD, &status);
    int32_t count = U_FAILURE(status) ? -1 : letters_of(set, letters, capacity);
    uset_close(set);
    ulocdata_close(data);
    return count;
}

void *cunicode_open_idna(void) {
    UErrorCode status = U_ZERO_ERROR;
    UIDNA *idna = uidna_openUTS46(
        UIDNA_NONTRANSITIONAL_TO_ASCII | UIDNA_NONTRANSITIONAL_TO_UNICODE | UIDNA_CHECK_BIDI
            | UIDNA_CHECK_CONTEXTJ, &status);
    return U_FAILURE(status) ? NULL : idna;
}

int32_t cunicode_host(
    const void *idna, _Bool to_ascii, const char *host, int32_t length, char *result, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    UIDNAInfo info = UIDNA_INFO_INITIALIZER;
    // Browsers and servers take hosts that only break these rules.
    const uint32_t harmless = UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG | UIDNA_ERROR_DOMAIN_NAME_TOO_LONG
        | UIDNA_ERROR_LEADING_HYPHEN | UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4;
    int32_t written = to_ascii
        ? uidna_nameToASCII_UTF8((const UIDNA *)idna, host, length, result, capacity, &info, &status)
        : uidna_nameToUnicodeUTF8((const UIDNA *)idna, host, length, result, capacity, &info, &status);
    return U_FAILURE(status) || (info.errors & ~harmless) != 0 || written > capacity ? -1 : written;
}
