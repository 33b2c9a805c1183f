public import FoundationEssentials

/// Made-up messages of five languages and five kinds, each with the category that a person would put it in: to
/// measure how well mail is sorted. The same at every run.
///
/// Headers are as such mail has them, with what is missing in practice missing here too: a shop without a
/// way to unsubscribe, a list that says nothing of itself, an unknown network.
public struct LabeledMail: Sendable {
    public var message: Data
    /// `primary`, `social`, `promotions`, `updates` or `forums`.
    public var category: String
    public var language: String

    public static let all: [LabeledMail] = {
        var random = SeededRandom(20_261_121)
        return LabeledTexts.all.flatMap { text in
            (0..<variants).map { LabeledMail(text, variant: $0, &random) }
        }
    }()

    private static let variants = 4

    private init(_ text: LabeledText, variant: Int, _ random: inout SeededRandom) {
        category = text.category
        language = text.language
        let sender = LabeledSenders.sender(for: text, &random)
        func filled(_ template: String) -> String {
            var result = template
            for (mark, choices) in LabeledTexts.slots {
                while let range = result.range(of: mark) {
                    result.replaceSubrange(range, with: choices.randomElement(using: &random) ?? "")
                }
            }
            return result
        }
        var lines = [
            "From: \(sender.name) <\(sender.address)>", "To: ada@example.net",
            "Subject: \(filled(text.subject))",
            "Message-ID: <\(random.next())@\(sender.address.split(separator: "@").last ?? "x")>",
            "Date: Tue, 14 Nov 2023 10:00:00 +0000", "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit",
        ]
        lines += LabeledSenders.headers(for: text.category, variant: variant, sender, &random)
        let signature = text.category == "primary" ? "\r\n\r\n-- \r\n\(sender.name)" : ""
        let content = lines.joined(separator: "\r\n") + "\r\n\r\n" + filled(text.body) + signature + "\r\n"
        message = Data(content.utf8)
    }
}

struct LabeledText: Sendable {
    var language: String
    var category: String
    var subject: String
    var body: String
}

/// Who sends such mail, and with which header fields.
enum LabeledSenders {
    struct Sender {
        var name: String
        var address: String
    }

    static func sender(for text: LabeledText, _ random: inout SeededRandom) -> Sender {
        func one(_ choices: [String]) -> String { choices.randomElement(using: &random) ?? "" }
        let first = one([
            "Marta", "Jonas", "Claire", "Luca", "Sofia", "Peter", "Elena", "Tom", "Nadia", "Felix",
        ])
        let last = one(["Keller", "Moreau", "Ruiz", "Conti", "Smith", "Novak", "Berger", "Lopez", "Ward"])
        let person = "\(first.lowercased()).\(last.lowercased())"
        switch text.category {
        case "primary":
            let domain = one([
                "gmail.com", "gmx.de", "orange.fr", "libero.it", "acme.example", "uni.example",
                "praxis.example",
                "steuer.example",
            ])
            return Sender(name: "\(first) \(last)", address: "\(person)@\(domain)")
        case "social":
            let network = one([
                "facebookmail.com", "linkedin.com", "mail.instagram.com", "pinterest.com", "circles.example",
                "kumpel.example", "mastodon.example",
            ])
            return Sender(
                name: one(["\(first) \(last)", "Circles", "Kumpel", "Notifications"]),
                address: "\(one(["notify", "no-reply", "invitations", "hello"]))@\(network)")
        case "promotions":
            let shop = one([
                "mode.example", "shop.example", "reisen.example", "libros.example", "casa.example",
            ])
            return Sender(
                name: one(["Mode & More", "The Shop", "Reisewelt", "Libros", "Casa Bella"]),
                address:
                    "\(one(["newsletter", "news", "hello", "info", "offers", "contact", "marketing"]))@\(shop)"
            )
        case "updates":
            let firm = one([
                "bank.example", "bahn.example", "versand.example", "telecom.example", "energie.example",
                "hotel.example", "git.example",
            ])
            return Sender(
                name: one(["Kundenservice", "Service client", "Your Bank", "Atención al cliente", "Support"]),
                address:
                    "\(one(["no-reply", "noreply", "service", "billing", "info", "orders", "support"]))@\(firm)"
            )
        default:
            let domain = one([
                "gmail.com", "web.de", "free.fr", "lists.example", "forum.example", "verein.example",
            ])
            return Sender(name: "\(first) \(last)", address: "\(person)@\(domain)")
        }
    }

    static func headers(
        for category: String, variant: Int, _ sender: Sender, _ random: inout SeededRandom
    ) -> [String] {
        let host = String(sender.address.split(separator: "@").last ?? "x")
        let unsubscribe = "List-Unsubscribe: <https://\(host)/u/\(random.next() % 10_000)>"
        switch (category, variant) {
        case ("primary", 1): return ["In-Reply-To: <\(random.next())@example.net>"]
        case ("primary", 2): return ["X-Mailer: Apple Mail (2.3774)"]
        case ("primary", _): return []
        case ("social", 0): return [unsubscribe, "X-Auto-Response-Suppress: All"]
        case ("social", 1): return [unsubscribe, "List-Unsubscribe-Post: List-Unsubscribe=One-Click"]
        case ("social", 2): return [unsubscribe, "Precedence: bulk"]
        case ("social", _): return []
        case ("promotions", 0):
            return [unsubscribe, "List-Unsubscribe-Post: List-Unsubscribe=One-Click", "X-MC-User: 7f"]
        case ("promotions", 1): return [unsubscribe, "Precedence: bulk"]
        case ("promotions", 2): return [unsubscribe, "List-Id: <customers.\(host)>"]
        case ("promotions", _): return []
        case ("updates", 0): return ["Auto-Submitted: auto-generated"]
        case ("updates", 1): return [unsubscribe]
        case ("updates", 2): return ["Precedence: bulk", "X-Auto-Response-Suppress: OOF"]
        case ("updates", _): return []
        case ("forums", 0):
            return [
                "List-Id: <talk.lists.example>", "List-Post: <mailto:talk@lists.example>", unsubscribe,
                "Precedence: list",
            ]
        case ("forums", 1):
            return ["List-Id: <members.verein.example>", "X-Mailman-Version: 2.1.39", "Precedence: list"]
        case ("forums", 2):
            return ["List-Id: <forum.example>", unsubscribe, "In-Reply-To: <\(random.next())@forum.example>"]
        default: return ["Precedence: list"]
        }
    }
}
