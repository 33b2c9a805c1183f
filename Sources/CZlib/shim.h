#include <zlib.h>

/* zlib has it as a macro. The window is that of gzip. */
static inline int czlib_gzip_begin(z_stream *stream) {
    return deflateInit2(stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

/* Also a macro. It takes what gzip and zlib compressed. */
static inline int czlib_inflate_begin(z_stream *stream) {
    return inflateInit2(stream, 15 + 32);
}
