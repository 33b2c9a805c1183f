import FoundationEssentials
import MailKernelAPI
import Synchronization

/// An account of the subject, signed in, and what a case makes in it: cleaned up afterwards, for it
/// may be an account of a real service.
final class AccountTrial: Sendable {
    let bench: ConformanceBench
    let provider: any AccountProvider
    let account: Account
    let validated: ValidatedAccount
    /// The account's drawer of the secret store.
    let secrets: MemorySecrets
    let session: any AccountSession
    /// In the Message-ID of everything that is made here.
    let tag: String
    private let madeMailboxes = Mutex<[RemoteMailboxID]>([])
    private let madeMail = Mutex(0)

    init(_ bench: ConformanceBench) async throws {
        self.bench = bench
        tag = "mk" + String(UUID().uuidString.lowercased().prefix(8))
        let candidate = try await SignIn(bench).candidate()
        provider = try SignIn.provider(bench)
        validated = try await provider.validate(candidate)
        account = Account(
            id: Id("conformance"), pluginID: "conformance", address: validated.address,
            displayName: validated.displayName, addedAt: bench.clock.now, settings: candidate.settings)
        secrets = SignIn.secrets(of: candidate)
        session = try await provider.session(for: account, secrets: secrets)
        // Features are asked for after the mailboxes.
        _ = try await session.mailboxes()
    }

    /// Another session of the same account, as after a restart.
    func anotherSession() async throws -> any AccountSession {
        try await SignIn.provider(bench).session(for: account, secrets: secrets)
    }

    func require(_ features: AccountFeatures, _ what: String) async throws {
        guard await session.features.isSuperset(of: features) else {
            throw NotApplicable("the account does not support \(what)")
        }
    }

    // MARK: Mailboxes

    /// Whether mail can be added anywhere: the cases make their own then.
    var takesMail: Bool {
        get async throws {
            if await session.features.contains(.mailboxChanges) { return true }
            return try await mailboxes().contains { $0.rights.contains([.addItems, .removeItems]) }
        }
    }

    func mailboxes() async throws -> [RemoteMailbox] { try await session.mailboxes().mailboxes }

    func mailbox(_ role: Mailbox.Role) async throws -> RemoteMailboxID? {
        try await mailboxes().first { $0.role == role }?.id
    }

    func makeMailbox(_ name: String, below parent: RemoteMailboxID? = nil) async throws -> RemoteMailboxID {
        try await require(.mailboxChanges, "making mailboxes")
        let name = "\(tag) \(name)"
        let made = try await done(.createMailbox(name: name, parent: parent)).mailbox
        guard let made else {
            throw ConformanceFailure(
                "createMailbox: expected the id of the new mailbox in the outcome, found none")
        }
        madeMailboxes.withLock { $0.append(made) }
        return made
    }

    /// A mailbox to work in: made for the case, or one that is there and takes mail.
    func workplace(_ number: Int = 0) async throws -> RemoteMailboxID {
        if await session.features.contains(.mailboxChanges) { return try await makeMailbox("work \(number)") }
        let roles: [Mailbox.Role?] = [.drafts, .archive, nil, .inbox]
        let mailboxes = try await mailboxes().filter { $0.rights.contains([.addItems, .removeItems]) }
        let usable = roles.flatMap { role in mailboxes.filter { $0.role == role } }
        guard usable.indices.contains(number) else {
            throw NotApplicable(
                "there are fewer than \(number + 1) mailboxes that take mail, and none can be made")
        }
        return usable[number].id
    }

    // MARK: Mail

    func mail(content: Data? = nil, header: [String] = [], daysOld: Int = 0) -> TestMail {
        let number = madeMail.withLock { made in
            made += 1
            return made
        }
        let address = validated.address
        return TestMail(
            tag: tag, number: number, from: address, to: address, content: content, header: header,
            daysOld: daysOld)
    }

    @discardableResult
    func append(
        _ mail: TestMail, to mailbox: RemoteMailboxID, keywords: Set<Keyword> = [.seen],
        replacing: RemoteAddress? = nil, by session: (any AccountSession)? = nil
    ) async throws -> AppendOutcome {
        try await (session ?? self.session).append(
            DataSource(mail.bytes), to: mailbox, keywords: keywords, receivedAt: mail.receivedAt,
            replacing: replacing)
    }

    /// Appends a message and finds out what the service calls it.
    func add(_ mail: TestMail, to mailbox: RemoteMailboxID, keywords: Set<Keyword> = [.seen]) async throws
        -> RemoteAddress
    {
        try await append(mail, to: mailbox, keywords: keywords)
        return try await only(mail, in: mailbox)
    }

