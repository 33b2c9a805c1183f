#include <openssl/err.h>
#include <openssl/ssl.h>

/* Macros that Swift cannot import. */
static inline long imaptest_set_name(SSL *ssl, const char *name) { return SSL_set_tlsext_host_name(ssl, name); }
