import FoundationEssentials
import JMAP
import MailKernelAPI

extension Router {
    /// Downloads (RFC 8620, section 6.2). They are untrusted mail content, so all headers tell a browser to
    /// save them instead of opening them here.
    func download(_ request: HTTPRequest, _ client: JMAPClient) throws(Gatekeeper.Refusal) -> Admission {
        guard let components = request.pathComponents, components.count == 5,
            components[2...].allSatisfy({ !$0.isEmpty })
        else { throw Gatekeeper.Refusal(404, "Nothing exists at this URL.") }
        var type = "application/octet-stream"
        if let wanted = request.parameter("type"), !wanted.isEmpty {
            guard wanted.isMediaType else { throw Gatekeeper.Refusal(400, "“type” is not a media type.") }
            type = wanted
        }
        let headers = [
            ("Content-Type", type),
            ("Content-Disposition", ContentDisposition.attachment(components[4])),
            ("ETag", HTTPResponse.entityTag(of: Data(components[3].utf8))),
            ("Accept-Ranges", "bytes"),
            // Mail stays in the store; a browser's cache would outlive a removed account.
            ("Cache-Control", "private, no-store"),
        ]
        return .serve(bodyLimit: 0, isKnown: true) { _ in
            await answer(request) { () async throws(RequestProblem) in
                let download = try await service.download(components[3], of: components[2], for: client)
                let risk = download.risk.map { [("Mailkernel-Risk", $0)] } ?? []
                return Self.response(to: request, with: download.bytes, headers + risk)
            }
        }
    }

    private static func response(
        to request: HTTPRequest, with bytes: any ByteSource, _ headers: [(String, String)]
    ) -> HTTPResponse {
        let etag = headers.first { $0.0 == "ETag" }?.1 ?? ""
        if request.matches(etag: etag) { return HTTPResponse(304, headers) }
        let isWholeWanted = request.header("if-range").map { $0.trimmed != etag } ?? false
        switch isWholeWanted ? .whole : ByteRange.wanted(request.header("range"), of: bytes.size) {
        case .whole:
            return HTTPResponse(200, headers, body: body(bytes, 0..<bytes.size))
        case .part(let range):
            let content = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.size)"
            return HTTPResponse(206, headers + [("Content-Range", content)], body: body(bytes, range))
        case .unsatisfiable:
            return .problem(416, "The blob has \(bytes.size) bytes.")
                .with("Content-Range", "bytes */\(bytes.size)")
        }
    }

    private static func body(_ source: any ByteSource, _ range: Range<Int>) -> HTTPResponse.Body {
        .stream(size: range.count) { pipe in
            var offset = range.lowerBound
            while offset < range.upperBound {
                let bytes = try await source.read(
                    at: offset, count: min(128 * 1024, range.upperBound - offset))
                guard !bytes.isEmpty else { throw BodyError.interrupted }
                try await pipe.write(bytes)
                offset += bytes.count
            }
        }
    }
}

/// A part of a blob that a client wants (RFC 9110, section 14).
enum ByteRange: Equatable {
    case whole
    case part(Range<Int>)
    case unsatisfiable

    /// Invalid ranges, and several ranges at once, get the whole content.
    static func wanted(_ header: String?, of size: Int) -> ByteRange {
        guard let header, header.hasPrefix("bytes=") else { return .whole }
        let ends = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map(\.trimmed)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }) else {
            return .whole
        }
        switch (Int(ends[0]), Int(ends[1])) {
        case (nil, let count?) where ends[0].isEmpty:
            return count == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - count)..<size)
        case (let first?, let last):
            guard last != nil || ends[1].isEmpty, last ?? first >= first else { return .whole }
            guard first < size else { return .unsatisfiable }
            return .part(first..<(min(size - 1, last ?? size) + 1))
        default: return .whole
        }
    }
}

enum ContentDisposition {
    /// Save it under this name, which is foreign: nothing in it may steer the header, the file system or the
    /// eye (a name that turns the direction of writing shows another ending than it has).
    static func attachment(_ name: String) -> String {
        var clean = String(
            String.UnicodeScalarView(
                name.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: "_"
                    default: "/\\:*?\"<>|".unicodeScalars.contains(scalar) ? "_" : scalar
                    }
                }
            ).prefix(150))
        if clean.hasPrefix(".") { clean = "_" + clean.dropFirst() }
        if clean.trimmed.isEmpty { clean = "download" }
        let ascii = String(
            String.UnicodeScalarView(
                clean.unicodeScalars.map { $0.isASCII && $0 != "%" && $0 != ";" ? $0 : "_" }))
        let encoded = clean.utf8.map { byte in
            let isPlain =
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || "-._~".utf8.contains(byte)
            return isPlain
                ? String(UnicodeScalar(byte)) : "%" + Data([byte]).hex.uppercased()
        }.joined()
        return "attachment; filename=\"\(ascii)\"; filename*=UTF-8''\(encoded)"
    }
}

extension String {
    /// A media type with or without parameters, in characters that a header may have.
    fileprivate var isMediaType: Bool {
        let parts = split(separator: ";", maxSplits: 1)
        guard let names = parts.first?.split(separator: "/", omittingEmptySubsequences: false),
            names.count == 2
        else { return false }
        let isToken = names.allSatisfy { name in
            !name.trimmed.isEmpty
                && name.trimmed.utf8.allSatisfy { byte in
                    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                        || "!#$&-^_.+".utf8.contains(byte)
                }
        }
        return isToken && utf8.count <= 200 && utf8.allSatisfy { (32...126).contains($0) }
    }
}
