import FoundationEssentials
import MailKernelAPI

/// The searches that a `MemoryMailServer` carries out, as simply as many servers do: texts are found anywhere.
extension MemoryMessage {
    func matches(_ filter: EmailFilter) -> Bool {
        switch filter {
        case .and(let filters): filters.allSatisfy(matches)
        case .or(let filters): filters.contains(where: matches)
        case .not(let filters): !filters.contains(where: matches)
        case .before(let date): receivedAt < date
        case .after(let date): receivedAt >= date
        case .minSize(let size): bytes.count >= size
        case .maxSize(let size): bytes.count < size
        case .hasKeyword(let keyword): keywords.contains(keyword)
        case .notKeyword(let keyword): !keywords.contains(keyword)
        case .text(let text), .body(let text): contains(text, String(decoding: bytes, as: UTF8.self))
        case .from(let text): contains(text, field("From"))
        case .to(let text): contains(text, field("To"))
        case .cc(let text): contains(text, field("Cc"))
        case .bcc(let text): contains(text, field("Bcc"))
        case .subject(let text): contains(text, subject)
        case .header(let name, let value):
            if name.lowercased() == "message-id", let value {
                messageID == MessageHeader.bare(value)
            } else {
                MessageHeader.value(of: name, in: bytes).map { contains(value ?? "", $0) } ?? false
            }
        case .inMailbox(let id): mailboxIDs.contains(RemoteMailboxID(id.rawValue))
        case .inMailboxOtherThan(let ids):
            !mailboxIDs.subtracting(ids.map { RemoteMailboxID($0.rawValue) }).isEmpty
        case .inRole(let role): mailboxIDs.contains(RemoteMailboxID(role.rawValue))
        case .hasAttachment(let wanted):
            contains("content-disposition: attachment", String(decoding: bytes, as: UTF8.self)) == wanted
        case .allInThreadHaveKeyword, .someInThreadHaveKeyword, .noneInThreadHaveKeyword, .category: false
        }
    }

    private func field(_ name: String) -> String { MessageHeader.value(of: name, in: bytes) ?? "" }

    /// Every word of `text`.
    private func contains(_ text: String, _ field: String) -> Bool {
        let field = field.lowercased()
        return text.lowercased().split { $0.isWhitespace || $0 == "\"" }.allSatisfy { field.contains($0) }
    }
}

extension EmailFilter {
    /// Whether a `MemoryMailServer` can search for it.
    var isSearched: Bool {
        switch self {
        case .and(let filters), .or(let filters), .not(let filters): filters.allSatisfy(\.isSearched)
        case .before, .after, .minSize, .maxSize, .hasKeyword, .notKeyword, .text, .body, .from, .to, .cc,
            .bcc, .subject, .header, .inMailbox, .inMailboxOtherThan, .inRole, .hasAttachment:
            true
        case .allInThreadHaveKeyword, .someInThreadHaveKeyword, .noneInThreadHaveKeyword, .category: false
        }
    }
}
