import COpenSSL
import FoundationEssentials

/// What OpenSSL makes and frees: keys and certificates.
///
/// They are made, used and dropped by one task.
final class PrivateKey {
    let pointer: OpaquePointer

    /// A new key on the curve P-256.
    init() throws(OpenSSLError) {
        guard let key = copenssl_p256_key() else { throw OpenSSLError("no key") }
        pointer = key
    }

    init(pem: Data) throws(OpenSSLError) {
        let key = pem.withUnsafeBytes { bytes -> OpaquePointer? in
            let bio = copenssl_memory(bytes.baseAddress, CInt(clamping: bytes.count))
            defer { BIO_free(bio) }
            return PEM_read_bio_PrivateKey(bio, nil, nil, nil)
        }
        guard let key else { throw OpenSSLError("the key cannot be read") }
        pointer = key
    }

    deinit { EVP_PKEY_free(pointer) }

    func pem() throws(OpenSSLError) -> String {
        try memory { PEM_write_bio_PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
    }
}

final class Certificate {
    let pointer: OpaquePointer

    init() throws(OpenSSLError) {
        guard let certificate = X509_new() else { throw OpenSSLError("no memory") }
        pointer = certificate
    }

    init(pem: Data) throws(OpenSSLError) {
        let certificate = pem.withUnsafeBytes { bytes -> OpaquePointer? in
            let bio = copenssl_memory(bytes.baseAddress, CInt(clamping: bytes.count))
            defer { BIO_free(bio) }
            return PEM_read_bio_X509(bio, nil, nil, nil)
        }
        guard let certificate else { throw OpenSSLError("the certificate cannot be read") }
        pointer = certificate
    }

    deinit { X509_free(pointer) }

    func pem() throws(OpenSSLError) -> String {
        try memory { PEM_write_bio_X509($0, pointer) }
    }

    func isFor(_ key: PrivateKey) -> Bool {
        X509_check_private_key(pointer, key.pointer) == 1
    }

    /// Whether it is good for so long yet.
    func isGood(for seconds: Int) -> Bool {
        var end = time_t(seconds)
        time(&end)
        end += time_t(seconds)
        return X509_cmp_time(X509_get0_notAfter(pointer), &end) > 0
    }
}

struct OpenSSLError: Error {
    let reason: String

    init(_ what: String) {
        var text = [CChar](repeating: 0, count: 256)
        let code = ERR_get_error()
        ERR_error_string_n(code, &text, text.count)
        ERR_clear_error()
        reason =
            code == 0
            ? what : "\(what) (\(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)))"
    }
}

/// The data that the body writes to memory.
private func memory(_ body: (OpaquePointer?) -> CInt) throws(OpenSSLError) -> String {
    let bio = BIO_new(BIO_s_mem())
    defer { BIO_free(bio) }
    var bytes: UnsafeMutablePointer<CChar>?
    guard bio != nil, body(bio) == 1 else { throw OpenSSLError("cannot be written") }
    let count = copenssl_memory_contents(bio, &bytes)
    guard let bytes, count > 0 else { throw OpenSSLError("nothing was written") }
    return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
}
