import FoundationEssentials
import MailKernelAPI

extension MemoryMailStore {
    mutating func apply(_ mutation: RemoteMutation) -> MutationOutcome {
        do throws(AccountError) {
            switch mutation {
            case .setKeywords(let addresses, let add, let remove):
                for address in try present(addresses) {
                    update(address) { $0.keywords = $0.keywords.subtracting(remove).union(add) }
                }
                return .done(newIDs: [:], mailbox: nil)
            case .add(let addresses, let mailbox):
                return try add(addresses, to: mailbox)
            case .remove(let addresses, let mailbox):
                return try remove(addresses, from: mailbox)
            case .move(let addresses, let source, let target):
                return try move(addresses, from: source, to: target)
            case .destroy(let addresses):
                for address in addresses { remove(address) }
                return .done(newIDs: [:], mailbox: nil)
            case .createMailbox(let name, let parent):
                return .done(newIDs: [:], mailbox: try createMailbox(name, below: parent))
            case .renameMailbox(let id, let name, let parent):
                try renameMailbox(id, name, below: parent)
                return .done(newIDs: [:], mailbox: id)
            case .deleteMailbox(let id):
                try deleteMailbox(id)
                return .done(newIDs: [:], mailbox: nil)
            }
        } catch {
            return .refused(error)
        }
    }

    /// Those that are there. Some may have gone, by another program, and that is no reason to leave
    /// the others; that all have is.
    private func present(_ addresses: [RemoteAddress]) throws(AccountError) -> [RemoteAddress] {
        let present = addresses.filter { messages[$0] != nil }
        guard !present.isEmpty || addresses.isEmpty else { throw .notFound }
        return present
    }

    private mutating func add(
        _ addresses: [RemoteAddress], to mailbox: RemoteMailboxID
    ) throws(AccountError) -> MutationOutcome {
        guard self.mailbox(mailbox) != nil else { throw .notFound }
        var newIDs: [RemoteAddress: RemoteAddress] = [:]
        for address in try present(addresses) {
            switch layout {
            case .labels: update(address) { $0.mailboxIDs.insert(mailbox) }
            case .folders: newIDs[address] = copy(address, to: mailbox)
            }
        }
        return .done(newIDs: newIDs, mailbox: nil)
    }

    private mutating func remove(
        _ addresses: [RemoteAddress], from mailbox: RemoteMailboxID
    ) throws(AccountError) -> MutationOutcome {
        var newIDs: [RemoteAddress: RemoteAddress] = [:]
        for address in try present(addresses) where messages[address]?.mailboxIDs.contains(mailbox) == true {
            if let message = messages[address], message.mailboxIDs.count > 1 {
                update(address) { $0.mailboxIDs.remove(mailbox) }
                continue
            }
            guard mailbox != Self.archive else {
                throw .refused(
                    "A message that is only in Archive can be moved or deleted, but not removed from it.")
            }
            newIDs[address] = relocate(address, from: mailbox, to: Self.archive)
        }
        return .done(newIDs: newIDs, mailbox: nil)
    }

    private mutating func move(
        _ addresses: [RemoteAddress], from source: RemoteMailboxID, to target: RemoteMailboxID
    ) throws(AccountError) -> MutationOutcome {
        guard mailbox(target) != nil else { throw .notFound }
        var newIDs: [RemoteAddress: RemoteAddress] = [:]
        for address in try present(addresses) {
            newIDs[address] = relocate(address, from: source, to: target)
        }
        return .done(newIDs: newIDs, mailbox: nil)
    }

    /// Puts a message from one mailbox into another; its new address if it got one.
    private mutating func relocate(
        _ address: RemoteAddress, from source: RemoteMailboxID, to target: RemoteMailboxID
    ) -> RemoteAddress? {
        guard source != target else { return nil }
        switch layout {
        case .labels:
            update(address) { message in
                message.mailboxIDs.remove(source)
                message.mailboxIDs.insert(target)
            }
            return nil
        case .folders:
            guard address.feed != feed(of: target) else { return nil }
            let copy = copy(address, to: target)
            remove(address)
            return copy
        }
    }

