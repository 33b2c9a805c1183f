import FoundationEssentials
import MailKernelAPI
import StoreRules

/// What a sender has sent.
package struct SenderSummary: Sendable, Hashable {
    /// In lower case.
    package let email: String
    /// The name in the newest message that has one.
    package var name: String?
    package var total = 0
    /// Of the last 90 days.
    package var recent = 0
    package var read = 0
    package var lastAt = Date.distantPast
    package var lastEmailID = Id<Email>("")

    /// Those whose name or address contains each word of a text.
    package static func matching(_ text: String, among all: [SenderSummary]) -> [SenderSummary] {
        let words = TextFolding.fold(text).split(whereSeparator: \.isWhitespace)
        guard !words.isEmpty else { return all }
        return all.filter { sender in
            let place = TextFolding.fold("\(sender.name ?? "") \(sender.email)")
            return words.allSatisfy { place.contains($0) }
        }
    }
}

/// The messages of an account by sender, without their contents.
struct SenderTally: Sendable {
    static let recentDays = 90.0

    private struct Message: Sendable {
        var sender: Int32
        var isSeen: Bool
        var receivedAt: Date
    }

    private struct Sender: Sendable {
        var email: String
        var name: String?
        var namedAt = Date.distantPast
    }

    /// The state of the account's emails that this is about.
    var state: State
    /// Mail that is only in these does not count.
    let left: Set<Id<Mailbox>>
    private var messages: [Id<Email>: Message] = [:]
    private var senders: [Sender] = []
    private var numbers: [String: Int32] = [:]

    init(state: State, without left: Set<Id<Mailbox>>) { (self.state, self.left) = (state, left) }

    var count: Int { messages.count }

    mutating func put(_ email: Email) {
        guard !email.mailboxIDs.isSubset(of: left), let from = email.header.from.first,
            from.email.contains("@")
        else {
            messages[email.id] = nil
            return
        }
        let number = number(of: from.email.lowercased())
        if let name = from.name, !name.isEmpty, email.receivedAt >= senders[Int(number)].namedAt {
            (senders[Int(number)].name, senders[Int(number)].namedAt) = (name, email.receivedAt)
        }
        messages[email.id] = Message(
            sender: number, isSeen: email.keywords.contains(.seen), receivedAt: email.receivedAt)
    }

    mutating func remove(_ id: Id<Email>) { messages[id] = nil }

    private mutating func number(of email: String) -> Int32 {
        if let known = numbers[email] { return known }
        let number = Int32(senders.count)
        senders.append(Sender(email: email))
        numbers[email] = number
        return number
    }

    /// - Parameter own: addresses of the user in lower case, which are left out.
    func summaries(at now: Date, besides own: Set<String>) -> [SenderSummary] {
        let recently = now.addingTimeInterval(-Self.recentDays * 86_400)
        var all = senders.map { SenderSummary(email: $0.email, name: $0.name) }
        for (id, message) in messages {
            let number = Int(message.sender)
            all[number].total += 1
            if message.isSeen { all[number].read += 1 }
            if message.receivedAt >= recently { all[number].recent += 1 }
            if (message.receivedAt, id) > (all[number].lastAt, all[number].lastEmailID) {
                (all[number].lastAt, all[number].lastEmailID) = (message.receivedAt, id)
            }
        }
        return all.filter { $0.total > 0 && !own.contains($0.email) }
    }

    /// All messages of a sender.
    func messages(from email: String) -> Set<Id<Email>> {
        guard let number = numbers[email] else { return [] }
        return Set(messages.lazy.filter { $0.value.sender == number }.map(\.key))
    }
}
