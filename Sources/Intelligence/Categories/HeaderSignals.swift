import FoundationEssentials
import MailKernelAPI

/// Facts about a message besides its text.
struct SignalContext: Sendable {
    /// In lower case.
    var ownAddress: String
    /// The user has written to this sender.
    var isKnownSender = false
    /// An email of the user's is in the thread.
    var isInOwnThread = false
    /// Labels in the header are the user's own: the message came from a file of theirs and not over a wire.
    var trustsLabels = false
}

/// How much speaks for each category. Every piece of evidence adds to one or several.
struct Evidence: Sendable, Equatable {
    static let categories: [EmailCategory] = [.primary, .social, .promotions, .updates, .forums]
    /// So far ahead that asking a model would change nothing.
    private static let decisiveLead = 3.0

    private(set) var scores = Evidence.categories.map { _ in 0.0 }
    /// Nothing else counts.
    private(set) var verdict: EmailCategory?

    mutating func add(_ weight: Double, _ category: EmailCategory) {
        guard let index = Self.categories.firstIndex(of: category) else { return }
        scores[index] += weight
    }

    mutating func decide(_ category: EmailCategory) { verdict = category }

    /// The best category; among equals, the first in the list.
    var best: EmailCategory {
        if let verdict { return verdict }
        var best = 0
        for index in scores.indices where scores[index] > scores[best] { best = index }
        return Self.categories[best]
    }

    var isDecisive: Bool {
        if verdict != nil { return true }
        let sorted = scores.sorted(by: >)
        return sorted[0] - sorted[1] >= Self.decisiveLead
    }
}

/// Sorts mail by what its header fields say of who sent it, and how: the evidence of mailing lists, mailers
/// and robots, which costs next to nothing and is hard to mistake.
enum HeaderSignals {
    static func evidence(
        _ email: Email, _ headers: [HeaderField], text: String, _ context: SignalContext
    ) -> Evidence {
        var evidence = Evidence()
        let sender = Sender(email.header)
        let fields = HeaderFacts(headers)
        if context.trustsLabels, let category = fields.labeled { evidence.decide(category) }
        if sender.address == context.ownAddress { evidence.decide(.primary) }
        guard evidence.verdict == nil else { return evidence }

        evidence.add(0.5, .primary)
        addSender(sender, isBulk: fields.isBulk, &evidence)
        addLists(fields, email.header, &evidence)
        addMailer(fields, &evidence)
        addAcquaintance(email, fields, sender, context, &evidence)
        CategoryWords.add(subject: email.header.subject ?? "", text: text, to: &evidence)
        return evidence
    }

    private static func addSender(_ sender: Sender, isBulk: Bool, _ evidence: inout Evidence) {
        if SenderNames.isSocial(sender.domain) { evidence.add(5, .social) }
        if sender.isNoReply {
            evidence.add(1.8, .updates)
            evidence.add(0.4, .promotions)
            evidence.add(0.4, .social)
            evidence.add(-2.5, .primary)
        }
        switch SenderNames.role(sender.local) {
        case .promotions:
            evidence.add(2.2, .promotions)
            evidence.add(-1.5, .primary)
        case .updates:
            evidence.add(1.6, .updates)
            evidence.add(-0.8, .primary)
        default: break
        }
        if SenderNames.freemail.contains(sender.domain), !isBulk { evidence.add(2, .primary) }
    }

    private static func addLists(
        _ fields: HeaderFacts, _ header: EmailHeader, _ evidence: inout Evidence
    ) {
        if fields.isDiscussion || fields.isList && header.isPartOfTalk {
            evidence.add(5, .forums)
            evidence.add(-1, .primary)
        } else if fields.isList {
            evidence.add(1, .promotions)
            evidence.add(1, .updates)
            evidence.add(0.8, .forums)
            evidence.add(-2, .primary)
        }
        if fields.canUnsubscribe, !fields.isDiscussion {
            evidence.add(1.2, .promotions)
            evidence.add(0.7, .updates)
            evidence.add(0.5, .social)
            evidence.add(-2, .primary)
        }
    }

