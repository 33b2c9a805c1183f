import FoundationEssentials
import TestSupport

/// A mailbox with messages as large as people have them, about 23 kB each: real ones where a collection lies
/// beside the checkout, again and again under other names, else made-up ones of the same sizes. Every
/// twenty-fifth has a file attached, for those were taken out of the public collections.
struct RealMailbox {
    /// How large the messages of the collection are, without attachments.
    private static let sizes: [(share: Double, bytes: Double)] = [
        (0, 1_200), (0.1, 2_262), (0.2, 2_752), (0.3, 3_131), (0.4, 3_539), (0.5, 4_039), (0.6, 5_122),
        (0.7, 7_055), (0.8, 12_291), (0.9, 27_322), (0.95, 32_739), (0.98, 38_170), (0.99, 48_535),
        (1, 232_375),
    ]

    let count: Int
    private let collected: [CollectedMessage]
    private let generator: MailGenerator

    init(count: Int) throws {
        self.count = count
        generator = MailGenerator(count: count)
        collected =
            Corpora.areHere
            ? try Corpora.files(in: "spamassassin").map { CollectedMessage(try Data(contentsOf: $0)) } : []
    }

    var origin: String {
        collected.isEmpty
            ? "made-up messages of real sizes, for no collection of mail is here"
            : "\(collected.count) real messages again and again"
    }

    /// Writes the mailbox as a Maildir, and returns how many bytes there are in it.
    func fill(_ folder: URL) throws -> Int {
        for name in ["cur", "new", "tmp"] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: true)
        }
        var bytes = 0
        for number in 0..<count {
            let message = self.message(number)
            try message.write(
                to: folder.appending(path: "cur/\(number).M\(number).bench:2,\(flags(number))"))
            bytes += message.count
        }
        return bytes
    }

    private func flags(_ number: Int) -> String {
        var random = SeededRandom(UInt64(number) &* 17 &+ 3)
        return [("F", 3), ("R", 8), ("S", 85)].filter { random.next() % 100 < $0.1 }.map(\.0).joined()
    }

    private func message(_ number: Int) -> Data {
        let hasFile = number % 25 == 7
        guard !collected.isEmpty else { return madeUp(number, hasFile: hasFile) }
        // One after the other of a kind would not be a real mailbox; 433 and their number are coprime.
        let one = collected[number * 433 % collected.count].copy(number / collected.count)
        return hasFile ? one.attaching(Self.file(number), number) : one.data
    }

    private static func file(_ number: Int) -> String {
        AttachedFile(number: number, median: 160_000, largest: 4_000_000).base64
    }

    private func madeUp(_ number: Int, hasFile: Bool) -> Data {
        var message = generator.message(number)
        message.hasAttachment = hasFile
        var random = SeededRandom(UInt64(number) &* 29 &+ 11)
        var writer = MessageWriter(language: Language.all[0].language, random: random)
        let missing = Self.size(Double.random(in: 0..<1, using: &random)) - message.file().utf8.count
        // Words have about six bytes, and HTML repeats them between its markup.
        message.text += writer.text(words: max(0, missing / (message.isRich ? 18 : 7)))
        return Data((hasFile ? message.file(attachment: Self.file(number)) : message.file()).utf8)
    }

    private static func size(_ share: Double) -> Int {
        let next = sizes.firstIndex { $0.share > share } ?? sizes.count - 1
        let (low, high) = (sizes[next - 1], sizes[next])
        let part = (share - low.share) / (high.share - low.share)
        return Int(low.bytes + part * (high.bytes - low.bytes))
    }
}

/// A message of a collection, in lines that end with LF.
struct CollectedMessage {
    private let fields: [[UInt8]]
    private let body: [UInt8]

    init(_ file: Data) {
        // No server takes what is no byte of a text.
        var bytes = file.filter { $0 != 0x0D && $0 != 0 }[...]
        if bytes.starts(with: "From ".utf8) { bytes = bytes.drop { $0 != 0x0A }.dropFirst() }
        var fields: [[UInt8]] = []
        while let first = bytes.first, first != 0x0A {
            let line = bytes.prefix { $0 != 0x0A } + [0x0A]
            bytes = bytes.dropFirst(line.count)
            if first == 0x20 || first == 0x09, !fields.isEmpty {
                fields[fields.count - 1] += line
            } else {
                fields.append(Array(line))
            }
        }
        self.fields = fields
        body = Array(bytes.dropFirst())
    }

    private init(fields: [[UInt8]], body: [UInt8]) {
        self.fields = fields
        self.body = body
    }

    var data: Data { Data(fields.joined() + [0x0A] + body) }

    /// The same under another name, and so are those that it answers: conversations stay what they are.
    func copy(_ number: Int) -> CollectedMessage {
        guard number > 0 else { return self }
        let renamed = fields.map { field in
            switch Self.name(field) {
            case "message-id", "in-reply-to", "references":
                Array(
                    field.split(separator: 0x40, omittingEmptySubsequences: false)
                        .joined(separator: ".c\(number)@".utf8))
            case "subject": Array(field.dropLast() + " \(number)\n".utf8)
            default: field
            }
        }
        return CollectedMessage(fields: renamed, body: body)
    }

    /// The message and a file beside it.
    func attaching(_ base64: String, _ number: Int) -> Data {
        let boundary = "=_bench_\(number)"
        let inner = fields.filter { Self.name($0).hasPrefix("content-") }
        var data = Data(fields.filter { !Self.name($0).hasPrefix("content-") }.joined())
        data += Data(
            "Content-Type: multipart/mixed; boundary=\"\(boundary)\"\n\n--\(boundary)\n".utf8)
        data += Data(inner.joined() + [0x0A] + body)
        let head = """

            --\(boundary)
            Content-Type: application/pdf; name="report-\(number).pdf"
            Content-Disposition: attachment; filename="report-\(number).pdf"
            Content-Transfer-Encoding: base64


            """
        data += Data(head.utf8) + Data(base64.utf8.filter { $0 != 0x0D })
        return data + Data("\n--\(boundary)--\n".utf8)
    }

    private static func name(_ field: [UInt8]) -> String {
        String(decoding: field.prefix { $0 != 0x3A }, as: UTF8.self).lowercased()
    }
}