    /// The same message in another folder, where a copy that is there already counts: so doing it
    /// again changes nothing.
    private mutating func copy(_ address: RemoteAddress, to mailbox: RemoteMailboxID) -> RemoteAddress? {
        guard let original = messages[address] else { return nil }
        if let there = messages(in: mailbox).first(where: {
            $0.bytes == original.bytes && $0.receivedAt == original.receivedAt
        }) {
            return there.address
        }
        return add(
            original.bytes, to: mailbox, keywords: original.keywords, receivedAt: original.receivedAt)
    }
}

// MARK: Mailboxes

extension MemoryMailStore {
    /// One of this name in this place that is there already is the answer.
    private mutating func createMailbox(
        _ name: String, below parent: RemoteMailboxID?
    ) throws(AccountError) -> RemoteMailboxID {
        try check(name, below: parent)
        if let there = mailboxes.first(where: { $0.name == name && $0.parentID == parent }) {
            return there.id
        }
        let id = RemoteMailboxID("m\(nextNumber())")
        replaceMailboxes { $0.append(RemoteMailbox(id: id, name: name, parentID: parent)) }
        return id
    }

    private mutating func renameMailbox(
        _ id: RemoteMailboxID, _ name: String, below parent: RemoteMailboxID?
    ) throws(AccountError) {
        guard let old = mailbox(id) else { throw .notFound }
        try check(name, below: parent)
        if old.name == name && old.parentID == parent { return }
        guard old.rights.contains(.rename) else { throw .refused("“\(old.name)” cannot be renamed.") }
        guard !mailboxes.contains(where: { $0.id != id && $0.name == name && $0.parentID == parent }) else {
            throw .refused("Another mailbox is already named “\(name)”.")
        }
        guard !(parent.map { isOrIsBelow($0, id) } ?? false) else {
            throw .refused("A mailbox cannot be moved into itself.")
        }
        replaceMailboxes { mailboxes in
            for index in mailboxes.indices where mailboxes[index].id == id {
                mailboxes[index].name = name
                mailboxes[index].parentID = parent
            }
        }
    }

    private mutating func deleteMailbox(_ id: RemoteMailboxID) throws(AccountError) {
        guard let mailbox = mailbox(id) else { return }
        guard mailbox.rights.contains(.delete) else { throw .refused("“\(mailbox.name)” cannot be deleted.") }
        guard !mailboxes.contains(where: { $0.parentID == id }) else {
            throw .refused("“\(mailbox.name)” contains other mailboxes.")
        }
        for message in messages(in: id) {
            if message.mailboxIDs == [id] {
                remove(message.address)
            } else {
                update(message.address) { $0.mailboxIDs.remove(id) }
            }
        }
        replaceMailboxes { $0.removeAll { $0.id == id } }
    }

    private func check(_ name: String, below parent: RemoteMailboxID?) throws(AccountError) {
        guard !name.isEmpty else { throw .refused("A mailbox needs a name.") }
        if let parent, mailbox(parent) == nil { throw .notFound }
    }

    private func isOrIsBelow(_ id: RemoteMailboxID, _ ancestor: RemoteMailboxID) -> Bool {
        var next: RemoteMailboxID? = id
        while let current = next {
            if current == ancestor { return true }
            next = mailbox(current)?.parentID
        }
        return false
    }

    /// Parents before their children, in the order of their making.
    var mailboxesParentsFirst: [RemoteMailbox] {
        func below(_ parent: RemoteMailboxID?) -> [RemoteMailbox] {
            mailboxes.filter { $0.parentID == parent }.flatMap { [$0] + below($0.id) }
        }
        return below(nil)
    }
}
