import MailKernelAPI

/// Mutations on servers with labels: a message in All Mail has labels; Trash and Junk are separate.
extension IMAPAccountSession {
    func addLabel(
        _ addresses: [RemoteAddress], _ id: RemoteMailboxID
    ) async throws(AccountError) -> MutationOutcome {
        try await moveLabel(addresses, from: nil, to: id)
    }

    func removeLabel(
        _ addresses: [RemoteAddress], _ id: RemoteMailboxID
    ) async throws(AccountError) -> MutationOutcome {
        guard id != MailboxDirectory.archiveID else {
            throw .unsupported("taking a message out of the archive without moving it elsewhere")
        }
        let target = try await entry(id)
        if target.role == .trash || target.role == .junk {
            return try await moveLabel(addresses, from: id, to: MailboxDirectory.archiveID)
        }
        let label = try await knownDirectory().label(of: target)
        for group in groups(addresses) where try await source(of: group.feed).mailboxID == nil {
            try await store(group, [(false, label)])
        }
        return .done(newIDs: [:], mailbox: nil)
    }

    /// - Parameter source: nil if the message stays where it is, too.
    func moveLabel(
        _ addresses: [RemoteAddress], from source: RemoteMailboxID?, to id: RemoteMailboxID
    ) async throws(AccountError) -> MutationOutcome {
        let target = id == MailboxDirectory.archiveID ? nil : try await entry(id)
        let directory = try await knownDirectory()
        var newIDs: [RemoteAddress: RemoteAddress] = [:]
        for group in groups(addresses) {
            let place = try await self.source(of: group.feed)
            if let target, target.role == .trash || target.role == .junk {
                guard target.id != place.mailboxID else { continue }
                newIDs.merge(try await moveAway(group, to: target)) { $1 }
            } else if place.mailboxID != nil {
                newIDs.merge(try await moveBack(group, to: target, directory)) { $1 }
            } else {
                let old = source.flatMap { directory[$0] }
                var changes: [(adds: Bool, label: String)] = []
                if let target { changes.append((true, directory.label(of: target))) }
                if let old, old.id != target?.id { changes.append((false, directory.label(of: old))) }
                try await store(group, changes)
            }
        }
        return .done(newIDs: newIDs, mailbox: nil)
    }

    private func store(
        _ group: Group, _ changes: [(adds: Bool, label: String)]
    ) async throws(AccountError) {
        guard !changes.isEmpty else { return }
        try await withMessages(group) { connection, uids throws(AccountError) in
            for part in uids.pieces {
                // One after the other: taken out of its mailbox before the next one has it, a message whose
                // new label is refused would be archived.
                for (adds, label) in changes {
                    let command = Command.store(part, adds: adds, flags: [label], item: "X-GM-LABELS")
                    _ = try await connection.perform(command).orThrow()
                }
            }
        }
    }

    /// Into Trash or Junk, where it is another message.
    private func moveAway(
        _ group: Group, to target: MailboxDirectory.Entry
    ) async throws(AccountError) -> [RemoteAddress: RemoteAddress] {
        var newIDs: [RemoteAddress: RemoteAddress] = [:]
        for (old, new) in try await move(group, to: target.name) {
            newIDs[RemoteAddress(feed: group.feed, id: old.id)] = RemoteAddress(
                feed: FeedID(target.id.rawValue), id: new.id)
        }
        return newIDs
    }

    /// Moves out of Trash or Junk. The new UID is reported for the label's mailbox, and looked up in All
    /// Mail.
    private func moveBack(
        _ group: Group, to target: MailboxDirectory.Entry?, _ directory: MailboxDirectory
    ) async throws(AccountError) -> [RemoteAddress: RemoteAddress] {
        guard case .labels(let allMail) = directory.layout else { return [:] }
        let numbers = try await gmailIDs(group)
        _ = try await move(group, to: target?.name ?? allMail)
        let feed = FeedID(MailboxDirectory.id(allMail).rawValue)
        var newIDs: [RemoteAddress: RemoteAddress] = [:]
        let found = try await find(Array(numbers.values), in: allMail)
        for (uid, number) in numbers {
            guard let new = found[number] else { continue }
            let old = MessageUID(validity: group.validity, uid: uid)
            newIDs[RemoteAddress(feed: group.feed, id: old.id)] = RemoteAddress(feed: feed, id: new.id)
        }
        return newIDs
    }

