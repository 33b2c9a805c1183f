#include <gmime/gmime.h>
#include <iconv.h>
#include <stdint.h>

// GObject's casts are macros, which Swift does not see. Every object is passed as `void *`; the caller
// knows what it is, because these functions are the only way to get one.

/// Once per process, before anything else here.
static inline void cgmime_start(void) {
    g_mime_init();
    // Attached messages are leaves (RFC 8621, section 4.1.4): their bytes are a blob like any other's.
    static const char *const leaves[] = {"rfc822", "rfc2822", "global", "news", "partial"};
    for (size_t index = 0; index < sizeof(leaves) / sizeof(leaves[0]); index++)
        g_mime_object_register_type("message", leaves[index], g_mime_part_get_type());
}

/// The message that these bytes are, or null. To be given back with `cgmime_release`. Its content is not
/// copied: only the places of parts may be asked for once the bytes are gone.
///
/// It is read as a part: for a message GMime would at once take its addresses apart, in a time that grows
/// with the square of their number.
static inline void *cgmime_parse(const void *bytes, uint32_t count) {
    GByteArray array = {(guint8 *)bytes, count};
    GMimeStream *stream = g_mime_stream_mem_new_with_byte_array(&array);
    g_mime_stream_mem_set_owner((GMimeStreamMem *)stream, FALSE);
    GMimeParser *parser = g_mime_parser_new_with_stream(stream);
    g_mime_parser_set_persist_stream(parser, TRUE);
    GMimeObject *message = g_mime_parser_construct_part(parser, NULL);
    g_object_unref(parser);
    g_object_unref(stream);
    return message;
}

static inline void cgmime_release(void *object) { g_object_unref(object); }

static inline int cgmime_header_count(void *object) {
    return g_mime_header_list_get_count(g_mime_object_get_header_list(object));
}

/// Where the field begins in the bytes; negative for one that is not in them.
static inline int64_t cgmime_header_offset(void *object, int index) {
    GMimeHeader *header = g_mime_header_list_get_header_at(g_mime_object_get_header_list(object), index);
    return header ? g_mime_header_get_offset(header) : -1;
}

static inline const char *cgmime_header_name(void *object, int index) {
    GMimeHeader *header = g_mime_header_list_get_header_at(g_mime_object_get_header_list(object), index);
    return header ? g_mime_header_get_name(header) : NULL;
}

static inline const char *cgmime_header_raw_value(void *object, int index) {
    GMimeHeader *header = g_mime_header_list_get_header_at(g_mime_object_get_header_list(object), index);
    return header ? g_mime_header_get_raw_value(header) : NULL;
}

static inline _Bool cgmime_is_multipart(void *object) { return GMIME_IS_MULTIPART(object); }

static inline int cgmime_child_count(void *multipart) { return g_mime_multipart_get_count(multipart); }

static inline void *cgmime_child(void *multipart, int index) {
    return g_mime_multipart_get_part(multipart, index);
}

/// What stands before the first boundary; all of it if the boundary never comes.
static inline const char *cgmime_prologue(void *multipart) {
    return g_mime_multipart_get_prologue(multipart);
}

/// Where the content of a leaf lies in the bytes, still encoded.
static inline _Bool cgmime_content_range(void *object, int64_t *start, int64_t *end) {
    if (!GMIME_IS_PART(object)) return 0;
    GMimeDataWrapper *content = g_mime_part_get_content(object);
    GMimeStream *stream = content ? g_mime_data_wrapper_get_stream(content) : NULL;
    if (!stream) return 0;
    *start = stream->bound_start;
    *end = stream->bound_end;
    return 1;
}

static inline GMimeContentType *cgmime_content_type(void *object) {
    return g_mime_object_get_content_type(object);
}

/// The file name that the header gives, decoded; null if none.
static inline const char *cgmime_filename(void *object) {
    const char *name = g_mime_object_get_content_disposition_parameter(object, "filename");
    return name ? name : g_mime_object_get_content_type_parameter(object, "name");
}

static inline const char *cgmime_disposition(void *object) { return g_mime_object_get_disposition(object); }

/// An address that is a group has members.
static inline _Bool cgmime_is_group(void *address) { return INTERNET_ADDRESS_IS_GROUP(address); }

static inline void *cgmime_group_members(void *group) { return internet_address_group_get_members(group); }

static inline const char *cgmime_mailbox(void *address) {
    return INTERNET_ADDRESS_IS_MAILBOX(address) ? internet_address_mailbox_get_addr(address) : NULL;
}

static inline const char *cgmime_address_name(void *address) { return internet_address_get_name(address); }

static inline void *cgmime_addresses(GMimeParserOptions *options, const char *text) {
    return internet_address_list_parse(options, text);
}

static inline int cgmime_address_count(void *list) { return internet_address_list_length(list); }

static inline void *cgmime_address(void *list, int index) {
    return internet_address_list_get_address(list, index);
}
