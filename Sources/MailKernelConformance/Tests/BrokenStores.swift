import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Synchronization

/// A store with one fault, and the promises that it breaks.
struct BrokenStore: Sendable, CustomStringConvertible {
    let fault: String
    let breaks: [String]
    let make: @Sendable (MemoryStorage) -> any StorageBackend

    init(_ fault: String, breaks: String..., make: @escaping @Sendable (MemoryStorage) -> any StorageBackend)
    {
        self.fault = fault
        self.breaks = breaks
        self.make = make
    }

    var description: String { fault }

    var subject: ConformanceSubject {
        ConformanceSubject { host in
            guard case .storage(let store) = MemoryStoragePlugin.makeProvider(host: host),
                let sound = store as? MemoryStorage
            else { throw StorageError.closed }
            return .storage(make(sound))
        }
    }

    static let all: [BrokenStore] = [
        BrokenStore(
            "applies half of a failing commit", breaks: "aFailedCommitChangesNothing",
            "aFailedCommitDestroysNothing", "aFailedCommitLeavesNoTraceOnTheDisk",
            "randomWorkGivesTheSameAnswers1",
            make: HalfCommits.init),
        BrokenStore("does not look at leases", breaks: "aLostLeaseStopsTheCommit", make: NoFence.init),
        BrokenStore(
            "lets everyone have a lease", breaks: "aLeaseHasOneHolder", "closingReleasesLeases",
            make: LeasesForAll.init),
        BrokenStore("has no name for its server", breaks: "aServerHasAName", make: Nameless.init),
        BrokenStore("tells no other kernel", breaks: "kernelsHearOfEachOther", make: Silent.init),
        BrokenStore("commits in two steps", breaks: "readersSeeWholeCommits", make: TwoSteps.init),
        BrokenStore(
            "does not look at preconditions", breaks: "aFalseConditionStopsTheCommit", make: Careless.init),
        BrokenStore(
            "forgets on reopening", breaks: "whatWasConfirmedIsThereAfterReopening",
            "statesOutliveTheProgram",
            "openingAgainFindsItReady", make: { _ in MemoryStorage() }),
        BrokenStore(
            "counts unread threads by their emails in the mailbox",
            breaks: "aThreadIsUnreadWhereverItsEmailIs",
            "randomWorkGivesTheSameAnswers1", make: WrongCounts.init),
        BrokenStore(
            "FR-SYNC-06: makes threads by the order of arrival", breaks: "orderDoesNotMatter",
            "orderDoesNotMatterForMany", "aMissingParentConnects", "randomWorkGivesTheSameAnswers1",
            make: ThreadsByArrival.init),
        BrokenStore(
            "does not tell of what was destroyed", breaks: "changesSayWhatBecameOfEachRecord",
            "followingPagesLeadsToThePresent", "randomWorkGivesTheSameAnswers1", make: NoTombstones.init),
        BrokenStore(
            "takes search text for a language", breaks: "noTextIsAnError", make: SyntaxErrors.init),
        BrokenStore("does not escape snippets", breaks: "snippetsMarkWhatMatches", make: RawSnippets.init),
        BrokenStore(
            "does not collapse threads", breaks: "threadsCollapse", "randomWorkGivesTheSameAnswers1",
            make: NoCollapsing.init),
        BrokenStore("begins behind the anchor", breaks: "anchorsFindTheirPlace", make: BehindTheAnchor.init),
        BrokenStore(
            "FR-COMP-04: ranks contacts by name", breaks: "contactsAreRanked", make: ContactsByName.init),
        BrokenStore(
            "FR-COMP-04: never forgets a contact", breaks: "tenThousandContactsAreKept",
            make: AllContacts.init),
        BrokenStore(
            "shows blobs that are not finished", breaks: "anUnfinishedBlobIsNotThere", make: EagerBlobs.init),
        BrokenStore(
            "forgets a blob before it keeps the next", breaks: "aBlobCanBeReadWhileItIsReplaced",
            make: GapsInBlobs.init),
        BrokenStore(
            "does not know that reading is using", breaks: "theCacheHasALimit", make: NoUse.init),
        BrokenStore(
            "FR-SET-03: does not count the room", breaks: "usageSaysWhatTakesRoom", make: NoUsage.init),
        BrokenStore("FR-SET-03: clears nothing", breaks: "clearingFreesTheCache", make: NoClearing.init),
        BrokenStore("purges drafts as well", breaks: "purgingRemovesOldMail", make: PurgesAll.init),
        BrokenStore(
            "FR-ACCT-05: keeps a removed account", breaks: "aRemovedAccountLeavesNothing",
            make: KeepsAccounts.init),
        BrokenStore(
            "answers when it is closed", breaks: "nothingIsAnsweredAfterClosing", make: NeverCloses.init),
    ]
}

struct HalfCommits: ForwardingStorage {
    let sound: MemoryStorage

    func commit(_ changes: ChangeSet) throws(StorageError) -> CommitResult {
        do {
            return try sound.commit(changes)
        } catch {
            for change in changes.changes {
                do { _ = try sound.commit(ChangeSet([change])) } catch { break }
            }
            throw error
        }
    }
}

struct TwoSteps: ForwardingStorage {
    let sound: MemoryStorage

    func commit(_ changes: ChangeSet) async throws(StorageError) -> CommitResult {
        guard changes.changes.count == 2 else { return try sound.commit(changes) }
        _ = try sound.commit(ChangeSet([changes.changes[0]]))
        do { try await Task.sleep(for: .milliseconds(20)) } catch { throw .cancelled }
        return try sound.commit(ChangeSet([changes.changes[1]]))
    }
}

struct Nameless: ForwardingStorage {
    let sound: MemoryStorage

    var place: StoragePlace { .server(name: "") }
}

struct Careless: ForwardingStorage {
    let sound: MemoryStorage

    func commit(_ changes: ChangeSet) throws(StorageError) -> CommitResult {
        try sound.commit(ChangeSet(changes.changes))
    }
}

struct WrongCounts: ForwardingStorage {
    let sound: MemoryStorage

    func mailboxes(_ ids: [Id<Mailbox>]?, in accountID: Id<Account>) throws(StorageError) -> [StoredMailbox] {
        try sound.mailboxes(ids, in: accountID).map { stored in
            var stored = stored
            stored.counts.unreadThreads = min(stored.counts.unreadThreads, stored.counts.unreadEmails)
            return stored
        }
    }
}

/// Only knows the messages that have come so far: a late parent connects nothing.
final class ThreadsByArrival: ForwardingStorage {
    let sound: MemoryStorage
    private let seen = Mutex<[Id<Account>: Set<String>]>([:])

    init(sound: MemoryStorage) {
        self.sound = sound
    }

    func commit(_ changes: ChangeSet) throws(StorageError) -> CommitResult {
        var changes = changes
        changes.changes = changes.changes.map { change in
            guard case .putEmail(var email, let body) = change else { return change }
            let known = seen.withLock { seen in
                seen[email.accountID, default: []].formUnion(email.header.messageID)
                return seen[email.accountID] ?? []
            }
            email.header.inReplyTo.removeAll { !known.contains($0) }
            email.header.references.removeAll { !known.contains($0) }
            return .putEmail(email, body)
        }
        return try sound.commit(changes)
    }
}

struct NoTombstones: ForwardingStorage {
    let sound: MemoryStorage

    func changes(
        of type: DataType, in accountID: Id<Account>?, since state: State, limit: Int
    ) throws(StorageError) -> Changes {
        var changes = try sound.changes(of: type, in: accountID, since: state, limit: limit)
        changes.destroyed = []
        return changes
    }
}
