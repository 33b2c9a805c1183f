import CCurl
import COpenSSL
import MailKernelAPI

/// What libcurl's codes mean in the words of the API.
struct CurlFailure {
    let code: CURLcode
    let host: String
    let port: Int
    /// As the address to connect to names it; nil if it is connected to directly.
    let proxy: String?
    /// libcurl's own words.
    let complaint: String
    /// What OpenSSL found wrong with the certificate; 0 if nothing.
    let certificate: Int

    private var tls: TLSWords { TLSWords(port: port) }

    var error: NetworkError {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            lacking("the name was not found")
        case CURLE_COULDNT_RESOLVE_PROXY:
            lacking("the proxy \(proxy ?? "") was not found")
        case CURLE_COULDNT_CONNECT:
            lacking(proxy.map { "the proxy \($0) did not respond" } ?? "no server responded on port \(port)")
        case CURLE_PROXY:
            .unreachable(host: host, reason: "the proxy \(proxy ?? "") refused: \(words)")
        case CURLE_OPERATION_TIMEDOUT:
            lacking("it did not respond in time on port \(port)")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER,
            CURLE_USE_SSL_FAILED:
            .insecure(host: host, reason: tls.certificate(certificate) ?? certificateWords)
        case CURLE_SSL_CONNECT_ERROR:
            brokenHandshake
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2_STREAM:
            isProxyRefusal
                ? .unreachable(host: host, reason: "the proxy \(proxy ?? "") refused: \(words)")
                : .closed(host: host)
        case CURLE_OUT_OF_MEMORY:
            .local(reason: "there is not enough memory")
        default:
            .badAnswer(host: host, reason: words)
        }
    }

    /// A connection that was cut during the handshake says nothing about certificates.
    private var brokenHandshake: NetworkError {
        if let reason = tls.certificate(certificate) { return .insecure(host: host, reason: reason) }
        let isCut = ["SSL_ERROR_SYSCALL", "reset by peer", "unexpected eof", "Broken pipe"]
            .contains { complaint.contains($0) }
        return isCut ? .closed(host: host) : .insecure(host: host, reason: tls.handshake(complaint))
    }

    /// How libcurl 7 says that an HTTP proxy did not open a tunnel.
    private var isProxyRefusal: Bool { proxy != nil && complaint.contains("CONNECT") }

    /// libcurl compares the names itself, so OpenSSL has nothing to say about them.
    private var certificateWords: String {
        complaint.contains("subject name") ? "the certificate on port \(port) is for a different name" : words
    }

    private var words: String {
        complaint.isEmpty ? String(cString: curl_easy_strerror(code)) : complaint
    }

    private func lacking(_ reason: String) -> NetworkError {
        let isHere = host == "localhost" || host.hasPrefix("127.") || host == "::1"
        return isHere || Reachability.hasNetwork ? .unreachable(host: host, reason: reason) : .offline
    }
}

/// Sentences about TLS that failed. They name the port, because each of a server's ports has its own certificate and
/// rules.
struct TLSWords {
    let port: Int

    /// - Parameter result: of the verification; nil is answered if nothing was wrong.
    func certificate(_ result: Int) -> String? {
        // Unspecified: the handshake did not come as far as a certificate.
        guard result != X509_V_OK, result != X509_V_ERR_UNSPECIFIED else { return nil }
        let words = String(cString: X509_verify_cert_error_string(result))
        return "the certificate on port \(port) is not trusted: \(words)"
    }

    /// - Parameter complaint: OpenSSL's words.
    func handshake(_ complaint: String) -> String {
        if complaint.contains("wrong version number") || complaint.contains("packet length too long") {
            return "it does not use TLS on port \(port)"
        }
        if complaint.contains("protocol version") || complaint.contains("unsupported protocol") {
            return "it does not support TLS 1.2 or newer on port \(port)"
        }
        return "the TLS handshake on port \(port) failed: \(complaint)"
    }
}
