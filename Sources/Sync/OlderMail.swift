import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Mail that is older than its account keeps on this device: found at the service when the user asks for it, and kept
/// for a while when it is opened.
package struct OlderMail: Sendable {
    /// A message at the service, described as an email that is not in the store.
    package struct Found: Sendable {
        package let address: RemoteAddress
        package let email: Email
    }

    package struct Page: Sendable {
        /// Newest first.
        package var found: [Found] = []
        /// Where the next page begins; nil after the last.
        package var next: Int?
        /// Whether the service may have more than it was asked for.
        package var isCut = false
    }

    package enum Problem: Error {
        case store(StorageError)
        case service(AccountError)
        /// A sentence for the user.
        case impossible(String)
    }

    /// A service is asked for the addresses of this many messages.
    package static let most = 500
    /// For one page, this many are read at most. What does not pass the filter after all counts as well.
    private static let mostRead = 100
    /// Few, as each may be large, and all of a call are in memory at the same time.
    private static let readAtOnce = 8

    let store: MailStore
    let services: any MailServices
    let ids: IDMaker
    let clock: any HostClock

    package init(store: MailStore, services: any MailServices, clock: any HostClock) {
        (self.store, self.services, self.clock) = (store, services, clock)
        ids = IDMaker(clock: clock)
    }

    /// Whether an account has mail that is not on this device, and a service that can search it.
    package static func isOffered(by account: Account, _ features: AccountFeatures) -> Bool {
        account.status == .active && account.syncWindowDays > 0 && !features.contains(.local)
            && features.isSuperset(of: [.serverSearch, .olderMail])
    }

    /// Searches at the service, from the `position`-th message that it finds.
    package func search(
        _ filter: MailFilter, in account: Account, from position: Int, limit: Int
    ) async throws(Problem) -> Page {
        let place = try await place(of: account)
        guard let judge = MessageJudge(filter, mailboxes: place.mailboxes) else {
            throw .impossible(
                "The service cannot search older mail \(filter.unjudged.map { "by \($0)" } ?? "for this").")
        }
        let session = try await session(of: account)
        let asked = ServiceFilter(.all([filter, .stored(.before(place.start))]), place.map)
        let addresses = try await asking { () throws(AccountError) in
            Self.distinct(try await session.search(asked.filter, limit: Self.most))
        }
        var page = Page(isCut: addresses.count >= Self.most)
        var index = max(0, position)
        let end = min(addresses.count, index + Self.mostRead)
        while index < end, page.found.count < limit {
            let some = Array(addresses[index..<min(end, index + min(Self.readAtOnce, limit))])
            let read = try await read(some, session, place)
            for address in some where page.found.count < limit {
                index += 1
                guard let message = read[address], message.email.receivedAt < place.start,
                    judge.verdict(on: MessageJudge.Candidate(message.email, message.body)) != false,
                    !page.found.contains(where: { $0.email.isCopy(of: message.email) })
                else { continue }
                page.found.append(Found(address: address, email: message.email))
            }
        }
        page.next = index < addresses.count ? index : nil
        return page
    }

    /// Gets a message that was found and keeps it here for a while, like mail that came by itself.
    package func keep(_ address: RemoteAddress, of account: Account) async throws(Problem) -> Id<Email> {
        let place = try await place(of: account)
        if let held = try await held([address], place)[address] {
            try await commit(account) { [try OpenedMail.change(held, in: account.id, at: clock.now)] }
            return held
        }
        let session = try await session(of: account)
        let messages = try await asking { () throws(AccountError) in
            try await session.read([address.id], feed: address.feed)
        }
        let parsed = try await parsed(messages, among: [address.id], of: account.id)
        guard let message = parsed.messages.first else { throw .service(.notFound) }
        try await commit(account) {
            let incoming = try await IncomingMail.current(account, store, at: clock.now, isLocal: false)
            let changes = try await incoming.changes(for: parsed, in: address.feed, isAnew: false)
            return changes + [try OpenedMail.change(message.id, in: account.id, at: clock.now)]
        }
        // A sync may have brought it in the meantime.
        guard let id = try await held([address], place)[address] else { throw .service(.notFound) }
        return id
    }

    private static func distinct(_ addresses: [RemoteAddress]) -> [RemoteAddress] {
        var seen: Set<RemoteAddress> = []
        return addresses.filter { $0.isWithinLimits && seen.insert($0).inserted }
    }
}

extension Email {
    /// Folders at the service can have copies of one message.
    fileprivate func isCopy(of other: Email) -> Bool {
        !header.messageID.isEmpty && header.messageID == other.header.messageID && size == other.size
    }
}
