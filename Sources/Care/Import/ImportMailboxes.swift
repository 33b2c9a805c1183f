import MailKernelAPI

/// The mailboxes of the account, made as they are needed.
struct ImportMailboxes {
    private let session: any AccountSession
    private var mailboxes: [RemoteMailbox]
    private var known: [ImportPlace.Target: RemoteMailboxID] = [:]
    private var failures: [ImportFailure] = []

    init(_ session: any AccountSession) async throws {
        self.session = session
        mailboxes = try await session.mailboxes().mailboxes
    }

    mutating func ids(of targets: Set<ImportPlace.Target>) async throws -> Set<RemoteMailboxID> {
        var ids: Set<RemoteMailboxID> = []
        for target in targets { ids.insert(try await id(of: target)) }
        return ids
    }

    private mutating func id(of target: ImportPlace.Target) async throws -> RemoteMailboxID {
        if let id = known[target] { return id }
        let id =
            switch target {
            case .role(let role): try await mailbox(role)
            case .path(let names): try await mailbox(names, below: nil)
            case .inside(let role, let names): try await mailbox(names, below: try await mailbox(role))
            }
        known[target] = id
        return id
    }

    private mutating func mailbox(
        _ names: [String], below parent: RemoteMailboxID?
    ) async throws -> RemoteMailboxID {
        if let made = try await made(names, below: parent) { return made }
        return try await mailbox(.archive)
    }

    private mutating func mailbox(_ role: Mailbox.Role) async throws -> RemoteMailboxID {
        if let mailbox = mailboxes.first(where: { $0.role == role }) { return mailbox.id }
        let name = role.rawValue.prefix(1).uppercased() + role.rawValue.dropFirst()
        guard let made = try await made([name], below: nil) else {
            throw AccountError.refused("the folder “\(name)” could not be created")
        }
        return made
    }

    /// The mailboxes that could not be created since the last call.
    mutating func takeFailures() -> [ImportFailure] {
        defer { failures = [] }
        return failures
    }

    /// Nil if the account does not take a mailbox of this name.
    private mutating func made(
        _ names: [String], below root: RemoteMailboxID?
    ) async throws -> RemoteMailboxID? {
        var parent = root
        for name in names {
            if let there = mailboxes.first(where: { $0.name == name && $0.parentID == parent }) {
                parent = there.id
            } else {
                let outcome = try await session.apply([.createMailbox(name: name, parent: parent)]).first
                if case .failed(let error) = outcome { throw error }
                guard case .done(_, let made?) = outcome else {
                    failures.append(
                        ImportFailure(
                            place: names.joined(separator: "/"),
                            reason: "this folder could not be created; its messages are in Archive"))
                    return nil
                }
                mailboxes = try await session.mailboxes().mailboxes
                parent = made
            }
        }
        return parent
    }
}
