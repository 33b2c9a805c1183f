import FoundationEssentials
import MailKernelAPI
import Sieve
import Store

/// Where the rules of an account run: what the user wants, what this program has put at the service, and what it last found
/// there. Everything that is sent is recorded here first.
package struct ServiceRules: Codable, Sendable, Hashable {
    package static let dataType = DataType.documents(collection)
    static let collection = "service-rules"
    /// What our script is called at the service.
    package static let scriptName = "mailkernel"
    /// Digests that are remembered of texts that were put.
    private static let mostKnown = 50
    /// Seconds for which messages are expected to wait for their rules here.
    static let longestWait = 86_400.0

    /// A text that was put, or that may have been: it is recorded before it is sent.
    struct Put: Codable, Sendable, Hashable {
        var text: String
        /// The keys of the units here that run there, and what they are there.
        var units: [String]
        var forms: [String]
        /// When it was last sent.
        var at: Date?
        /// The units that an earlier text with this mark had as well. Messages from then may still wait for their rules,
        /// so for a while only these count.
        var before: [String]?

        func counted(at now: Date) -> [String] {
            guard let before, let at, now.timeIntervalSince(at) < ServiceRules.longestWait else {
                return units
            }
            return units.filter(before.contains)
        }
    }

    /// What the user agreed to, of what was found; each was a question of its own.
    struct Consent: Codable, Sendable, Hashable {
        /// The script with our name and the text with this digest may be replaced.
        var replaces: String?
        /// The script with this name may stop being the active one.
        var displaces: String?
    }

    /// What a check found at the service.
    package struct Found: Codable, Sendable, Hashable {
        package enum Question: Codable, Sendable, Hashable {
            /// There is a script with our name that another program wrote or changed.
            case replace(digest: String)
            /// Another script is active.
            case displace(name: String)
        }

        package let at: Date
        /// Nil if the service keeps no scripts.
        package var scripts: [RemoteScripts.Script]?
        /// Our text is the active one.
        package var isActive = false
        /// Our text is at the service.
        package var isThere = false
        /// There is a script with our name and another text.
        package var isForeign = false
        /// What the user has to decide before the rules can run at the service.
        package var question: Question?
        /// What each rule's place is, in the order of the script here.
        package var rules: [Rule] = []
        /// Why no rules can run at the service.
        package var obstacle: String?

        init(at date: Date) { at = date }
    }

    package struct Rule: Codable, Sendable, Hashable {
        package var title: String?
        package var isOff: Bool
        /// Why it runs here; nil if it can run at the service.
        package var reason: String?
    }

    /// Why checks fail, since when.
    package struct Failure: Codable, Sendable, Hashable {
        package var since: Date
        package var sentence: String
        var count: Int
    }

    /// Rules that can are to run at the service.
    package var isWanted = false
    /// By the mark on the messages that they have seen. Kept when the rules are back here, for messages from before.
    var puts: [String: Put] = [:]
    private(set) var known: [String] = []
    /// Something was sent, and no check has found since that it is not there.
    package private(set) var mayBeThere = false
    /// The script that was active before ours.
    package var previous: String?
    var consent = Consent()
    package var found: Found?
    package var failure: Failure?

    package init() {}

    package static func load(
        _ accountID: Id<Account>, from store: MailStore
    ) async throws(StorageError) -> ServiceRules {
        try await store.read.document(key(accountID))?.read(as: ServiceRules.self) ?? ServiceRules()
    }

    func change(in accountID: Id<Account>) throws -> StorageChange {
        .putDocument(Document(Self.key(accountID), value: try JSONValue(encoding: self)))
    }

    private static func key(_ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, "state", accountID: accountID)
    }

    /// What the user decides.
    struct Wish: Sendable, Hashable {
        var isWanted: Bool
        var consent: Consent
    }

    var wish: Wish { Wish(isWanted: isWanted, consent: consent) }

    /// There is something to do, or to watch.
    package var isBusy: Bool { isWanted || mayBeThere }

    // MARK: Texts

    /// Equal for texts that differ in the ends of their lines only, which servers may change.
    static func digest(_ text: String) -> String {
        let plain = text.replacing("\r\n", with: "\n")
        return "\(ShortName.of(plain))-\(plain.utf8.count)"
    }

    func isOurs(_ text: String) -> Bool { known.contains(Self.digest(text)) }

    func put(_ mark: ServiceMark) -> Put? { puts[mark.rawValue] }

    /// The mark that a text puts on messages; nil if none of ours.
    func mark(of text: String) -> ServiceMark? {
        ServiceMark.allCases.first { text.contains($0.flag) }
    }

    /// The mark for the next text: one that already means this, or else the one whose last use is the longest ago.
    func freeMark(for plan: ServicePlan, besides current: ServiceMark?) -> ServiceMark {
        let marks = ServiceMark.allCases.filter { $0 != current }
        if let same = marks.first(where: { put($0).map { $0.units == plan.units } ?? false }) { return same }
        if let unused = marks.first(where: { put($0) == nil }) { return unused }
        return marks.min { (put($0)?.at ?? .distantPast) < (put($1)?.at ?? .distantPast) } ?? .one
    }

    /// Records a text that is about to be sent.
    mutating func note(_ text: String, _ mark: ServiceMark, _ served: [ServedUnit], at now: Date) {
        var new = Put(text: text, units: served.map(\.key), forms: served.map(\.form), at: now)
        if let old = put(mark) {
            new.before = old.units == new.units ? old.before : unitsThatMayWait(old, mark, at: now)
        }
        puts[mark.rawValue] = new
        let digest = Self.digest(text)
        known = Array((known.filter { $0 != digest } + [digest]).suffix(Self.mostKnown))
        mayBeThere = true
    }

    /// What an earlier text may have done to messages that still wait; nil if none can wait any more.
    private func unitsThatMayWait(_ old: Put, _ mark: ServiceMark, at now: Date) -> [String]? {
        let sent = old.at ?? .distantPast
        let later = puts.compactMap { $0.key == mark.rawValue ? nil : $0.value.at }.filter { $0 > sent }
        if let end = later.min(), now.timeIntervalSince(end) >= Self.longestWait { return nil }
        return old.counted(at: now)
    }

    /// Nothing of ours is at the service.
    mutating func noteGone() {
        mayBeThere = false
        previous = nil
    }

    /// Another program changed our script: only what it has left of it counts as ours.
    mutating func noteForeign(_ text: String) {
        let plain = text.replacing("\r\n", with: "\n")
        let forms = (try? SieveScript(parsing: plain)).map { Set(ScriptUnit.all(in: $0).map(\.key)) } ?? []
        for mark in ServiceMark.allCases where text.contains(mark.flag) {
            guard var put = puts[mark.rawValue] else { continue }
            let kept = put.forms.indices.filter { forms.contains(put.forms[$0]) }
            (put.units, put.forms) = (kept.map { put.units[$0] }, kept.map { put.forms[$0] })
            puts[mark.rawValue] = put
        }
    }

    /// The keys of the units that have run at the service on a message with these keywords.
    func haveRun(on keywords: Set<Keyword>, at now: Date) -> Set<String> {
        var keys: Set<String> = []
        for mark in ServiceMark.allCases where keywords.contains(mark.keyword) {
            keys.formUnion(put(mark)?.counted(at: now) ?? [])
        }
        return keys
    }
}
