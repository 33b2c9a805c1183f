public import FoundationEssentials
public import MailKernelAPI

/// What of an email never changes but by replacing it, as bytes: all but its ids, mailboxes and keywords.
public enum PackedEmail {
    /// The email as bytes. Equal emails give equal bytes, whatever their ids, mailboxes and keywords.
    public static func pack(_ email: Email) -> Data {
        var packer = Packer()
        packer.put(email.blobID.rawValue)
        packer.put(email.size)
        packer.put(email.receivedAt)
        packer.put(email.hasAttachment)
        packer.put(email.preview)
        let header = email.header
        for ids in [header.messageID, header.inReplyTo, header.references] { packer.put(all: ids) }
        for addresses in [
            header.sender, header.from, header.to, header.cc, header.bcc, header.replyTo,
        ] {
            packer.put(all: addresses) { packer, address in
                packer.put(address.name)
                packer.put(address.email)
            }
        }
        packer.put(header.subject)
        packer.put(header.sentAt) { $0.put($1) }
        return packer.data
    }

    /// The email from its bytes.
    public static func email(
        _ id: Id<Email>, in accountID: Id<Account>, _ bytes: UnsafeRawBufferPointer,
        mailboxIDs: Set<Id<Mailbox>>, keywords: Set<Keyword>
    ) -> Email {
        var packed = Unpacker(bytes)
        let blobID = Id<Blob>(packed.text())
        let size = packed.int()
        let receivedAt = packed.date()
        let hasAttachment = packed.flag()
        let preview = packed.text()
        return Email(
            id: id, accountID: accountID, blobID: blobID, mailboxIDs: mailboxIDs, keywords: keywords,
            size: size, receivedAt: receivedAt, header: header(&packed), hasAttachment: hasAttachment,
            preview: preview)
    }

    private static func header(_ packed: inout Unpacker) -> EmailHeader {
        // Arguments are evaluated in this order, which is the order of packing.
        EmailHeader(
            messageID: packed.texts(), inReplyTo: packed.texts(), references: packed.texts(),
            sender: addresses(&packed), from: addresses(&packed), to: addresses(&packed),
            cc: addresses(&packed), bcc: addresses(&packed), replyTo: addresses(&packed),
            subject: packed.textOrNil(), sentAt: packed.optional { $0.date() })
    }

    private static func addresses(_ packed: inout Unpacker) -> [EmailAddress] {
        packed.all { EmailAddress(name: $0.textOrNil(), email: $0.text()) }
    }
}
