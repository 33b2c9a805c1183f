import FoundationEssentials
import Synchronization

/// A server in memory that is to IMAP clients what Gmail is: the same capabilities, the same meaning of
/// labels, Trash and expunging, as its documentation and recorded sessions show them.
public final class GmailServer: Sendable {
    public static let capabilities =
        "IMAP4rev1 UNSELECT IDLE NAMESPACE QUOTA ID XLIST CHILDREN X-GM-EXT-1 UIDPLUS ENABLE MOVE CONDSTORE "
        + "ESEARCH UTF8=ACCEPT LIST-EXTENDED LIST-STATUS LITERAL- SPECIAL-USE APPENDLIMIT=35651584"

    public struct Settings: Sendable {
        public var capabilities = GmailServer.capabilities
        public var isToken: @Sendable (String) -> Bool = { $0 == "good" }
        public var mostConnections = 15
        /// How many messages one command processes, as servers with MESSAGELIMIT.
        public var messageLimit: Int?
        /// Said instead of what it would say to a command with this verb.
        public var answers: @Sendable (_ verb: String, _ tag: String, _ connection: Int) -> String? = {
            _, _, _ in nil
        }
        /// The same, with the command's arguments as text.
        public var answersWithArguments:
            @Sendable (_ verb: String, _ tag: String, _ arguments: String) -> String? = {
                _, _, _ in nil
            }

        public init() {}
    }

    let settings: Settings
    private let state = Mutex(GmailStore())
    private let sessions = Mutex<[Int: GmailSession]>([:])
    private let lastSession = Atomic(0)

    public init(_ settings: Settings = Settings()) {
        self.settings = settings
    }

    /// A new connection.
    public func session() -> any ServerSession {
        let number = lastSession.wrappingAdd(1, ordering: .relaxed).newValue
        let session = GmailSession(self, number: number)
        sessions.withLock { $0[number] = session }
        return session
    }

    public var connections: Int { sessions.withLock { $0.count } }
    func end(_ number: Int) { sessions.withLock { $0[number] = nil } }

    /// Changes the mail, and tells those who wait for news.
    @discardableResult
    public func change<Answer: Sendable>(_ body: (inout GmailStore) -> Answer) -> Answer {
        let answer = state.withLock { body(&$0) }
        let all = sessions.withLock { Array($0.values) }
        for session in all { session.tellNews() }
        return answer
    }

    /// Says something unasked on every connection.
    public func say(_ text: String) {
        for session in sessions.withLock({ Array($0.values) }) { session.say(text) }
    }

    func read<Answer: Sendable>(_ body: (GmailStore) -> Answer) -> Answer { state.withLock { body($0) } }

    /// Adds a message behind everybody's back.
    public func deliver(_ text: String, to mailbox: String = "INBOX", flags: Set<String> = []) {
        _ = change { store in
            store.append(
                Data(text.utf8), to: mailbox, flags: flags, date: Date(timeIntervalSince1970: 1_700_000_000))
        }
    }

    /// What a mailbox has, by UID: the labels and the flags.
    public func contents(of mailbox: String) -> [UInt32: (labels: Set<String>, flags: Set<String>)] {
        read { store in
            Dictionary(
                store.contents(mailbox).map { ($0.uids[mailbox] ?? 0, ($0.labels, $0.flags)) }
            ) { first, _ in first }
        }
    }

    /// The texts of a mailbox's messages, the oldest first.
    public func texts(in mailbox: String) -> [String] {
        read { store in store.contents(mailbox).map { String(decoding: $0.bytes, as: UTF8.self) } }
    }
}
