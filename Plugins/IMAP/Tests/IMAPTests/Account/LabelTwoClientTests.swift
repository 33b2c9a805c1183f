import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import Synchronization
import Testing

@testable import IMAP

/// Issue 5, on labels: this program and another one change the same mail at once, and both end equal.
/// `MAILKERNEL_CLIENTS=2000` tries as many seeds.
@Suite("Beside another program on the same labels", .timeLimit(.minutes(60))) struct LabelTwoClientTests {
    private static let seeds =
        ProcessInfo.processInfo.environment["MAILKERNEL_CLIENTS"].flatMap { UInt64($0) } ?? 12
    private static let boxes = [GmailStore.allMail, GmailStore.trash, GmailStore.spam]
    private static let bin = RemoteMailboxID(GmailStore.trash)

    @Test(arguments: 1...max(1, seeds)) func bothEndEqual(_ seed: UInt64) async throws {
        let other = OtherProgram(seed)
        var memory = ServerInMemory.with(GmailServer.capabilities) { settings in
            settings.answersWithArguments = { _, _, _ in
                other.interrupt()
                return nil
            }
        }
        memory.behavior.firstBatch = 5
        memory.behavior.batch = 4
        other.begin(on: memory.server)
        for _ in 1...12 { other.deliver() }
        let session = memory.session()
        var random = SeededRandom(seed)
        var readers = Self.boxes.map { FeedReader(FeedID($0)) }
        for _ in 1...60 {
            if Bool.random(using: &random) { other.act() }
            let index = Int.random(in: 0..<5, using: &random)
            let feed = index < readers.count ? index : 0
            if Bool.random(using: &random) {
                await read(&readers[feed], session, &random)
            } else if let id = readers[feed].held.keys.sorted().randomElement(using: &random) {
                let one = RemoteAddress(feed: readers[feed].feed, id: id)
                let mutation = Self.mutation(of: one, &random)
                if case .destroy = mutation { other.note(gone: [readers[feed].held[id]?.text ?? ""]) }
                _ = try await session.apply([mutation])
            }
        }
        other.stop()
        _ = try await session.mailboxes()
        for index in readers.indices {
            for _ in 1...2 { try await readers[index].round(session) }
            try compare(readers[index], memory.server)
        }
        let left = Set(Self.boxes.flatMap { memory.server.texts(in: $0) })
        for number in 1...other.delivered {
            let text = ServerInMemory.message(number)
            #expect(left.contains(text) || other.gone.contains(text), "\(number) is lost")
        }
        await session.close()
    }

    /// A round, or a part of one. What the other program does in between can make no sense of it, and the kernel
    /// tries again then.
    private func read(
        _ reader: inout FeedReader, _ session: IMAPAccountSession, _ random: inout SeededRandom
    ) async {
        do {
            if Bool.random(using: &random) { _ = try await session.mailboxes() }
            if Bool.random(using: &random) {
                try await reader.step(session)
            } else {
                try await reader.round(session)
            }
        } catch {
            guard case .badAnswer? = error as? AccountError else {
                Issue.record(error)
                return
            }
        }
    }

    private static func mutation(of one: RemoteAddress, _ random: inout SeededRandom) -> RemoteMutation {
        let label = RemoteMailboxID(["INBOX", "One", "Two", "Two/Three"].randomElement(using: &random) ?? "")
        let isThere = one.feed == FeedID(GmailStore.allMail)
        let from = isThere ? gmailInbox : RemoteMailboxID(one.feed.rawValue)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return .setKeywords([one], add: [.seen, Keyword("mine")], remove: [.flagged])
        case 1: return .setKeywords([one], add: [.flagged], remove: [.seen])
        case 2: return .remove([one], from: from)
        case 3: return .move([one], from: from, to: isThere ? bin : label)
        case 4: return .move([one], from: from, to: MailboxDirectory.archiveID)
        case 5: return .move([one], from: from, to: label)
        case 6: return .destroy([one])
        default: return .add([one], to: label)
        }
    }

    private func compare(_ reader: FeedReader, _ server: GmailServer) throws {
        let box = reader.feed.rawValue
        let there = server.contents(of: box)
        let held = try reader.held.map { (try #require(MessageUID($0)?.uid), $1) }
        #expect(Set(held.map(\.0)) == Set(there.keys), "\(box)")
        for (uid, message) in held {
            guard let (labels, flags) = there[uid] else { continue }
            #expect(message.keywords == KeywordFlags.keywords(Array(flags)), "\(box) \(uid)")
            let expected = box == GmailStore.allMail ? Self.mailboxes(labels) : [RemoteMailboxID(box)]
            #expect(message.mailboxIDs == expected, "\(box) \(uid): \(labels)")
        }
    }

    private static func mailboxes(_ labels: Set<String>) -> Set<RemoteMailboxID> {
        var names = labels
        if names.remove("\\Inbox") != nil { names.insert("INBOX") }
        let isStarred = names.remove("\\Starred") != nil
        if names.isEmpty { names.insert("archive") }
        if isStarred { names.insert("[Gmail]/Starred") }
        return Set(names.map { RemoteMailboxID($0) })
    }
}

/// The other program: acts when it is told to, and between two commands of ours.
private final class OtherProgram: Sendable {
    private struct State {
        var random: SeededRandom
        var isActing = false
        var delivered = 0
        var gone: Set<String> = []
    }

    private let state: Mutex<State>
    private let server: Mutex<GmailServer?> = Mutex(nil)

    init(_ seed: UInt64) { state = Mutex(State(random: SeededRandom(seed &+ 1 << 32))) }

    var delivered: Int { state.withLock { $0.delivered } }
    /// Texts of messages that were deleted for good.
    var gone: Set<String> { state.withLock { $0.gone } }

    func begin(on server: GmailServer) {
        self.server.withLock { $0 = server }
        state.withLock { $0.isActing = true }
    }

    func stop() { state.withLock { $0.isActing = false } }
    func note(gone texts: [String]) { state.withLock { $0.gone.formUnion(texts) } }

    func interrupt() {
        if state.withLock({ $0.isActing && Int.random(in: 0..<10, using: &$0.random) == 0 }) { act() }
    }

    func deliver() {
        let number = state.withLock { state in
            state.delivered += 1
            return state.delivered
        }
        server.withLock { $0 }?.deliver(ServerInMemory.message(number))
    }

    func act() {
        guard let server = server.withLock({ $0 }) else { return }
        // Taken from, so that an action meanwhile uses others.
        var random = SeededRandom(state.withLock { $0.random.next() })
        let numbers = server.change { $0.numbers }
        guard let one = numbers.randomElement(using: &random) else { return deliver() }
        let adds = Bool.random(using: &random)
        let label = ["\\Inbox", "\\Starred", "One", "Two", "Two/Three"].randomElement(using: &random) ?? ""
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1: server.change { $0.setLabels([one], adds: adds, [label]) }
        case 2: server.change { $0.setLabels([one], adds: false, ["\\Inbox"]) }
        case 3: server.change { $0.setFlags([one], adds: adds, ["\\Seen", "own"]) }
        case 4: server.change { $0.put(one, into: GmailStore.trash) }
        case 5: server.change { $0.put(one, into: adds ? GmailStore.spam : "INBOX") }
        case 6: server.change { $0.renameQuietly("Two", to: "Four") }
        case 7: deliver()
        default:
            server.change { $0.put(one, into: GmailStore.trash) }
            note(gone: server.texts(in: GmailStore.trash))
            server.change { $0.remove([one], from: GmailStore.trash) }
        }
    }
}