    /// The one message that `mail` is in a mailbox, by a sync from the beginning.
    func only(_ mail: TestMail, in mailbox: RemoteMailboxID) async throws -> RemoteAddress {
        let found = try await find(mail, in: mailbox)
        guard found.count == 1, let address = found.first else {
            throw ConformanceFailure(
                "a sync from the beginning: expected the message \(mail.messageID) once in its mailbox, found \(found.count)"
            )
        }
        return address
    }

    func find(_ mail: TestMail, in mailbox: RemoteMailboxID? = nil) async throws -> [RemoteAddress] {
        try await mirrors(of: mailbox).flatMap { $0.find(mail, in: mailbox) }
    }

    /// What is held of a message after a sync from the beginning; nil if it is nowhere.
    func held(_ mail: TestMail, in mailbox: RemoteMailboxID? = nil) async throws -> FeedMirror.Held? {
        try await mirrors(of: mailbox).lazy.compactMap { $0.held(mail) }.first
    }

    /// The feeds that tell of a mailbox, or all, each synced from the beginning.
    func mirrors(of mailbox: RemoteMailboxID? = nil) async throws -> [FeedMirror] {
        var mirrors: [FeedMirror] = []
        for feed in try await session.mailboxes().feeds where feed.tells(of: mailbox) {
            var mirror = FeedMirror(feed.id)
            try await mirror.round(session)
            mirrors.append(mirror)
        }
        return mirrors
    }

    /// The feed that tells of a mailbox.
    func feed(of mailbox: RemoteMailboxID) async throws -> FeedID {
        let feeds = try await session.mailboxes().feeds.filter { $0.tells(of: mailbox) }
        guard let feed = feeds.first(where: { $0.mailboxID == mailbox }) ?? feeds.first else {
            throw ConformanceFailure(
                "mailboxes: expected a feed for every mailbox, found none for one of them")
        }
        return feed.id
    }

    // MARK: Mutations

    func apply(_ mutation: RemoteMutation) async throws -> MutationOutcome {
        let outcomes = try await session.apply([mutation])
        guard outcomes.count == 1, let outcome = outcomes.first else {
            throw ConformanceFailure("apply: expected one outcome for one mutation, found \(outcomes.count)")
        }
        return outcome
    }

    /// Applies a mutation that has to succeed.
    @discardableResult
    func done(_ mutation: RemoteMutation) async throws -> (
        newIDs: [RemoteAddress: RemoteAddress], mailbox: RemoteMailboxID?
    ) {
        let outcome = try await apply(mutation)
        guard case .done(let newIDs, let mailbox) = outcome else {
            throw ConformanceFailure("\(mutation.name): expected “done”, found \(outcome)")
        }
        return (newIDs, mailbox)
    }

    // MARK: The end

    /// Takes away what the case made. What does not work here is not what the case is about.
    func cleanUp() async {
        let session = (try? await anotherSession()) ?? session
        for feed in (try? await session.mailboxes().feeds) ?? [] {
            var mirror = FeedMirror(feed.id)
            _ = try? await mirror.round(session)
            let ours = mirror.messages.filter { $0.value.messageID?.hasPrefix(tag) == true }.keys
            if !ours.isEmpty {
                _ = try? await session.apply([.destroy(ours.map { RemoteAddress(feed: feed.id, id: $0) })])
            }
        }
        for mailbox in madeMailboxes.withLock({ $0 }).reversed() {
            _ = try? await session.apply([.deleteMailbox(mailbox)])
        }
        await session.close()
        await self.session.close()
    }
}

extension Feed {
    /// Whether it tells of the messages of a mailbox; of any, if that is nil.
    func tells(of mailbox: RemoteMailboxID?) -> Bool {
        mailbox == nil || mailboxID == nil || mailboxID == mailbox
    }
}

extension RemoteMutation {
    var name: String {
        switch self {
        case .setKeywords: "setKeywords"
        case .add: "add"
        case .remove: "remove"
        case .move: "move"
        case .destroy: "destroy"
        case .createMailbox: "createMailbox"
        case .renameMailbox: "renameMailbox"
        case .deleteMailbox: "deleteMailbox"
        }
    }
}

/// A case that works in a signed-in account.
func accountCase(
    _ name: String, _ promise: String, body: @escaping @Sendable (AccountTrial) async throws -> Void
) -> ConformanceCase {
    ConformanceCase(.account, name, promise) { bench in
        let trial = try await AccountTrial(bench)
        let takesMail = try await trial.takesMail
        do {
            try await body(trial)
        } catch AccountError.unsupported(let what) where !takesMail {
            await trial.cleanUp()
            throw NotApplicable("the account takes no mail: \(what)")
        } catch {
            await trial.cleanUp()
            throw error
        }
        await trial.cleanUp()
    }
}
