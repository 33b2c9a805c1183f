import CGMime
import Glibc

/// One iconv conversion into UTF-8, closed when it is no longer used.
struct Converter: ~Copyable {
    private let handle: iconv_t
    private let form: Form

    /// How a charset writes characters, as far as it matters to find the next one after an invalid one.
    private enum Form {
        case bytes
        /// A lead byte and another, which is below 0x80 if it may be a character of its own.
        case pairs
        case units(Int)

        private static let pairNames = [
            "gb", "big5", "euc", "cp932", "cp936", "cp949", "cp950", "shift", "johab", "uhc",
        ]

        init(of name: String) {
            let isOneOf = { (prefixes: [String]) in prefixes.contains(where: name.hasPrefix) }
            if isOneOf(["utf-16", "ucs-2", "utf16"]) {
                self = .units(2)
            } else if isOneOf(["utf-32", "ucs-4", "utf32"]) {
                self = .units(4)
            } else if isOneOf(Self.pairNames) {
                self = .pairs
            } else {
                self = .bytes
            }
        }
    }

    init?(_ name: String) {
        form = Form(of: name)
        guard let opened = iconv_open("UTF-8", name), opened != iconv_t(bitPattern: -1) else { return nil }
        handle = opened
    }

    deinit { iconv_close(handle) }

    /// Whether most characters of other scripts than Latin are pairs of bytes.
    var hasPairs: Bool {
        if case .pairs = form { true } else { false }
    }

    /// How many of the bytes are one invalid character: a step of one byte in the middle of a pair would read
    /// the rest one byte off, as valid but wrong characters.
    private func invalidCount(_ bytes: UnsafeRawBufferPointer.SubSequence) -> Int {
        switch form {
        case .bytes: return 1
        case .units(let size): return min(size, bytes.count)
        case .pairs:
            guard let lead = bytes.first, let trail = bytes.dropFirst().first else { return 1 }
            return (0x81...0xFE).contains(lead) && trail >= 0x80 ? 2 : 1
        }
    }

    /// Converts the bytes to UTF-8. Invalid characters become U+FFFD each.
    func convert(_ bytes: Span<UInt8>) -> (utf8: [UInt8], hasProblem: Bool) {
        guard !bytes.isEmpty else { return ([], false) }
        var output = [UInt8](repeating: 0, count: bytes.count * 2 + 64)
        var written = 0
        var hasProblem = false
        bytes.withUnsafeBytes { input in
            var source = UnsafeMutablePointer(
                mutating: input.baseAddress?.assumingMemoryBound(to: CChar.self))
            var left = input.count
            while left > 0 {
                let result = output.withUnsafeMutableBytes { buffer in
                    var room = buffer.count - written
                    var target = buffer.baseAddress.map {
                        ($0 + written).assumingMemoryBound(to: CChar.self)
                    }
                    let result = iconv(handle, &source, &left, &target, &room)
                    let failure = result == Int(bitPattern: UInt.max) ? errno : 0
                    written = buffer.count - room
                    return failure
                }
                if output.count - written < 128 { output += [UInt8](repeating: 0, count: output.count) }
                if result == 0 || result == E2BIG { continue }
                hasProblem = true
                let invalid = invalidCount(input[(input.count - left)...])
                source = source.map { $0 + invalid }
                left -= invalid
                for byte in [0xEF, 0xBF, 0xBD] as [UInt8] {
                    output[written] = byte
                    written += 1
                }
            }
        }
        // Some charsets write a letter and its mark apart, and the last letter waits for a mark until it hears
        // that none follows.
        output.withUnsafeMutableBytes { buffer in
            var room = buffer.count - written
            var target = buffer.baseAddress.map { ($0 + written).assumingMemoryBound(to: CChar.self) }
            _ = iconv(handle, nil, nil, &target, &room)
            written = buffer.count - room
        }
        output.removeLast(output.count - written)
        return (output, hasProblem)
    }
}
