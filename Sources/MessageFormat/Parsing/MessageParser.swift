public import FoundationEssentials
public import MailKernelAPI

/// Reads messages.
///
/// Any bytes are a message: broken ones are read as far as they go, and nothing here throws. Parsers are
/// values without state, so many tasks may parse at once.
public struct MessageParser: Sendable {
    /// How much is kept of a message that is larger than mail should be.
    public struct Limits: Sendable, Hashable {
        /// Decoded bytes of text in all parts. Texts beyond it are cut and flagged.
        public var text = 10_000_000
        public var parts = 2000
        /// Multiparts within multiparts. Those within the last of them are not looked into.
        public var depth = 64
        /// Fields in one header.
        public var headerFields = 10_000

        public init() {}
    }

    public var limits: Limits

    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Reads a whole message.
    ///
    /// - Parameter blobID: the blob that a part's content is; asked once for each part that has an id.
    public func parse(_ message: Data, blobID: (_ partID: String) -> Id<Blob>) -> ParsedMessage {
        var reader = MIMEReader(limits: limits)
        let mime = reader.read(message)
        var maker = BodyMaker(limit: limits.text)
        let structure = maker.structure(of: mime.root, in: message, blobID: blobID)
        return finish(headers: mime.headers, structure: structure, values: maker.values(in: message))
    }

    /// Reads a message as its service sent it: whole, its header, structure and texts, or read already.
    public func parse(_ content: RemoteMessage.Content, blobID: (_ partID: String) -> Id<Blob>)
        -> ParsedMessage
    {
        switch content {
        case .whole(let message): parse(message, blobID: blobID)
        case .parts(let header, let structure): parse(header: header, structure: structure, blobID: blobID)
        case .parsed(let body): adopt(body, blobID: blobID)
        }
    }

    private func adopt(_ body: EmailBody, blobID: (String) -> Id<Blob>) -> ParsedMessage {
        let headers = Array(body.headers.prefix(limits.headerFields))
        var parts = ForeignParts(limits: limits)
        let root = parts.part(body.structure, blobID: blobID)
        return finish(headers: headers, structure: root, values: parts.values(body.values))
    }

    private func parse(header: Data, structure: RemoteBodyPart, blobID: (String) -> Id<Blob>)
        -> ParsedMessage
    {
        var reader = MIMEReader(limits: limits)
        let mime = reader.read(header)
        var parts = RemoteParts(limits: limits)
        let root = parts.part(structure, rootHeaders: mime.root.headers, blobID: blobID)
        return finish(headers: mime.headers, structure: root, values: parts.values(of: root))
    }

    /// The fields of a header without its body.
    public func headers(of header: Data) -> [HeaderField] {
        var reader = MIMEReader(limits: limits)
        return reader.read(header).headers
    }

    /// The content of one part of a whole message; nil if it has no such part.
    public func content(of partID: String, in message: Data) -> PartContent? {
        contents(of: [partID], in: message)[partID]
    }

    /// The contents of several parts, without those that the message does not have.
    public func contents(of partIDs: [String], in message: Data) -> [String: PartContent] {
        var reader = MIMEReader(limits: limits)
        let root = reader.read(message).root
        let parts = partIDs.compactMap { id in root.leaf(id).map { (id, $0) } }
        return Dictionary(parts) { first, _ in first }.mapValues { leaf in
            PartContent(
                encoded: message.slice(leaf.range), encoding: leaf.encoding ?? .binary, type: leaf.type,
                name: leaf.name, charset: leaf.charset)
        }
    }

    private func finish(headers: [HeaderField], structure: EmailBodyPart, values: [String: EmailBodyValue])
        -> ParsedMessage
    {
        let body = EmailBody(headers: headers, structure: structure, values: values)
        let parts = BodyParts.split(structure)
        return ParsedMessage(
            header: EmailHeader(fields: headers), body: body,
            hasAttachment: parts.hasAttachment(in: body), preview: Preview.of(parts, values))
    }
}

/// A part's content, still as it was transferred.
public struct PartContent: Sendable {
    public var encoded: Data
    public var encoding: TransferEncoding
    public var type: String
    public var name: String?
    public var charset: String?

    /// The content byte for byte.
    public var decoded: Data { encoding.decoded(encoded) }

    /// The same, in pieces: no more than one of them is in memory besides the message.
    public func write(to sink: some ByteSink) async throws {
        var decoder = TransferDecoder(encoding)
        var rest = encoded
        while !rest.isEmpty {
            let piece = rest.prefix(65_536)
            rest = rest.dropFirst(piece.count)
            let decoded = decoder.decode(piece)
            if !decoded.isEmpty { try await sink.write(decoded) }
        }
        let last = decoder.finish()
        if !last.isEmpty { try await sink.write(last) }
    }
}

extension Data {
    /// A part of it, counted from its beginning.
    func slice(_ range: Range<Int>) -> Data {
        dropFirst(range.lowerBound).prefix(range.count)
    }
}
