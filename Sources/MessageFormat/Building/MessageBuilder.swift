public import FoundationEssentials
public import MailKernelAPI

/// Builds messages.
///
/// The result can be handed to any mail server: lines are short and end in CRLF, non-ASCII text is encoded,
/// and no value can forge a header field. Content is read and written in pieces, so a large attachment is
/// never in memory as a whole.
public struct MessageBuilder: Sendable {
    /// The date of messages that bring none.
    public var now: @Sendable () -> HeaderDate
    /// A new Message-ID, without angle brackets, for messages that bring none.
    public var makeMessageID: @Sendable () -> String
    /// What separates parts: a word of up to 60 letters and digits that occurs nowhere else.
    public var makeBoundary: @Sendable () -> String
    /// Send plain text so that readers may wrap its paragraphs to their width (RFC 3676).
    public var flowsText = false

    /// - Parameter domain: what Message-IDs end in; usually that of the sender.
    public init(domain: String) {
        now = { HeaderDate(date: Date(), offset: 0) }
        makeMessageID = { "\(UUID().uuidString.lowercased())@\(domain)" }
        makeBoundary = { UUID().uuidString.replacing("-", with: "") }
    }

    /// Writes the message that a draft describes.
    ///
    /// - Throws: `BuildError` before anything is written if the draft cannot become a message; the error of a
    ///   source or of the sink if one fails. What the sink has taken is then of no use.
    public func write(_ draft: MessageDraft, to sink: some ByteSink) async throws -> BuiltMessage {
        var header = HeaderWriter()
        var names: Set<String> = []
        var messageID: String?
        for field in draft.headers {
            let name = field.name.lowercased()
            guard !name.hasPrefix("content-"), name != "mime-version" else {
                throw BuildError.fieldIsMade(field.name)
            }
            if !names.insert(name).inserted, Self.onlyOnce.contains(name) {
                throw BuildError.duplicateField(field.name)
            }
            if name == "message-id" { messageID = field.givenMessageID }
            try header.write(field)
        }
        if !names.contains("date") { try header.write(DraftHeader("Date", .date(now()))) }
        if !names.contains("message-id") {
            let made = makeMessageID()
            messageID = made
            try header.write(DraftHeader("Message-ID", .messageIDs([made])))
        }
        try header.write(DraftHeader("MIME-Version", .raw(" 1.0")))
        let root = try await PartPlan(draft.body, builder: self)
        var writer = PartWriter(sink: sink)
        try await writer.write(header.bytes)
        try await writer.write(root)
        try await writer.flush()
        return BuiltMessage(
            size: writer.size, messageID: messageID, needsSMTPUTF8: header.needsUTF8 || root.needsUTF8,
            needs8BitMIME: root.has8Bit)
    }

    /// One header field as it is written, with its line end.
    public static func field(_ header: DraftHeader) throws(BuildError) -> Data {
        var writer = HeaderWriter()
        try writer.write(header)
        return Data(writer.bytes)
    }

    /// The message in memory, for those that are small.
    public func build(_ draft: MessageDraft) async throws -> (message: Data, BuiltMessage) {
        let sink = DataSink()
        let built = try await write(draft, to: sink)
        return (await sink.data, built)
    }

    /// RFC 5322, section 3.6: fields that may be there once.
    private static let onlyOnce: Set<String> = [
        "date", "from", "sender", "reply-to", "to", "cc", "bcc", "message-id", "in-reply-to", "references",
        "subject",
    ]
}

extension DraftHeader {
    fileprivate var givenMessageID: String? {
        switch value {
        case .messageIDs(let ids): ids?.first
        case .raw(let raw): HeaderForm.messageIDs(of: raw)?.first
        default: nil
        }
    }
}

/// Collects the written bytes.
private actor DataSink: ByteSink {
    private(set) var data = Data()

    func write(_ bytes: Data) {
        data.append(bytes)
    }
}
