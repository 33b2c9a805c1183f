import COpenSSL
import Glibc

/// TLS over a connected socket that does not block. To be used on one thread alone.
final class TLSSession {
    enum Step: Equatable {
        case done(Int)
        case wantsToRead
        case wantsToWrite
        /// The other side said that nothing more comes.
        case ended
        case failed
    }

    private let ssl: OpaquePointer

    /// - Parameter host: the name or address in the certificate.
    init?(socket: CInt, host: String, store: OpaquePointer) {
        guard let context = SSL_CTX_new(TLS_client_method()) else { return nil }
        // The session keeps it.
        defer { SSL_CTX_free(context) }
        guard copenssl_set_oldest(context, TLS1_2_VERSION) == 1 else { return nil }
        SSL_CTX_set1_cert_store(context, store)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        copenssl_set_modes(context)
        guard let ssl = SSL_new(context) else { return nil }
        self.ssl = ssl
        let name = host.last == "." ? String(host.dropLast()) : host
        let isSet: Bool
        if NetworkAddress(name) != nil {
            isSet = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1
        } else {
            SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
            isSet = SSL_set1_host(ssl, name) == 1 && copenssl_set_name(ssl, name) == 1
        }
        guard isSet, SSL_set_fd(ssl, socket) == 1 else { return nil }
    }

    deinit { SSL_free(ssl) }

    func handshake() -> Step {
        ERR_clear_error()
        return step(SSL_connect(ssl), 0)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Step {
        ERR_clear_error()
        var count = 0
        return step(SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &count), count)
    }

    func write(_ buffer: UnsafeRawBufferPointer) -> Step {
        ERR_clear_error()
        var count = 0
        return step(SSL_write_ex(ssl, buffer.baseAddress, buffer.count, &count), count)
    }

    /// Says goodbye without waiting for an answer.
    func close() {
        ERR_clear_error()
        SSL_shutdown(ssl)
        ERR_clear_error()
    }

    /// The reason why `handshake` failed; nil if the connection was closed.
    func problem(in words: TLSWords) -> String? {
        if let reason = words.certificate(SSL_get_verify_result(ssl)) { return reason }
        guard let complaint = lastWords else { return nil }
        return complaint.contains("unexpected eof") ? nil : words.handshake(complaint)
    }

    private var lastWords: String?

    private func step(_ result: CInt, _ count: Int) -> Step {
        guard result != 1 else { return .done(count) }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .wantsToRead
        case SSL_ERROR_WANT_WRITE: return .wantsToWrite
        case SSL_ERROR_ZERO_RETURN: return .ended
        default:
            let error = ERR_get_error()
            lastWords = error == 0 ? nil : String(cString: ERR_error_string(error, nil))
            ERR_clear_error()
            return .failed
        }
    }
}