    private static func addMailer(_ fields: HeaderFacts, _ evidence: inout Evidence) {
        if fields.isCampaign {
            evidence.add(1, .promotions)
            evidence.add(-1, .primary)
        }
        if fields.isPrecedenceBulk {
            evidence.add(0.6, .promotions)
            evidence.add(0.5, .updates)
            evidence.add(-1.2, .primary)
        }
        if fields.isGenerated {
            evidence.add(1.8, .updates)
            evidence.add(-1.2, .primary)
        }
    }

    private static func addAcquaintance(
        _ email: Email, _ fields: HeaderFacts, _ sender: Sender, _ context: SignalContext,
        _ evidence: inout Evidence
    ) {
        if context.isKnownSender { evidence.add(3, .primary) }
        if context.isInOwnThread { evidence.add(3, .primary) }
        guard !fields.isBulk, !sender.isNoReply else { return }
        evidence.add(1.2, .primary)
        if email.header.isPartOfTalk { evidence.add(1.5, .primary) }
    }
}

extension EmailHeader {
    /// It answers something.
    fileprivate var isPartOfTalk: Bool { !inReplyTo.isEmpty || !references.isEmpty }
}

/// Who sent a message, in pieces.
struct Sender: Sendable {
    /// In lower case.
    let address: String
    let local: Substring
    let domain: Substring

    init(_ header: EmailHeader) {
        address = (header.from.first?.email ?? header.sender.first?.email ?? "").lowercased()
        let at = address.lastIndex(of: "@") ?? address.endIndex
        local = address[..<at]
        domain = at < address.endIndex ? address[address.index(after: at)...] : ""
    }

    var isNoReply: Bool { SenderNames.isNoReply(local) }
}

/// What the header fields that lists, mailers and robots write say, read once.
struct HeaderFacts: Sendable {
    private(set) var isList = false
    /// A list that its members write to.
    private(set) var isDiscussion = false
    private(set) var canUnsubscribe = false
    private(set) var isPrecedenceBulk = false
    private(set) var isCampaign = false
    private(set) var isGenerated = false
    /// The category that Gmail's export names.
    private(set) var labeled: EmailCategory?

    var isBulk: Bool { isList || canUnsubscribe || isPrecedenceBulk || isCampaign || isGenerated }

    init(_ headers: [HeaderField]) {
        for field in headers {
            // No relevant name is longer, and a header can have any length.
            let name = field.name.utf8.count <= 40 ? field.name.lowercased() : ""
            switch name {
            case "list-id": isList = true
            case "list-post":
                let isClosed = field.value.lowercased().contains("no ") || field.value.hasSuffix("NO")
                isDiscussion = isDiscussion || !isClosed
            case "x-mailman-version", "x-google-group-id", "x-discourse-post-id", "x-listar-version":
                isDiscussion = true
            case "list-unsubscribe": canUnsubscribe = true
            case "list-unsubscribe-post": isCampaign = true
            case "precedence": readPrecedence(field.value)
            case "auto-submitted":
                isGenerated = isGenerated || field.value.lowercased().contains("auto-generated")
            case "x-auto-response-suppress": isGenerated = true
            case "x-gmail-labels": labeled = Self.category(in: field.value)
            default:
                if Self.campaignFields.contains(name) { isCampaign = true }
            }
        }
    }

    private mutating func readPrecedence(_ value: String) {
        let value = value.lowercased()
        if value.contains("bulk") || value.contains("junk") { isPrecedenceBulk = true }
        if value.contains("list") { isList = true }
    }

    private static func category(in labels: String) -> EmailCategory? {
        let labels = labels.prefix(4000).lowercased()
        let known: [(String, EmailCategory)] = [
            ("category personal", .primary), ("category social", .social),
            ("category promotions", .promotions), ("category updates", .updates),
            ("category forums", .forums),
        ]
        return known.first { labels.contains($0.0) }?.1
    }

    private static let campaignFields: Set<String> = [
        "x-campaign", "x-campaignid", "x-campaign-id", "x-mc-user", "x-mailer-campaign", "x-csa-complaints",
        "x-mailchimp-campaign", "x-sfmc-stack", "x-klaviyo-message-id", "x-cmail-recipientid",
    ]
}
