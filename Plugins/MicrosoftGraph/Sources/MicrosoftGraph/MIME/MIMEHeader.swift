import FoundationEssentials

/// The header of a message or of one of its parts, as far as it is needed to take parts out.
struct MIMEHeader: Sendable {
    private static let limit = 262_144

    /// How many bytes it has, with the empty line.
    let length: Int
    private let fields: [(name: String, value: String)]

    init(_ bytes: Data) {
        let start = bytes.prefix(Self.limit)
        let end =
            start.firstRange(of: Data("\r\n\r\n".utf8)) ?? start.firstRange(of: Data("\n\n".utf8))
        // A part may begin with the empty line: then it has no header.
        let isBare = bytes.starts(with: Data("\r\n".utf8)) || bytes.first == UInt8(ascii: "\n")
        guard !isBare else {
            (length, fields) = (bytes.first == UInt8(ascii: "\n") ? 1 : 2, [])
            return
        }
        length = (end?.upperBound).map { $0 - bytes.startIndex } ?? min(bytes.count, Self.limit)
        var fields: [(name: String, value: String)] = []
        let text = String(decoding: start.prefix(length), as: UTF8.self)
        for line in text.split(whereSeparator: \.isNewline) {
            if line.first == " " || line.first == "\t" {
                if !fields.isEmpty { fields[fields.count - 1].value += " " + Self.trimmed(line) }
            } else if let colon = line.firstIndex(of: ":") {
                fields.append(
                    (
                        Self.trimmed(line[..<colon]).lowercased(),
                        Self.trimmed(line[line.index(after: colon)...])
                    ))
            }
        }
        self.fields = fields
    }

    /// Of the first field of this name, without line breaks.
    func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The type without parameters, in lower case.
    var type: String {
        Self.trimmed((value("content-type") ?? "text/plain").prefix { $0 != ";" }).lowercased()
    }

    var encoding: String { (value("content-transfer-encoding") ?? "7bit").lowercased() }

    var disposition: String? {
        value("content-disposition").map { Self.trimmed($0.prefix { $0 != ";" }).lowercased() }
    }

    var boundary: String? { parameter("boundary", of: "content-type") }

    /// The file's name as it was written; Outlook reads encoded words in it.
    var fileName: String? {
        parameter("filename", of: "content-disposition") ?? parameter("name", of: "content-type")
    }

    var contentID: String? {
        value("content-id").map { Self.trimmed($0.filter { $0 != "<" && $0 != ">" }[...]) }
    }

    private func parameter(_ wanted: String, of field: String) -> String? {
        guard let value = value(field) else { return nil }
        let parameters = Self.parameters(value)
        if let plain = parameters[wanted] { return plain }
        // In pieces, or with a charset (RFC 2231).
        var whole = ""
        if let extended = parameters[wanted + "*"] {
            whole = extended
        } else {
            var number = 0
            while let piece = parameters["\(wanted)*\(number)*"] ?? parameters["\(wanted)*\(number)"] {
                whole += piece
                number += 1
            }
        }
        guard !whole.isEmpty else { return nil }
        let parts = whole.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        let text = parts.count == 3 ? String(parts[2]) : whole
        return Self.unescaped(text)
    }

    private static func parameters(_ value: String) -> [String: String] {
        var parameters: [String: String] = [:]
        var rest = value.drop { $0 != ";" }.dropFirst()
        while !rest.isEmpty {
            let name = trimmed(rest.prefix { $0 != "=" && $0 != ";" }).lowercased()
            rest = rest.drop { $0 != "=" && $0 != ";" }
            guard rest.first == "=" else {
                rest = rest.dropFirst()
                continue
            }
            rest = rest.dropFirst().drop(while: \.isWhitespace)
            var text = ""
            if rest.first == "\"" {
                rest = rest.dropFirst()
                while let next = rest.popFirst(), next != "\"" {
                    text.append(next == "\\" ? rest.popFirst() ?? next : next)
                }
                rest = rest.drop { $0 != ";" }.dropFirst()
            } else {
                text = trimmed(rest.prefix { $0 != ";" })
                rest = rest.drop { $0 != ";" }.dropFirst()
            }
            if parameters[name] == nil { parameters[name] = text }
        }
        return parameters
    }

    private static func unescaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let start = text.drop(while: \.isWhitespace)
        return String(String(start.reversed()).drop(while: \.isWhitespace).reversed())
    }
}
