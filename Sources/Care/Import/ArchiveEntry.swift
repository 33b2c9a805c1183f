import CZlib
import FoundationEssentials
import MailKernelAPI

/// The fields that an export writes above each message, to restore it exactly: the same bytes in the same
/// mailboxes.
///
/// They are read only in files that begin with our own separator. In all others, such fields come from a
/// sender, who must not choose mailboxes.
struct ArchiveEntry: Equatable {
    var targets: Set<ImportPlace.Target>
    var keywords: Set<Keyword>
    var receivedAt: Date
    var form: Form

    /// How the bytes of a message were written into lines.
    struct Form: Equatable {
        var size: Int
        /// Whether each of its line ends was `\r\n`, and is `\n` in the file.
        var dropsReturns: Bool
        /// Tells whether a message was changed since.
        var checksum: UInt32
    }

    private static let prefix = "X-Mailkernel-"
    private static let last = "X-Mailkernel-Message: "
    private static let lineLength = 76
    private static let longest = 1_000_000
    private static let deepest = 100

    // MARK: Writing

    /// The lines above a message.
    ///
    /// - Parameter others: fields for other programs, with their line ends.
    func lines(and others: Data) -> Data {
        var text = field("Received", ["\(receivedAt.timeIntervalSinceReferenceDate)"])
        if !keywords.isEmpty {
            text += field("Keywords", keywords.map(\.rawValue).sorted().map(Self.escaped))
        }
        for target in targets.map(Self.text).sorted() { text += field("Mailbox", [target]) }
        let ends = form.dropsReturns ? "crlf" : "kept"
        return Data(text.utf8) + others
            + Data("\(Self.last)\(form.size) \(ends) \(String(form.checksum, radix: 16))\n".utf8)
    }

    /// Folded, so that other programs accept it: escaped words contain no spaces.
    private func field(_ name: String, _ words: [String]) -> String {
        var rest = Array(words.joined(separator: ",").utf8)[...]
        var lines: [String] = []
        while !rest.isEmpty {
            lines.append(String(decoding: rest.prefix(Self.lineLength), as: UTF8.self))
            rest = rest.dropFirst(Self.lineLength)
        }
        return "\(Self.prefix)\(name): \(lines.joined(separator: "\n "))\n"
    }

    private static func text(_ target: ImportPlace.Target) -> String {
        func path(_ names: [String]) -> String { names.map(escaped).joined(separator: "/") }
        return switch target {
        case .role(let role): "\(role.rawValue):"
        case .path(let names): ":\(path(names))"
        case .inside(let role, let names): "\(role.rawValue):\(path(names))"
        }
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == UInt8(ascii: "$") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            return isPlain
                ? String(UnicodeScalar(byte))
                : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    // MARK: Reading

    /// Reads the lines above a message.
    ///
    /// - Parameter entry: what stands between two separators.
    /// - Returns: nil if they are not as we write them.
    static func read(_ entry: Data) -> (entry: ArchiveEntry, text: Data)? {
        let bytes = entry.startIndex == 0 ? entry : Data(entry)
        guard bytes.starts(with: prefix.utf8) else { return nil }
        var fields: [(name: String, value: String)] = []
        var start = 0
        while start < longest, let end = bytes.place(of: "\n", from: start) {
            var line = String(decoding: bytes[start..<end], as: UTF8.self)
            if line.hasSuffix("\r") { line.removeLast() }
            start = end + 1
            if line.hasPrefix(last) {
                guard let form = form(line.dropFirst(last.count)), let entry = ArchiveEntry(fields, form)
                else {
                    return nil
                }
                return (entry, Data(bytes[start...]))
            }
            if line.hasPrefix(" "), let field = fields.popLast() {
                fields.append((field.name, field.value + line.dropFirst()))
            } else if let colon = line.firstIndex(of: ":") {
                fields.append((String(line[..<colon]), String(line[colon...].dropFirst(2))))
            }
        }
        return nil
    }

    private init?(_ fields: [(name: String, value: String)], _ form: Form) {
        func values(_ name: String) -> [String] {
            fields.filter { $0.name == Self.prefix + name }.map(\.value)
        }
        guard let received = values("Received").first.flatMap(Double.init), abs(received) < 1e12 else {
            return nil
        }
        receivedAt = Date(timeIntervalSinceReferenceDate: received)
        keywords = Set(
            values("Keywords").flatMap { $0.split(separator: ",") }.compactMap(Self.plain).map { Keyword($0) }
        )
        targets = Set(values("Mailbox").compactMap(Self.target))
        if targets.isEmpty { targets = [.role(.archive)] }
        self.form = form
    }

    init(targets: Set<ImportPlace.Target>, keywords: Set<Keyword>, receivedAt: Date, form: Form) {
        self.targets = targets
        self.keywords = keywords
        self.receivedAt = receivedAt
        self.form = form
    }

    private static func form(_ text: Substring) -> Form? {
        let words = text.split(separator: " ")
        guard words.count == 3, let size = Int(words[0]), size >= 0,
            let checksum = UInt32(words[2], radix: 16), ["crlf", "kept"].contains(words[1])
        else { return nil }
        return Form(size: size, dropsReturns: words[1] == "crlf", checksum: checksum)
    }

    private static func target(_ text: String) -> ImportPlace.Target? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let names = text[colon...].dropFirst().split(separator: "/").compactMap(plain).prefix(deepest)
        let role = Mailbox.Role(rawValue: String(text[..<colon]))
        switch (role, names.isEmpty) {
        case (let role?, true): return .role(role)
        case (let role?, false): return .inside(role, Array(names))
        case (nil, false): return .path(Array(names))
        case (nil, true): return nil
        }
    }

    /// Undoes `escaped`.
    private static func plain(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The message, of the text below these lines.
    ///
    /// A file that was sent between systems can have other line ends now. A message that was edited in it comes
    /// as it is.
    func message(of text: Data) -> Data {
        let plain = MboxQuoting.undone(text)
        if let message = exactly(plain) { return message }
        let files = plain.withReturns(false)
        return exactly(files) ?? Data(plain.dropLast(plain.last == UInt8(ascii: "\n") ? 1 : 0))
    }

    private func exactly(_ plain: Data) -> Data? {
        let message = Data((form.dropsReturns ? plain.withReturns(true) : plain).prefix(form.size))
        return message.count == form.size && Checksum.of(message) == form.checksum ? message : nil
    }
}

enum Checksum {
    static func of(_ data: Data) -> UInt32 { adding(data, to: 0) }

    static func adding(_ data: Data, to sum: UInt32) -> UInt32 {
        data.withUnsafeBytes { bytes in
            // A message has at most 150 MB, and pieces of it less.
            UInt32(
                truncatingIfNeeded: crc32(
                    UInt(sum), bytes.bindMemory(to: UInt8.self).baseAddress, UInt32(clamping: bytes.count)))
        }
    }
}

extension Data {
    /// With `\r\n` for every line end, or with `\n`.
    fileprivate func withReturns(_ hasReturns: Bool) -> Data {
        let text = startIndex == 0 ? self : Data(self)
        var output = Data(capacity: count + (hasReturns ? count / 32 : 0))
        var start = 0
        while let end = text.place(of: "\n", from: start) {
            if hasReturns {
                output.append(text[start..<end])
                output.append(UInt8(ascii: "\r"))
            } else {
                output.append(
                    text[start..<(end > start && text[end - 1] == UInt8(ascii: "\r") ? end - 1 : end)])
            }
            output.append(UInt8(ascii: "\n"))
            start = end + 1
        }
        output.append(text[start...])
        return output
    }
}
