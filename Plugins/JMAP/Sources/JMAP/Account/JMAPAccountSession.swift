import FoundationEssentials
import MailKernelAPI

/// Access to the mail of one account over JMAP (RFC 8620, 8621).
actor JMAPAccountSession: AccountSession {
    /// The account has one store of mail, so it has one feed.
    static let feed = FeedID("mail")

    let place: Place
    let wire: Wire
    let log: PluginLog
    private var known: Resource?
    private var loading: Task<Result<Resource, WireFailure>, Never>?
    /// The state of the session resource as answers report it; some services always say "0".
    private var sessionState: String?
    private var isClosed = false
    private var watching: [UUID: Task<Void, Never>] = [:]
    /// Messages that this connection to the account added and no sync has reported yet.
    var added: Set<String> = []
    /// Messages that are asked for at once. Small at first, so that the first ones are shown early.
    var batchSize = 50

    init(_ place: Place, wire: Wire, log: PluginLog) {
        self.place = place
        self.wire = wire
        self.log = log
    }

    nonisolated var serverName: String { place.session.host(percentEncoded: false) ?? "the service" }

    var features: AccountFeatures {
        var features: AccountFeatures = [
            .push, .labels, .mailboxChanges, .keywords, .serverSearch, .olderMail,
        ]
        if known?.vacationID != nil { features.insert(.vacation) }
        if known?.submissionID != nil { features.formUnion([.submission, .savesSentCopies]) }
        return features
    }

    // MARK: Requests

    /// The session resource, read once. Calls at the same time share the request.
    func resource() async throws(WireFailure) -> Resource {
        guard !isClosed, !Task.isCancelled else { throw .network(.cancelled) }
        if let known { return known }
        let task =
            loading
            ?? Task { [wire, place] in
                do throws(WireFailure) {
                    return .success(try await wire.resource(at: place.session, account: place.account))
                } catch {
                    return .failure(error)
                }
            }
        loading = task
        let result = await task.value
        loading = nil
        if case .success(let resource) = result { known = resource }
        return try result.get()
    }

    /// Calls methods in one request, and reads the session again later if the service says that it changed.
    func request(
        _ calls: [Call], _ using: String..., purpose: String = "sync mail"
    ) async throws(WireFailure) -> Answer {
        let resource = try await resource()
        guard !isClosed else { throw .network(.cancelled) }
        let answer: Answer
        do throws(WireFailure) {
            answer = try await wire.call(
                calls, [Capability.core, Capability.mail] + using, at: resource, purpose: purpose)
        } catch {
            if error.isMoved { known = nil }
            throw error
        }
        if let state = answer.sessionState, state.utf8.count <= 1_000 {
            if let sessionState, sessionState != state { known = nil }
            sessionState = state
        }
        return answer
    }

    /// Does something and gives its failures their meaning for the kernel.
    func meaningful<Value: Sendable>(
        _ body: () async throws -> Value
    ) async throws(AccountError) -> Value {
        if Task.isCancelled { throw .cancelled }
        do {
            return try await body()
        } catch let error as AccountError {
            throw error
        } catch let error as WireFailure {
            throw Task.isCancelled ? .cancelled : error.meaning(now: wire.clock.now)
        } catch let error as MethodError {
            throw error.meaning(host: serverName)
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw Task.isCancelled ? .cancelled : .local(reason: "\(error)")
        }
    }

    // MARK: Mailboxes

    func mailboxes() async throws(AccountError) -> MailboxListing {
        try await meaningful {
            let feed = Feed(id: Self.feed)
            return MailboxListing(mailboxes: try await listing(), feeds: [feed])
        }
    }

    /// All mailboxes, parents first.
    func listing() async throws -> [RemoteMailbox] {
        let id = try await resource().accountID
        let answer = try await request([Call("Mailbox/get", "m", ["accountId": .string(id), "ids": nil])])
        guard let list = try answer.response("m").value["list"]?.arrayValue else {
            throw AccountError.badAnswer("Mailbox/get has no list")
        }
        return MailboxList.read(list)
    }

    /// The addresses that the service sends from.
    func senders() async throws(AccountError) -> [EmailAddress] {
        try await meaningful {
            let senders: [Sender]
            do {
                senders = try await identities()
            } catch let error as MethodError where error.type == "accountNotSupportedByMethod" {
                // Cyrus, while its server for sending does not respond.
                senders = []
            }
            return senders.compactMap { identity in
                guard identity.email.contains("@"), !identity.email.hasPrefix("*") else { return nil }
                return EmailAddress(name: identity.name.isEmpty ? nil : identity.name, email: identity.email)
            }
        }
    }

    // MARK: Bytes

    func fetch(
        _ message: RemoteMessageID, feed: FeedID, partID: String?, into sink: any ByteSink
    ) async throws(AccountError) {
        try await meaningful {
            guard feed == Self.feed, message.isValid else { throw AccountError.notFound }
            let resource = try await resource()
            let answer = try await request(
                [
                    Call(
                        "Email/get", "e",
                        [
                            "accountId": .string(resource.accountID), "ids": [.string(message.rawValue)],
                            "properties": ["id", "blobId", "bodyStructure"],
                            "bodyProperties": ["partId", "blobId", "type", "subParts"],
                        ])
                ], purpose: "read mail")
            guard
                let email = try answer.response("e").emails?.found.first(where: { $0.id == message.rawValue }
                ),
                let blob = partID.map({ email.bodyStructure?.blob(ofPart: $0) }) ?? email.blobId
            else { throw AccountError.notFound }
            try await wire.download(blob, at: resource, into: sink)
        }
    }

    // MARK: The end

    /// Remembers a task that `close` has to end.
    func note(_ task: Task<Void, Never>, _ id: UUID) {
        if isClosed { task.cancel() } else { watching[id] = task }
    }

    func forget(_ id: UUID) { watching[id] = nil }

    func close() async {
        isClosed = true
        for task in watching.values { task.cancel() }
        watching = [:]
        loading?.cancel()
    }
}
