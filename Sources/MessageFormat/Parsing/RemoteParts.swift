import CGMime
import FoundationEssentials
import MailKernelAPI

/// Makes JMAP's structure and values from what a service says of a message.
struct RemoteParts {
    private var limits: MessageParser.Limits
    private var partCount = 0
    private var texts: [(partID: String, type: String, charset: String?, remote: RemoteBodyPart)] = []

    init(limits: MessageParser.Limits) {
        GMime.start
        self.limits = limits
    }

    /// - Parameter rootHeaders: the MIME fields of the message's header; better than made-up ones for the
    ///   root.
    mutating func part(
        _ remote: RemoteBodyPart, rootHeaders: [HeaderField] = [], depth: Int = 0,
        blobID: (String) -> Id<Blob>
    ) -> EmailBodyPart {
        partCount += 1
        let words = remote.type.lowercased().split(separator: "/", maxSplits: 1).map(String.init)
        var part = EmailBodyPart(
            headers: rootHeaders.isEmpty ? Self.headers(of: remote) : rootHeaders,
            type: MIMEReader.typeName(words.first ?? "", words.count > 1 ? words[1] : ""))
        part.takeFields()
        part.disposition = remote.disposition?.lowercased().nonEmpty
        part.cid = remote.cid?.trimmingBlanks(and: "<>").nonEmpty ?? part.cid
        if part.type.hasPrefix("multipart/") {
            guard depth < limits.depth else { return part }
            for child in remote.subParts where partCount < limits.parts {
                part.subParts.append(self.part(child, depth: depth + 1, blobID: blobID))
            }
            return part
        }
        let names = ParameterReader(type: part.type, remote)
        part.name = names.fileName
        part.charset = names.charset ?? (part.type.hasPrefix("text/") ? "us-ascii" : nil)
        part.partID = remote.partID
        part.blobID = blobID(remote.partID)
        part.size = Self.size(of: remote)
        if part.type.hasPrefix("text/") {
            texts.append((remote.partID, part.type, part.charset, remote))
        }
        return part
    }

    mutating func values(of root: EmailBodyPart) -> [String: EmailBodyValue] {
        var left = limits.text
        var values: [String: EmailBodyValue] = [:]
        for text in texts {
            guard let bytes = text.remote.bytes else { continue }
            values[text.partID] = TextValue.decode(
                bytes.span, encoding: TransferEncoding(name: text.remote.encoding), charset: text.charset,
                type: text.type, budget: &left, isCut: text.remote.isTruncated)
        }
        return values
    }

    /// The size after decoding; worked out from the transferred size if the bytes are not here.
    private static func size(of remote: RemoteBodyPart) -> Int {
        let encoding = TransferEncoding(name: remote.encoding) ?? .binary
        if let bytes = remote.bytes, !remote.isTruncated { return encoding.decodedCount(bytes.span) }
        // Lines of 76 characters and a line end hold 57 bytes.
        return encoding == .base64
            ? max(remote.size, 0) / 78 * 57 + max(remote.size, 0) % 78 / 4 * 3 : remote.size
    }

    /// The part's MIME fields, written from what the service says.
    private static func headers(of remote: RemoteBodyPart) -> [HeaderField] {
        var fields = [
            HeaderField(
                name: "Content-Type", value: " " + ParameterReader.written(remote.type, remote.parameters))
        ]
        if let disposition = remote.disposition {
            fields.append(
                HeaderField(
                    name: "Content-Disposition",
                    value: " " + ParameterReader.written(disposition, remote.dispositionParameters)))
        }
        if let cid = remote.cid {
            fields.append(
                HeaderField(name: "Content-ID", value: " <\(cid.trimmingBlanks(and: "<>"))>"))
        }
        if !remote.encoding.isEmpty {
            fields.append(HeaderField(name: "Content-Transfer-Encoding", value: " " + remote.encoding))
        }
        return fields
    }
}
