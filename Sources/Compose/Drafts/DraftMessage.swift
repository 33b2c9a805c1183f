import FoundationEssentials
import MailKernelAPI
import MessageFormat

/// A draft as a message.
struct DraftMessage {
    let content: DraftContent
    let identity: Identity
    let date: Date
    let messageID: String

    init(_ content: DraftContent, as identity: Identity, at date: Date) {
        self.content = content.carried
        self.identity = identity
        self.date = date
        messageID = "\(UUID().uuidString.lowercased())@\(Self.domain(of: identity))"
    }

    private static func domain(of identity: Identity) -> String {
        let domain = identity.email.split(separator: "@").last.map(String.init) ?? ""
        let isUsable = !domain.isEmpty && domain.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3E }
        return isUsable ? domain : "localhost"
    }

    var builder: MessageBuilder {
        var builder = MessageBuilder(domain: Self.domain(of: identity))
        let date = date
        builder.now = { HeaderDate(date: date) }
        return builder
    }

    /// The version for Drafts: as written, so that any client can continue it.
    ///
    /// - Parameter files: those of the attachments that the message carries.
    func draft(_ files: [any ByteSource]) -> MessageDraft { message(files, isDraft: true) }

    /// The version to send, with Bcc, which is removed during submission.
    func outgoing(_ files: [any ByteSource]) -> MessageDraft { message(files, isDraft: false) }

    private func message(_ files: [any ByteSource], isDraft: Bool) -> MessageDraft {
        var message = MessageDraft(headers: [], text: content.body, attachments: attachments(files))
        if let html = content.html {
            let page = MessagePage(html, of: content, isDraft: isDraft, domain: Self.domain(of: identity))
            message = MessageDraft(
                headers: [], text: content.body, html: page.html,
                attachments: attachments(files) + page.images)
        }
        message.headers = headers(isDraft: isDraft)
        if let answer = content.answer {
            let calendar = DraftPart(
                type: "text/calendar", .text(answer.calendar), parameters: [("method", "REPLY")])
            message.addAlternative(calendar)
        }
        return message
    }

    private func headers(isDraft: Bool) -> [DraftHeader] {
        let from = EmailAddress(name: identity.name.isEmpty ? nil : identity.name, email: identity.email)
        var headers = [DraftHeader("From", .addresses([from]))]
        func add(_ name: String, _ addresses: [EmailAddress]) {
            let written = isDraft ? addresses : addresses.once()
            if !written.isEmpty { headers.append(DraftHeader(name, .addresses(written))) }
        }
        add("Reply-To", identity.replyTo)
        add("To", content.to)
        add("Cc", content.cc)
        if isDraft { add("Bcc", content.bcc) }
        headers.append(DraftHeader("Subject", .text(content.subject)))
        headers.append(DraftHeader("Date", .date(HeaderDate(date: date))))
        headers.append(DraftHeader("Message-ID", .messageIDs([messageID])))
        if !content.inReplyTo.isEmpty {
            headers.append(DraftHeader("In-Reply-To", .messageIDs(content.inReplyTo)))
        }
        if !content.references.isEmpty {
            headers.append(DraftHeader("References", .messageIDs(content.references)))
        }
        return headers
    }

    private func attachments(_ files: [any ByteSource]) -> [DraftPart] {
        zip(content.attachments, files).map { attachment, file in
            DraftPart(
                type: attachment.type, .bytes(file), name: attachment.name,
                disposition: attachment.isInline ? "inline" : "attachment", cid: attachment.cid)
        }
    }

    /// What there is to know of a draft's message, without its attachments being read.
    func parsed(asSent: Bool = false, blobID: (String) -> Id<Blob>) async throws -> ParsedMessage {
        let empty = content.attachments.map { _ in DataSource(Data()) }
        let outline = try await builder.build(asSent ? outgoing(empty) : draft(empty)).message
        var parsed = MessageParser().parse(outline, blobID: blobID)
        parsed.body.structure.setSizes(of: content.attachments)
        return parsed
    }
}

extension EmailBodyPart {
    /// Gives the attachments their sizes: images by their names, files in their order.
    fileprivate mutating func setSizes(of attachments: [DraftAttachment]) {
        var files = attachments.filter { !$0.isInline }.map(\.size)[...]
        let images = attachments.filter(\.isInline).map { ($0.cid, $0.size) }
        setSizes(&files, Dictionary(images) { first, _ in first })
    }

    private mutating func setSizes(_ files: inout ArraySlice<Int>, _ images: [String?: Int]) {
        if disposition == "attachment", let size = files.popFirst() { self.size = size }
        if disposition == "inline", let size = images[cid] { self.size = size }
        for index in subParts.indices { subParts[index].setSizes(&files, images) }
    }
}

extension DraftContent {
    /// Without invalid content, and with multiple recipients in one text split.
    ///
    /// - Parameter old: the content before, whose recipients are known to be valid.
    func normalized(over old: DraftContent? = nil) -> DraftContent {
        var content = self
        if to != old?.to { content.to = Self.normalized(to) }
        if cc != old?.cc { content.cc = Self.normalized(cc) }
        if bcc != old?.bcc { content.bcc = Self.normalized(bcc) }
        content.subject = Self.line(subject)
        if let html {
            if html != old?.html || body != old?.body { content.write(ComposedHTML(html).html) }
        } else {
            content.body = body.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
                .filter { $0 != "\0" }
        }
        for index in content.attachments.indices {
            let attachment = content.attachments[index]
            content.attachments[index].name = attachment.name.map(Self.line).flatMap { $0.isEmpty ? nil : $0 }
            content.attachments[index].type = Self.type(attachment.type)
        }
        return content
    }

    private static func normalized(_ addresses: [EmailAddress]) -> [EmailAddress] {
        addresses.flatMap { address -> [EmailAddress] in
            let name = address.name.map(line).flatMap { $0.isEmpty ? nil : $0 }
            guard let read = try? AddressReader.addresses(in: address.email) else {
                return [EmailAddress(name: name, email: line(address.email))]
            }
            guard read.count == 1, let name else { return read }
            return [EmailAddress(name: name, email: read[0].email)]
        }
    }

    private static func line(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    scalar.properties.generalCategory == .control ? " " : scalar
                }))
    }

    private static func type(_ type: String) -> String {
        let words = type.lowercased().split(separator: "/", omittingEmptySubsequences: false)
        let isType =
            words.count == 2
            && words.allSatisfy { word in
                !word.isEmpty && word.utf8.count < 100
                    && word.utf8.allSatisfy { byte in
                        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
                            || "!#$&^_.+-".utf8.contains(byte)
                    }
            }
        return isType && words[0] != "multipart" ? words.joined(separator: "/") : "application/octet-stream"
    }
}
