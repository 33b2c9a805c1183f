import FoundationEssentials

/// The fields of a raw message's header that a folder account needs: as bytes, because the charset may be
/// unknown.
struct MessageHeader: Sendable {
    /// Header fields beyond this are not looked at.
    static let limit = 65_536

    /// The header with its last line end; the beginning of the message if it never ends.
    let bytes: Data

    init(_ message: Data) {
        let length = message.withUnsafeBytes { whole in
            let start = whole.prefix(Self.limit)
            var lineStart = 0
            while let newline = start[lineStart...].firstIndex(of: 10) {
                if newline == lineStart || newline == lineStart + 1 && start[lineStart] == 13 {
                    return lineStart
                }
                lineStart = newline + 1
            }
            return start.count
        }
        bytes = Data(message.prefix(length))
    }

    /// The value of the first field of this name, unfolded; nil if there is none.
    func value(of name: String) -> String? {
        let wanted = Array(name.lowercased().utf8)
        let value = bytes.withUnsafeBytes { Self.value(of: wanted, in: $0) }
        guard let value else { return nil }
        let text = String(decoding: value, as: UTF8.self)
        let start = text.drop { $0.isWhitespace }
        return start.lastIndex { !$0.isWhitespace }.map { String(start[...$0]) } ?? ""
    }

    /// Without line ends.
    private static func value(of name: [UInt8], in bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        var value: [UInt8]?
        for line in bytes.split(separator: 10) {
            let isFolded = line.first == 32 || line.first == 9
            if value != nil {
                guard isFolded else { break }
                value?.append(contentsOf: line)
            } else if !isFolded, isField(line, name) {
                value = Array(line.dropFirst(name.count + 1))
            }
        }
        value?.removeAll { $0 == 13 }
        return value
    }

    private static func isField(_ line: Slice<UnsafeRawBufferPointer>, _ name: [UInt8]) -> Bool {
        guard line.count > name.count, line[line.startIndex + name.count] == 58 else { return false }
        return zip(line, name).allSatisfy { byte, wanted in
            ((65...90).contains(byte) ? byte + 32 : byte) == wanted
        }
    }

    /// The Message-ID without its angle brackets; nil if there is none.
    var messageID: String? {
        value(of: "message-id").map(Self.bare).flatMap { $0.isEmpty ? nil : $0 }
    }

    static func bare(_ messageID: String) -> String {
        String(messageID.filter { $0 != "<" && $0 != ">" && !$0.isWhitespace }.prefix(998))
    }
}
