import FoundationEssentials
import MailKernelAPI

/// A message that a case makes, and finds again by its Message-ID.
struct TestMail: Sendable {
    let messageID: String
    let subject: String
    let receivedAt: Date
    let bytes: Data

    /// - Parameters:
    ///   - number: of the message within its trial; the higher, the later it was received.
    ///   - content: what follows the header, exactly.
    ///   - header: fields instead of those of the same name.
    init(
        tag: String, number: Int, from: String, to: String, content: Data? = nil, header: [String] = [],
        daysOld: Int = 0
    ) {
        messageID = "\(tag).\(number)@conformance.invalid"
        subject = "Conformance \(tag) number \(number)"
        // Whole seconds: that is all that some services keep.
        receivedAt = Date(timeIntervalSince1970: 1_700_000_000 + Double(60 * number - 86_400 * daysOld))
        let standard = [
            "Date: Tue, 14 Nov 2023 22:13:20 +0000", "From: <\(from)>", "To: <\(to)>", "Subject: \(subject)",
            "Message-ID: <\(messageID)>", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: 8bit",
        ]
        let names = header.map { $0.prefix { $0 != ":" } }
        let kept = standard.filter { field in !names.contains { field.hasPrefix($0 + ":") } }
        bytes =
            Data((kept + header + ["", ""]).joined(separator: "\r\n").utf8)
            + (content ?? Data("A message for a test.\r\n".utf8))
    }
}

/// Keeps what it is given.
actor CollectingSink: ByteSink {
    private(set) var bytes = Data()

    func write(_ bytes: Data) { self.bytes.append(bytes) }
}

/// A sink or source that cannot.
struct BrokenBytes: ByteSink, ByteSource {
    struct Broken: Error {}

    var size: Int { 100_000 }
    func write(_ bytes: Data) throws { throw Broken() }
    func read(at offset: Int, count: Int) throws -> Data { throw Broken() }
}
