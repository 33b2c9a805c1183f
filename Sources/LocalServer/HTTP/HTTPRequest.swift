import FoundationEssentials

/// The head of a request: everything but its body.
struct HTTPRequest: Sendable {
    var method: String
    /// As it was sent: the part before the question mark, still percent-encoded.
    var path: String
    /// As it was sent: the part after the question mark, still percent-encoded.
    var query: String
    /// Names in lower case, in the order in which they came.
    var headers: [(name: String, value: String)]
    var listener: Listener

    /// Where a request came in.
    struct Listener: Sendable, Hashable {
        var port: Int
        var isTLS: Bool
        var scheme: String { isTLS ? "https" : "http" }
    }

    init(method: String, target: String, headers: [(name: String, value: String)], listener: Listener) {
        self.method = method
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts[0])
        query = parts.count > 1 ? String(parts[1]) : ""
        self.headers = headers
        self.listener = listener
    }

    /// The value of a header; nil if it is missing. Of several the first counts.
    func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }

    func headerCount(_ name: String) -> Int {
        headers.count { $0.name == name }
    }

    /// How long the body says it is; nil if it does not (no body, or one in chunks).
    var contentLength: Int? { header("content-length").flatMap { Int($0) } }

    /// The length of its body is stated twice, or in a form that programs read differently (RFC 9112, section 6.3).
    var hasUnclearLength: Bool {
        let lengths = headers.filter { $0.name == "content-length" || $0.name == "transfer-encoding" }
        return lengths.count > 1
            || lengths.contains { name, value in
                name == "content-length" ? !value.isDecimal : value.lowercased() != "chunked"
            }
    }

    /// It should have a body, and states no length: the library overlooks one that is folded onto the next line, and
    /// would take the body for the next request.
    var hidesBody: Bool {
        method == "POST"
            && !headers.contains { $0.name == "content-length" || $0.name == "transfer-encoding" }
    }

    /// It sends its body once it has received 100.
    var waitsToBeAsked: Bool { header("expect")?.trimmed.lowercased() == "100-continue" }

    /// The components of the path, decoded; nil if one of them is not text in UTF-8.
    var pathComponents: [String]? {
        var found: [String] = []
        for component in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let text = String(component).decodedFromURL else { return nil }
            found.append(text)
        }
        return found
    }

    /// The value of a query parameter, decoded; nil if it is missing or not text in UTF-8.
    func parameter(_ name: String) -> String? {
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard String(parts[0]).decodedFromURL == name else { continue }
            return (parts.count > 1 ? String(parts[1]) : "").decodedFromURL
        }
        return nil
    }

    var parameterNames: [String] {
        query.split(separator: "&").compactMap { pair in
            pair.split(separator: "=", omittingEmptySubsequences: false).first
                .flatMap { String($0).decodedFromURL }
        }
    }

    /// The values of all cookies with this name.
    func cookies(_ name: String) -> [String] {
        headers.filter { $0.name == "cookie" }.flatMap { $0.value.split(separator: ";") }.compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].trimmed == name else { return nil }
            return parts[1].trimmed
        }
    }
}

extension String {
    /// Only letters of ASCII have two cases in the names of headers: the Kelvin sign is no k.
    var asciiLowercased: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

extension String {
    /// Digits and nothing else.
    fileprivate var isDecimal: Bool { !isEmpty && utf8.allSatisfy { (0x30...0x39).contains($0) } }
}

extension StringProtocol {
    /// Without spaces and tabs at both ends.
    var trimmed: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}

extension String {
    /// Percent-decoded; nil if that is not UTF-8 or the encoding is broken.
    var decodedFromURL: String? {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexValue, let low = rest.popFirst()?.hexValue else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
