import FoundationEssentials
import MailKernelAPI
import MessageFormat
import Sieve

/// What scripts may ask about the program and the delivery of a message.
struct RuleHost: SieveHost {
    let now: Int
    let paths: MailboxPaths
    /// The names of `DuplicateMark`s that are remembered.
    let seen: Set<String>
    var searches: SearchJudges?
    var message: JudgedMessage?
    private let fields: [HeaderField]
    private let account: Account

    init(
        _ fields: [HeaderField], of account: Account, at date: Date, _ paths: MailboxPaths, seen: Set<String>
    ) {
        now = Int(date.timeIntervalSince1970)
        self.paths = paths
        self.seen = seen
        (self.fields, self.account) = (fields, account)
    }

    /// The addresses of the delivery, as far as the server wrote them into the message. Few scripts ask for them.
    var envelope: SieveEnvelope {
        func first(_ name: String) -> HeaderField? { fields.first { $0.name.lowercased() == name } }
        let recipient = (first("x-original-to") ?? first("delivered-to"))
            .flatMap { HeaderForm.addresses(of: $0.value).first?.email }
        return SieveEnvelope(from: Self.returnPath(fields), to: recipient ?? account.address)
    }

    /// Empty if nothing may be sent back; nil if unknown.
    static func returnPath(_ fields: [HeaderField]) -> String? {
        guard let field = fields.first(where: { $0.name.lowercased() == "return-path" }) else { return nil }
        return HeaderForm.addresses(of: field.value).first?.email ?? ""
    }

    func offset(at time: Int) -> Int {
        TimeZone.current.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time))) / 60
    }

    func mailboxExists(_ name: String) -> Bool { paths[name] != nil }

    func isDuplicate(_ mark: SieveDuplicateMark) -> Bool { seen.contains(DuplicateMark.name(mark)) }

    func search(_ name: String) -> SieveSearch {
        searches?.search(name, on: message) ?? .unusable("No message is known to search.")
    }

    func environment(_ item: String) -> String? {
        switch item {
        case "name": "mailkernel"
        case "location": "MUA"
        case "phase": "post"
        default: nil
        }
    }
}
