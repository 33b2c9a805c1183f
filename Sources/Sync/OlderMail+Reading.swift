import FoundationEssentials
import Mail
import MailKernelAPI
import MessageFormat
import Store

extension OlderMail {
    /// What is known of an account here.
    struct Place {
        let account: Account
        let map: RemoteMap
        let mailboxes: [Mailbox]
        /// Mail from before this is not on this device.
        let start: Date
    }

    func place(of account: Account) async throws(Problem) -> Place {
        do {
            let map = try await RemoteMap.load(account.id, from: store)
            guard Self.isOffered(by: account, map.features), let start = account.windowStart(at: clock.now)
            else { throw Problem.impossible("There is no older mail to search in this account.") }
            let mailboxes = try await store.read.mailboxes(nil, in: account.id).map(\.mailbox)
            return Place(account: account, map: map, mailboxes: mailboxes, start: start)
        } catch {
            throw Problem(error)
        }
    }

    func session(of account: Account) async throws(Problem) -> any AccountSession {
        guard let session = await services.session(account.id) else {
            throw .impossible("\(account.address) is not connected. Sign in to search its older mail.")
        }
        return session
    }

    func asking<Answer>(_ body: () async throws(AccountError) -> Answer) async throws(Problem) -> Answer {
        do throws(AccountError) {
            return try await body()
        } catch {
            throw .service(error)
        }
    }

    func commit(
        _ account: Account, _ changes: @Sendable () async throws -> [StorageChange]
    ) async throws(Problem) {
        do {
            _ = try await store.commitNamed(in: account.id, changes)
        } catch {
            throw Problem(error)
        }
    }

    /// The emails here that are these messages.
    func held(
        _ addresses: [RemoteAddress], _ place: Place
    ) async throws(Problem) -> [RemoteAddress: Id<Email>] {
        var held: [RemoteAddress: Id<Email>] = [:]
        for (feed, some) in Dictionary(grouping: addresses, by: \.feed) {
            do throws(StorageError) {
                let known = try await store.read.emailIDs(
                    for: some.map(\.id), feed: feed, in: place.account.id)
                for (id, email) in known { held[RemoteAddress(feed: feed, id: id)] = email }
            } catch {
                throw .store(error)
            }
        }
        return held
    }

    /// Reads messages that are not here. Those that cannot be read are left out.
    func read(
        _ addresses: [RemoteAddress], _ session: any AccountSession, _ place: Place
    ) async throws(Problem) -> [RemoteAddress: (email: Email, body: EmailBody)] {
        let held = try await held(addresses, place)
        let missing = addresses.filter { held[$0] == nil }
        var read: [RemoteAddress: (email: Email, body: EmailBody)] = [:]
        for (feed, some) in Dictionary(grouping: missing, by: \.feed) {
            let messages = try await asking { () throws(AccountError) in
                do throws(AccountError) {
                    return try await session.read(some.map(\.id), feed: feed)
                } catch .notFound {
                    // A folder that was deleted in between.
                    return []
                }
            }
            let parsed = try await parsed(
                messages, among: Set(some.map(\.id)), of: place.account.id)
            for (message, own) in zip(parsed.batch.messages, parsed.messages) {
                read[RemoteAddress(feed: feed, id: message.id)] = (
                    email(message, own, place), own.content.body
                )
            }
        }
        return read
    }

    /// What a plugin returns is not trusted. Messages that were not asked for are left out, once it is certain that
    /// letting go of them is harmless.
    func parsed(
        _ messages: [RemoteMessage], among wanted: Set<RemoteMessageID>, of accountID: Id<Account>
    ) async throws(Problem) -> ParsedBatch {
        do {
            var batch = ChangeBatch(messages: messages, cursor: SyncCursor(rawValue: ""), hasMore: false)
            try batch.hold(toLimitsAfter: nil)
            batch.messages.removeAll { !wanted.contains($0.id) }
            return try await ParsedBatch(batch, of: accountID, ids: ids)
        } catch {
            throw Problem(error)
        }
    }

    private func email(_ message: RemoteMessage, _ parsed: ParsedBatch.Message, _ place: Place) -> Email {
        let dates = PlausibleDate(now: clock.now)
        return Email(
            id: parsed.id, accountID: place.account.id, blobID: BlobID(email: parsed.id).id,
            mailboxIDs: Set(message.mailboxIDs.compactMap { place.map.local($0) }),
            keywords: message.keywords, size: message.size,
            receivedAt: dates.received(message.receivedAt, parsed.content),
            header: dates.header(of: parsed.content), hasAttachment: parsed.content.hasAttachment,
            preview: parsed.content.preview)
    }
}

extension OlderMail.Problem {
    fileprivate init(_ error: any Error) {
        self =
            switch error {
            case let error as Self: error
            case let error as StorageError: .store(error)
            case let error as AccountError: .service(error)
            default: .service(.cancelled)
            }
    }
}
