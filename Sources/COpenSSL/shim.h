#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

/* OpenSSL has these as macros or with a variable number of arguments. */

/* Before anything else of OpenSSL: at the end of the process it then frees nothing that a thread still uses. */
static inline int copenssl_start(void) { return OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, NULL); }

static inline EVP_PKEY *copenssl_p256_key(void) { return EVP_EC_gen("P-256"); }

static inline BIO *copenssl_memory(const void *bytes, int count) { return BIO_new_mem_buf(bytes, count); }

static inline long copenssl_memory_contents(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }

static inline X509_EXTENSION *copenssl_extension(X509 *subject, X509 *issuer, int nid, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, subject, NULL, NULL, 0);
    return X509V3_EXT_conf_nid(NULL, &context, nid, value);
}

static inline int copenssl_set_oldest(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}

static inline void copenssl_set_modes(SSL_CTX *context) {
    SSL_CTX_set_mode(
        context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
}

static inline int copenssl_set_name(SSL *ssl, const char *name) { return SSL_set_tlsext_host_name(ssl, name); }
