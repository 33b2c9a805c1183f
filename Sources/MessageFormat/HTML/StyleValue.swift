/// The value of a style property, with its URLs separated from the rest.
struct StyleValue {
    private enum Piece {
        case text(String)
        case url(String)
    }

    private let pieces: [Piece]

    /// The value with nothing in the place of each address.
    let plain: String

    init(_ value: String) {
        let bytes = Array(value.utf8)
        var pieces: [Piece] = []
        var text: [UInt8] = []
        var plain: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard let url = Self.url(bytes, at: index) else {
                text.append(bytes[index])
                plain.append(bytes[index])
                index += 1
                continue
            }
            if !text.isEmpty { pieces.append(.text(String(decoding: text, as: UTF8.self))) }
            text = []
            // Words on both sides stay two.
            plain.append(0x20)
            pieces.append(.url(url.address))
            index = url.end
        }
        if !text.isEmpty { pieces.append(.text(String(decoding: text, as: UTF8.self))) }
        self.pieces = pieces
        self.plain = String(decoding: plain, as: UTF8.self)
    }

    /// Whether anything in it is on another server.
    var isRemote: Bool {
        pieces.contains {
            if case .url(let address) = $0 { RemoteURL.isRemote(address) } else { false }
        }
    }

    /// The value with those of its images that are shown; nil if nothing is left of it. And whether any is left out.
    ///
    /// - Parameter isShown: whether this is a place for images. Elsewhere none is loaded, but counted.
    func loading(_ isShown: Bool, _ remote: inout RemoteContent) -> (text: String?, leavesOut: Bool) {
        var words: [String] = []
        var saysSomething = false
        var leavesOut = false
        for piece in pieces {
            switch piece {
            case .text(let text):
                words.append(text.trimmingBlanks())
                saysSomething = saysSomething || text.contains { !$0.isWhitespace && $0 != "," }
            case .url(let address) where !RemoteURL.isRemote(address):
                words.append("none")
                leavesOut = leavesOut || !address.isEmpty
            case .url where !isShown:
                remote.refuseOther()
            case .url(let address):
                guard case .shown(let url, _) = remote.image(address) else {
                    words.append("none")
                    leavesOut = true
                    continue
                }
                words.append(StyleFilter.image(at: url))
                saysSomething = true
            }
        }
        return (saysSomething ? words.joined(separator: " ").trimmingBlanks() : nil, leavesOut)
    }

    /// The address in `url(…)` that begins at this place, and where that ends.
    private static func url(_ bytes: [UInt8], at start: Int) -> (address: String, end: Int)? {
        let word = "url(".utf8
        guard start + word.count <= bytes.count,
            zip(bytes[start...], word).allSatisfy({ asciiLowercased($0) == $1 })
        else { return nil }
        var index = start + word.count
        while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
        let quote = index < bytes.count && "\"'".utf8.contains(bytes[index]) ? bytes[index] : nil
        if quote != nil { index += 1 }
        let first = index
        let mark = quote ?? UInt8(ascii: ")")
        let last = bytes[min(first, bytes.count)...].firstIndex(of: mark) ?? bytes.count
        let close = quote == nil ? last : bytes[last...].firstIndex(of: UInt8(ascii: ")")) ?? bytes.count
        let address = LinkURL.cleaned(String(decoding: bytes[min(first, bytes.count)..<last], as: UTF8.self))
        return (address, min(close + 1, bytes.count))
    }
}
