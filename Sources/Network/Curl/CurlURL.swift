import CCurl
import FoundationEssentials

/// An address as libcurl understands it. Rules about hosts are applied to what libcurl will connect to,
/// and not to what another parser takes the text for.
final class CurlURL {
    private let handle: OpaquePointer

    /// Nil if it is no address.
    convenience init?(_ text: String) {
        guard let handle = curl_url() else { return nil }
        self.init(handle)
        guard set(CURLUPART_URL, text) else { return nil }
    }

    /// The address of a server alone. Nil if the name cannot be one.
    convenience init?(scheme: String, host: String, port: Int) {
        guard let handle = curl_url() else { return nil }
        self.init(handle)
        let host = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        guard (1...65_535).contains(port), set(CURLUPART_SCHEME, scheme), set(CURLUPART_HOST, host),
            set(CURLUPART_PORT, "\(port)")
        else { return nil }
    }

    private init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    deinit { curl_url_cleanup(handle) }

    /// Where a redirect from here leads.
    func following(_ location: String) -> CurlURL? {
        guard let copy = curl_url_dup(handle) else { return nil }
        let url = CurlURL(copy)
        return url.set(CURLUPART_URL, location) ? url : nil
    }

    var scheme: String { part(CURLUPART_SCHEME) ?? "" }
    var port: Int { part(CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)).flatMap { Int($0) } ?? 0 }
    var text: String { part(CURLUPART_URL) ?? "" }
    var hasLogin: Bool { part(CURLUPART_USER) != nil || part(CURLUPART_PASSWORD) != nil }

    /// Without the brackets around an IPv6 address.
    var host: String {
        let host = part(CURLUPART_HOST) ?? ""
        return host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    func isSameOrigin(as other: CurlURL) -> Bool {
        scheme == other.scheme && host.lowercased() == other.host.lowercased() && port == other.port
    }

    private func set(_ part: CURLUPart, _ text: String) -> Bool {
        curl_url_set(handle, part, text, 0) == CURLUE_OK
    }

    private func part(_ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
