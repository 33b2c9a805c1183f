import Foundation
import Glibc
import Sieve

/// A message as bytes, read as far as scripts can ask about it.
struct RawMessage: SieveMessage {
    let size: Int
    let structure: SievePart
    let rawBody: [UInt8]
    var headers: [SieveHeader] { structure.headers }

    init(_ bytes: [UInt8]) {
        size = bytes.count
        let (head, body) = Self.cut(bytes[...])
        rawBody = Array(body)
        structure = Self.part(head, body, depth: 0)
    }

    init(_ text: String) {
        self.init(Array(text.utf8))
    }

    /// By the C library, as Dovecot does it.
    func decode(_ text: [UInt8], charset: String) -> [UInt8]? {
        guard let converter = iconv_open("UTF-8", charset), converter != iconv_t(bitPattern: -1) else {
            return nil
        }
        defer { iconv_close(converter) }
        var source = text.map { CChar(bitPattern: $0) }
        var target = [CChar](repeating: 0, count: text.count * 4 + 8)
        var (left, room) = (source.count, target.count)
        let result = source.withUnsafeMutableBufferPointer { from in
            target.withUnsafeMutableBufferPointer { to in
                var (input, output) = (from.baseAddress, to.baseAddress)
                return iconv(converter, &input, &left, &output, &room)
            }
        }
        guard result != -1 && result != .max else { return nil }
        return target.prefix(target.count - room).map { UInt8(bitPattern: $0) }
    }

    /// The header's fields, and what follows the empty line.
    private static func cut(_ bytes: ArraySlice<UInt8>) -> ([SieveHeader], ArraySlice<UInt8>) {
        var headers: [SieveHeader] = []
        var rest = bytes
        while let end = rest.firstIndex(of: 0x0a) {
            var line = rest[rest.startIndex..<end]
            if line.last == 0x0d { line.removeLast() }
            rest = rest[(end + 1)...]
            if line.isEmpty { return (headers, rest) }
            if line.first == 0x20 || line.first == 0x09, !headers.isEmpty {
                headers[headers.count - 1].value += [0x0d, 0x0a] + line
            } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
                let name = String(decoding: line[..<colon], as: UTF8.self)
                headers.append(
                    SieveHeader(
                        name: String(name.reversed().drop { $0 == " " || $0 == "\t" }.reversed()),
                        value: Array(line[(colon + 1)...])))
            }
        }
        return (headers, rest)
    }

    private static func value(_ name: String, _ headers: [SieveHeader]) -> String {
        let value = headers.first { $0.name.lowercased() == name }?.value ?? []
        return String(decoding: value.filter { $0 != 0x0a && $0 != 0x0d }, as: UTF8.self)
    }

    private static func part(_ headers: [SieveHeader], _ body: ArraySlice<UInt8>, depth: Int) -> SievePart {
        let type = value("content-type", headers)
        let name = type.lowercased().drop { $0 == " " }
        if depth < 20, name.hasPrefix("multipart/"), let boundary = boundary(type) {
            return SievePart(
                headers: headers,
                parts: pieces(body, boundary).map {
                    let (head, body) = cut($0)
                    return part(head, body, depth: depth + 1)
                })
        }
        if depth < 20, name.hasPrefix("message/rfc822") {
            let (head, inner) = cut(body)
            return SievePart(headers: headers, parts: [part(head, inner, depth: depth + 1)])
        }
        let encoding = value("content-transfer-encoding", headers).lowercased()
        let content = Array(body)
        return SievePart(headers: headers) {
            encoding.contains("base64")
                ? base64(content) : encoding.contains("quoted") ? quoted(content) : content
        }
    }

    private static func boundary(_ type: String) -> String? {
        guard let start = type.lowercased().range(of: "boundary=")?.upperBound else { return nil }
        let offset = type.lowercased().utf8.distance(from: type.lowercased().startIndex, to: start)
        let rest = String(decoding: Array(type.utf8).dropFirst(offset).drop { $0 == 0x20 }, as: UTF8.self)
        if rest.hasPrefix("\"") { return String(rest.dropFirst().prefix { $0 != "\"" }) }
        return String(rest.prefix { $0 != ";" && $0 != " " })
    }

    /// What is between the boundaries.
    private static func pieces(_ body: ArraySlice<UInt8>, _ boundary: String) -> [ArraySlice<UInt8>] {
        let mark = Array("--\(boundary)".utf8)
        var pieces: [ArraySlice<UInt8>] = []
        var start: Int?
        var place = body.startIndex
        while place < body.endIndex {
            let end = body[place...].firstIndex(of: 0x0a) ?? body.endIndex
            if body[place..<end].starts(with: mark) {
                if let start { pieces.append(body[start..<max(start, withoutBreak(body, before: place))]) }
                start = min(end + 1, body.endIndex)
                if body[place..<end].dropFirst(mark.count).starts(with: "--".utf8) { return pieces }
            }
            place = end + 1
        }
        if let start { pieces.append(body[start..<max(start, body.endIndex)]) }
        return pieces
    }

    private static func withoutBreak(_ body: ArraySlice<UInt8>, before place: Int) -> Int {
        var end = place
        if end > body.startIndex, body[end - 1] == 0x0a { end -= 1 }
        if end > body.startIndex, body[end - 1] == 0x0d { end -= 1 }
        return end
    }

    private static func base64(_ content: [UInt8]) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var (bits, count, decoded): (UInt32, Int, [UInt8]) = (0, 0, [])
        for byte in content {
            guard let value = alphabet.firstIndex(of: byte) else { continue }
            bits = (bits << 6 | UInt32(value)) & 0xffffff
            count += 6
            if count >= 8 {
                count -= 8
                decoded.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return decoded
    }

    private static func quoted(_ content: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        var place = 0
        while place < content.count {
            guard content[place] == UInt8(ascii: "=") else {
                decoded.append(content[place])
                place += 1
                continue
            }
            let next = content[(place + 1)...].prefix(2)
            if let byte = UInt8(String(decoding: next, as: UTF8.self), radix: 16), next.count == 2 {
                decoded.append(byte)
                place += 3
            } else {
                while place < content.count, content[place] != 0x0a { place += 1 }
                place += 1
            }
        }
        return decoded
    }
}

/// Surroundings of which nothing is known.
struct PlainHost: SieveHost {
    var envelope = SieveEnvelope(from: "bob@example.net", to: "ada+bills@example.org")
    var now = 1_767_610_800
    var mailboxes: Set<String> = ["INBOX"]
    var known: Set<String> = []

    func offset(at time: Int) -> Int { 0 }
    func mailboxExists(_ name: String) -> Bool { mailboxes.contains(name) }
    func isDuplicate(_ mark: SieveDuplicateMark) -> Bool { known.contains(mark.id) }
    func environment(_ item: String) -> String? { ["location": "MS", "phase": "during"][item] }
}
