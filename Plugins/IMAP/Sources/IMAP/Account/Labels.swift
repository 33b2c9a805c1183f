import MailKernelAPI

/// Gmail's labels and the mailboxes that they are.
extension IMAPAccountSession {
    /// The mailboxes of a message in All Mail. A message without labels is archived.
    func mailboxIDs(ofLabels labels: [String]) async throws(AccountError) -> Set<RemoteMailboxID> {
        var directory = try await knownDirectory()
        if labels.contains(where: { directory.isUnknown(label: $0) }), !knowsLabels.isSuperset(of: labels) {
            // A new label. Requested only once: some labels are never listed.
            directory = try await list()
            knowsLabels.formUnion(labels)
        }
        let entries = labels.compactMap { directory.entry(ofLabel: $0) }
        var ids = Set(entries.map(\.id))
        // A star does not take a message out of the archive.
        if entries.allSatisfy({ $0.role == .flagged }) { ids.insert(MailboxDirectory.archiveID) }
        return ids
    }
}

extension MailboxDirectory {
    private static let systemLabels: [(label: String, role: Mailbox.Role)] = [
        ("\\inbox", .inbox), ("\\sent", .sent), ("\\draft", .drafts), ("\\drafts", .drafts),
        ("\\starred", .flagged), ("\\important", .important), ("\\trash", .trash), ("\\junk", .junk),
        ("\\spam", .junk), ("\\muted", .important),
    ]

    private static func role(ofLabel label: String) -> Mailbox.Role? {
        systemLabels.first { $0.label == label.lowercased() }?.role
    }

    func entry(ofLabel label: String) -> Entry? {
        if label.hasPrefix("\\") { return Self.role(ofLabel: label).flatMap { self[role: $0] } }
        return self[MailboxName(wire: label)]
    }

    func isUnknown(label: String) -> Bool {
        !label.hasPrefix("\\") && entry(ofLabel: label) == nil
    }

    /// As a command says it.
    func label(of entry: Entry) -> String {
        switch entry.role {
        case .inbox: "\\Inbox"
        case .sent: "\\Sent"
        case .drafts: "\\Draft"
        case .flagged: "\\Starred"
        case .trash, .junk, .archive, .all, .important, nil: Command.quoted(entry.name.wire)
        }
    }
}
