import FoundationEssentials
import Glibc
import MailKernelAPI

/// One made-up message, as records of the store and as a file.
struct GeneratedMessage {
    let number: Int
    let date: Date
    let kind: MailGenerator.Kind
    let subject: String
    let from: EmailAddress
    let to: [EmailAddress]
    let messageID: String
    /// From the first message of the conversation on.
    let references: [String]
    var text: String
    /// There is an HTML version besides the plain one.
    let isRich: Bool
    var hasAttachment: Bool
    let labels: [String]
    let keywords: [Keyword]

    /// Ids grow with time, as the kernel's do.
    var id: Id<Email> { Self.id(number) }

    static func id(_ number: Int) -> Id<Email> {
        let digits = "\(number)"
        return Id("e" + String(repeating: "0", count: 8 - digits.count) + digits)
    }

    /// The text as newsletters wrap it: several times as much markup as words.
    var html: String {
        let paragraph =
            #"<tr><td align="left" style="font-family:Arial,sans-serif;font-size:14px;color:#333333">"#
        let rows = text.split(separator: "\n").map { "\(paragraph)\($0)</td></tr>\n" }.joined()
        return "<html><head><style>td { padding: 4px; border-collapse: collapse }</style></head>"
            + #"<body><table width="600" cellpadding="0" cellspacing="0">"# + "\n" + rows
            + "</table></body></html>"
    }

    var headers: [HeaderField] {
        var fields = [
            HeaderField(name: "Return-Path", value: " <\(from.email)>"),
            HeaderField(
                name: "Received",
                value:
                    " from mx.\(from.email.split(separator: "@").last ?? "") by mail.bench.example; \(stamp)"),
            HeaderField(
                name: "DKIM-Signature",
                value:
                    " v=1; a=rsa-sha256; c=relaxed/relaxed; d=example; s=2026; h=from:to:subject:date;\r\n b="
                    + (0..<12).map { String(hash($0), radix: 36) }.joined()),
            HeaderField(name: "Message-ID", value: " <\(messageID)>"),
            HeaderField(name: "Date", value: " " + stamp),
            HeaderField(name: "From", value: " " + Self.written(from)),
            HeaderField(name: "To", value: " " + to.map(Self.written).joined(separator: ", ")),
            HeaderField(name: "Subject", value: " " + subject),
            HeaderField(name: "MIME-Version", value: " 1.0"),
        ]
        if let parent = references.last {
            fields.append(HeaderField(name: "In-Reply-To", value: " <\(parent)>"))
            let all = references.map { "<\($0)>" }.joined(separator: "\r\n ")
            fields.append(HeaderField(name: "References", value: " " + all))
        }
        if kind == .newsletter {
            fields.append(
                HeaderField(name: "List-Unsubscribe", value: " <https://list.example/u/\(hash(99))>"))
        }
        return fields
    }

    /// As the Date field has it.
    private var stamp: String {
        var seconds = time_t(date.timeIntervalSince1970)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return String(unsafeUninitializedCapacity: 40) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { text in
                strftime(text.baseAddress, text.count, "%a, %d %b %Y %H:%M:%S +0000", &parts)
            }
        }
    }

    private func hash(_ salt: Int) -> UInt64 {
        (UInt64(number) &+ 1) &* 0x9e37_79b9_7f4a_7c15 ^ UInt64(salt) &* 0xbf58_476d_1ce4_e5b9
    }

    /// Names are written in UTF-8, as RFC 6532 has it.
    private static func written(_ address: EmailAddress) -> String {
        address.name.map { "\"\($0)\" <\(address.email)>" } ?? address.email
    }
}

// MARK: Records

extension GeneratedMessage {
    func email(in account: Id<Account>) -> Email {
        Email(
            id: id, accountID: account, blobID: Id("b\(number)"), mailboxIDs: Set(labels.map { Id($0) }),
            keywords: Set(keywords), size: text.utf8.count * (isRich ? 3 : 1) + 1_200, receivedAt: date,
            header: EmailHeader(
                messageID: [messageID], inReplyTo: references.suffix(1), references: references, from: [from],
                to: to, subject: subject, sentAt: date - 3),
            hasAttachment: hasAttachment, preview: String(text.prefix(200)))
    }

    var body: EmailBody {
        var values = ["1": EmailBodyValue(text)]
        let plain = EmailBodyPart(partID: "1", size: text.utf8.count, type: "text/plain", charset: "utf-8")
        var parts = [plain]
        if isRich {
            values["2"] = EmailBodyValue(html)
            let rich = EmailBodyPart(partID: "2", size: html.utf8.count, type: "text/html", charset: "utf-8")
            parts = [EmailBodyPart(type: "multipart/alternative", subParts: [plain, rich])]
        }
        if hasAttachment {
            parts.append(
                EmailBodyPart(
                    partID: "3", blobID: Id("a\(number)"), size: 40_000, name: "report-\(number).pdf",
                    type: "application/pdf", disposition: "attachment"))
        }
        let structure = parts.count == 1 ? parts[0] : EmailBodyPart(type: "multipart/mixed", subParts: parts)
        return EmailBody(headers: headers, structure: structure, values: values)
    }

    /// Headers, text and markup, without attachments and without what divides parts.
    var rawTextBytes: Int {
        headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 3 } + text.utf8.count
            + (isRich ? html.utf8.count : 0)
    }

    /// What a reader sees of all parts, for indexes that are given text.
    var visibleText: String { isRich ? text + "\n" + text : text }
}

// MARK: The file

extension GeneratedMessage {
    /// The message as RFC 5322 has it.
    ///
    /// - Parameter attachment: the attached file in base64; unless given, there are a few bytes of it only.
    func file(attachment: String = "JVBERi0xLjcK") -> String {
        let head = headers.map { "\($0.name):\($0.value)\r\n" }.joined()
        guard isRich || hasAttachment else {
            return head + Self.part("text/plain; charset=utf-8", text)
        }
        let boundary = "=_\(number)"
        var body = head + "Content-Type: multipart/mixed; boundary=\"\(boundary)\"\r\n\r\n"
        body += "--\(boundary)\r\n" + Self.part("text/plain; charset=utf-8", text)
        if isRich { body += "\r\n--\(boundary)\r\n" + Self.part("text/html; charset=utf-8", html) }
        if hasAttachment {
            body +=
                "\r\n--\(boundary)\r\nContent-Type: application/pdf; name=\"report-\(number).pdf\"\r\n"
                + "Content-Transfer-Encoding: base64\r\nContent-Disposition: attachment\r\n\r\n" + attachment
        }
        return body + "\r\n--\(boundary)--\r\n"
    }

    private static func part(_ type: String, _ text: String) -> String {
        "Content-Type: \(type)\r\nContent-Transfer-Encoding: 8bit\r\n\r\n" + text
    }
}