    /// Permanently deletes messages: expunging from All Mail only archives, so they are moved to Trash first.
    func destroyForGood(_ group: Group, _ directory: MailboxDirectory) async throws(AccountError) {
        guard let trash = directory[role: .trash] else { throw .unsupported("deleting mail for good") }
        func address(_ uid: UInt32) -> RemoteAddress {
            RemoteAddress(feed: group.feed, id: MessageUID(validity: group.validity, uid: uid).id)
        }
        let asked = Set(group.uids.ascending.map(address))
        let numbers = try await gmailIDs(group)
        try leaving.note(numbers.map { LeavingMail.Entry(address: address($0), number: $1) })
        var places: [RemoteAddress: RemoteMessageID] = [:]
        for (old, new) in try await move(group, to: trash.name) { places[address(old.uid)] = new.id }
        // Includes messages moved earlier by an interrupted attempt.
        var all = try leaving.of(asked)
        let untold = all.filter { $0.inTrash == nil && places[$0.address] == nil }.map(\.number)
        let found = try await find(untold, in: trash.name)
        for index in all.indices where all[index].inTrash == nil {
            all[index].inTrash = places[all[index].address] ?? found[all[index].number]?.id
        }
        // Once this is recorded, no further lookup is needed: missing messages are gone.
        let inTrash = all.filter { $0.inTrash != nil }
        try leaving.note(inTrash)
        try await expunge(inTrash.compactMap { $0.inTrash.flatMap { MessageUID($0) } }, from: trash.name)
        try leaving.forget(inTrash.map(\.address))
        // Search results can be delayed. A retry no longer finds them in All Mail.
        guard inTrash.count == all.count else {
            throw .badAnswer("messages that were moved to Trash are missing there")
        }
    }

    private func expunge(_ messages: [MessageUID], from mailbox: MailboxName) async throws(AccountError) {
        guard !messages.isEmpty else { return }
        try await withMailbox(mailbox, onlyReads: false) { connection, selected throws(AccountError) in
            let these = messages.filter { $0.validity == selected.validity }
            if !these.isEmpty { try await connection.remove(UIDSet(these.map(\.uid))) }
        }
    }

    // MARK: Gmail's own numbers

    /// The number that Gmail gives a message wherever it is.
    private func gmailIDs(_ group: Group) async throws(AccountError) -> [UInt32: UInt64] {
        let name = try await source(of: group.feed).name
        return try await withMailbox(name) { connection, selected throws(AccountError) in
            guard selected.validity == group.validity else { return [:] }
            var numbers: [UInt32: UInt64] = [:]
            for part in group.uids.pieces {
                let answer = try await connection.perform(.fetch(part, "UID X-GM-MSGID")).orThrow()
                for message in answer.fetched {
                    if let uid = message.uid, let number = message.gmailMessageID { numbers[uid] = number }
                }
            }
            return numbers
        }
    }

    func find(_ numbers: [UInt64], in mailbox: MailboxName) async throws(AccountError) -> [UInt64: MessageUID]
    {
        guard !numbers.isEmpty else { return [:] }
        return try await withMailbox(mailbox) { connection, selected throws(AccountError) in
            var found: [UInt64: MessageUID] = [:]
            // Asked together: one answer for each number.
            for some in numbers.slices(of: 100) {
                let answers = try await connection.perform(
                    some.map { number in
                        Command.search(extended: false) { $0.raw("X-GM-MSGID").raw("\(number)") }
                    })
                for (number, answer) in zip(some, answers) {
                    guard let uid = try await connection.uids(try answer.orThrow()).max() else { continue }
                    found[number] = MessageUID(validity: selected.validity, uid: uid)
                }
            }
            return found
        }
    }
}
