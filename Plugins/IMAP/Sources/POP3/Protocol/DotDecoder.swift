import FoundationEssentials

/// Finds the end of an answer of several lines, and takes away the dots that the server put before its dots
/// (RFC 1939, section 3).
///
/// Only CR LF ends a line. A message could otherwise contain an end of its own, and the rest of it would be taken for
/// the server's next answers.
struct DotDecoder {
    private enum State { case lineStart, dot, dotCR, text, textCR }

    private var state = State.lineStart
    private(set) var isAtEnd = false

    /// Takes bytes up to the end of the answer.
    ///
    /// - Returns: the decoded bytes, and how many of `bytes` they were.
    mutating func decode(_ bytes: Data) -> (content: Data, used: Int) {
        var content: [UInt8] = []
        content.reserveCapacity(bytes.count)
        var used = 0
        bytes.withUnsafeBytes { bytes in
            while used < bytes.count, !isAtEnd {
                take(bytes[used], into: &content)
                used += 1
            }
        }
        return (Data(content), used)
    }

    private mutating func take(_ byte: UInt8, into content: inout [UInt8]) {
        switch (state, byte) {
        case (.dotCR, 10):
            isAtEnd = true
            return
        case (.dotCR, _): content.append(13)
        case (.lineStart, 46):
            state = .dot
            return
        case (.dot, 13):
            state = .dotCR
            return
        default: break
        }
        content.append(byte)
        switch byte {
        case 13: state = .textCR
        case 10 where state == .textCR: state = .lineStart
        default: state = .text
        }
    }
}
