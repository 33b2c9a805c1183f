import FoundationEssentials
import MailKernelAPI

/// A person who writes or is written to in the demo.
struct DemoContact: Hashable {
    let name: String
    let address: String

    init(_ name: String, _ address: String) {
        self.name = name
        self.address = address
    }

    init(_ person: DemoPerson) {
        self.init(person.name, person.address.text)
    }

    var header: String {
        let isPlain = name.utf8.allSatisfy { $0 < 128 && !",.:;<>@\"()".utf8.contains($0) }
        let isASCII = name.utf8.allSatisfy { $0 < 128 }
        return (isPlain || !isASCII ? name : "\"\(name)\"") + " <\(address)>"
    }

    /// As one signs: titles alone would be none.
    var firstName: String {
        let first = String(name.split(separator: " ").first ?? "")
        return ["Frau", "WG", "Dr."].contains(first) ? name : first
    }
}

/// One message of the demo, before anybody has it.
struct DemoLetter {
    var from: DemoContact
    var to: [DemoContact]
    var cc: [DemoContact] = []
    var subject: String
    var date: Date
    var id: String
    /// The messages before it in its conversation, the oldest first.
    var references: [String] = []
    var headers: [(String, String)] = []
    var body: DemoPart
    /// Where it is for those who received it.
    var place: Mailbox.Role = .inbox
    /// The user's own mailboxes that it is in too, by their names from the top.
    var labels: [[String]] = []
    var keywords: Set<Keyword> = []
    /// Comes to all who are named, as on a mailing list, though To says otherwise.
    var alsoFor: [DemoContact] = []

    /// The whole message.
    func bytes(_ random: inout DemoRandom) -> Data {
        var text = MailText()
        text.field("From", from.header)
        addresses("To", to, &text)
        if !cc.isEmpty { addresses("Cc", cc, &text) }
        text.field("Subject", subject)
        text.field("Date", MailDate.text(date))
        text.line("Message-ID: <\(id)>")
        if let last = references.last {
            text.line("In-Reply-To: <\(last)>")
            text.line("References: " + references.suffix(10).map { "<\($0)>" }.joined(separator: "\r\n "))
        }
        for (name, value) in headers { text.field(name, value) }
        text.line("MIME-Version: 1.0")
        var data = text.data
        body.write(into: &data, &random)
        return data
    }

    private func addresses(_ name: String, _ contacts: [DemoContact], _ text: inout MailText) {
        text.line("\(name): " + contacts.map { EncodedWords.text($0.header) }.joined(separator: ",\r\n "))
    }

    /// Where a person has it; nil if she does not.
    func copy(for person: DemoContact) -> (place: Mailbox.Role, keywords: Set<Keyword>)? {
        if place == .drafts { return from == person ? (.drafts, [.draft, .seen]) : nil }
        if from == person { return (.sent, keywords.union([.seen]).subtracting([.flagged])) }
        guard (to + cc + alsoFor).contains(person) else { return nil }
        return (place, keywords)
    }
}
