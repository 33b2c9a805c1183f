#include <zlib.h>

/* Both are macros that Swift cannot import. Negative window bits: a raw stream, as RFC 4978 wants. */
static inline int imap_zlib_deflate_init(z_stream *stream) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
}
static inline int imap_zlib_inflate_init(z_stream *stream) { return inflateInit2(stream, -15); }
