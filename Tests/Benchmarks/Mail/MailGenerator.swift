import FoundationEssentials
import MailKernelAPI
import TestSupport

/// Makes a mailbox as people have them: conversations, notifications and newsletters in several
/// languages, with labels, flags and attachments. The same seed makes the same mail, and any message can
/// be made without those before it, so a mailbox of any size takes no room.
struct MailGenerator: Sendable {
    enum Kind {
        case personal, notification, newsletter
    }

    static let account = Id<Account>("bench")
    static let interval = 1_500.0
    /// The moment of the last message, whatever their number.
    private static let end = 1_790_000_000.0

    let count: Int
    private let seed: UInt64

    init(count: Int, seed: UInt64 = 20_260_301) {
        self.count = count
        self.seed = seed
    }

    /// Message `number` of `count`, the oldest being 0.
    func message(_ number: Int) -> GeneratedMessage {
        let skeleton = skeleton(number)
        var random = random(number, 1)
        let root = skeleton.chain.last.map(self.skeleton) ?? skeleton
        let language = root.language
        var writer = MessageWriter(language: language, random: random)
        let text: String
        switch skeleton.kind {
        case .personal: text = writer.letter(quoting: skeleton.chain.first.map { _ in root.language })
        case .notification: text = writer.text(words: writer.length(median: 80, widest: 4))
        case .newsletter: text = writer.text(words: writer.length(median: 380, widest: 5))
        }
        random = self.random(number, 2)
        let sender = sender(number, skeleton.kind, language)
        return GeneratedMessage(
            number: number, date: date(number), kind: skeleton.kind, subject: subject(root, skeleton),
            from: sender, to: recipients(number, language), messageID: messageID(number),
            references: skeleton.chain.reversed().map(messageID), text: text,
            isRich: skeleton.kind != .personal || random.next() % 3 == 0,
            hasAttachment: random.next() % 12 == 0, labels: labels(number, skeleton.kind, &random),
            keywords: keywords(number, &random))
    }

    func date(_ number: Int) -> Date {
        var random = random(number, 3)
        let jitter = Double.random(in: 0..<(Self.interval * 0.9), using: &random)
        return Date(timeIntervalSince1970: Self.end - Double(count - number) * Self.interval + jitter)
    }

    private func messageID(_ number: Int) -> String {
        "\(String(random(number, 4).state(), radix: 36))@mail.example"
    }

    private func random(_ number: Int, _ purpose: UInt64) -> SeededRandom {
        SeededRandom(seed &+ UInt64(number) &* 0x9e37_79b9 &+ purpose << 48)
    }
}

// MARK: Conversations

extension MailGenerator {
    private struct Skeleton {
        var number: Int
        var kind: Kind
        var language: Language
        /// What it answers, that one's parent, and so on to the first message.
        var chain: [Int]
    }

    private func skeleton(_ number: Int) -> Skeleton {
        var random = random(number, 5)
        let kind = kind(number)
        var chain: [Int] = []
        var last = number
        while kind == .personal, chain.count < 40, let parent = parent(last) {
            chain.append(parent)
            last = parent
        }
        var share = Int.random(in: 0..<100, using: &random)
        let language = Language.all.first { entry in
            share -= entry.share
            return share < 0
        }
        return Skeleton(
            number: number, kind: kind, language: language?.language ?? Language.all[0].language, chain: chain
        )
    }

    private func kind(_ number: Int) -> Kind {
        switch random(number, 6).state() % 100 {
        case 0..<48: .personal
        case 48..<78: .notification
        default: .newsletter
        }
    }

    /// Most answers come soon; some after weeks.
    private func parent(_ number: Int) -> Int? {
        var random = random(number, 7)
        guard random.next() % 100 < 68 else { return nil }
        let distance = Int((Double.random(in: 0..<6.2, using: &random)).exponential)
        let parent = number - distance
        return parent >= 0 && kind(parent) == .personal ? parent : nil
    }

    private func subject(_ root: Skeleton, _ message: Skeleton) -> String {
        var writer = MessageWriter(language: root.language, random: random(root.number, 8))
        var subject = writer.words(3 + root.number % 5)
        if message.kind == .newsletter, message.number % 3 == 0 { subject = "🎉 " + subject + " 👋🏽" }
        if message.kind == .notification { subject += " #\(message.number % 9_973)" }
        return message.chain.isEmpty ? subject : "Re: " + subject
    }
}

// MARK: People, labels, flags

extension MailGenerator {
    private func sender(_ number: Int, _ kind: Kind, _ language: Language) -> EmailAddress {
        var random = random(number, 9)
        // A few people write most of the mail.
        let rank = Int((Double.random(in: 0..<1, using: &random) * 7.6).exponential)
        switch kind {
        case .personal: return Self.person(rank, language)
        case .notification:
            return EmailAddress(name: "Service \(rank % 90)", email: "noreply@service\(rank % 90).example")
        case .newsletter:
            return EmailAddress(name: "News \(rank % 200)", email: "news@list\(rank % 200).example")
        }
    }

    static func person(_ rank: Int, _ language: Language) -> EmailAddress {
        var random = SeededRandom(UInt64(rank) &* 77 &+ UInt64(language.tag.utf8.first ?? 0))
        let name = language.name(&random)
        return EmailAddress(name: "\(name) \(rank)", email: "person\(rank).\(language.tag)@people.example")
    }

    private func recipients(_ number: Int, _ language: Language) -> [EmailAddress] {
        var random = random(number, 10)
        let me = EmailAddress(name: "Me", email: "me@bench.example")
        guard random.next() % 4 == 0 else { return [me] }
        return [me]
            + (0..<Int.random(in: 1...4, using: &random)).map { _ in
                Self.person(Int.random(in: 1..<1_900, using: &random), language)
            }
    }

    private func labels(_ number: Int, _ kind: Kind, _ random: inout SeededRandom) -> [String] {
        var labels: [String] = []
        let isRecent = number > count - count / 10
        if random.next() % 100 < (isRecent ? 60 : 25) { labels.append("inbox") }
        if random.next() % 100 < 30 { labels.append("label\(random.next() % 12)") }
        if kind == .personal, random.next() % 4 == 0 { labels.append("sent") }
        if random.next() % 50 == 0 { return ["trash"] }
        if kind == .newsletter, random.next() % 20 == 0 { return ["junk"] }
        return labels + ["all"]
    }

    private func keywords(_ number: Int, _ random: inout SeededRandom) -> [Keyword] {
        var keywords: [Keyword] = []
        if random.next() % 100 < (number > count - 500 ? 60 : 90) { keywords.append(.seen) }
        if random.next() % 100 < 8 { keywords.append(.answered) }
        if random.next() % 100 < 3 { keywords.append(.flagged) }
        return keywords
    }
}

extension SeededRandom {
    /// The first number of a stream.
    fileprivate func state() -> UInt64 {
        var copy = self
        return copy.next()
    }
}
