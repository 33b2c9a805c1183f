import FoundationEssentials
import MailKernelAPI

/// A message of the demo as one of its people has it.
struct DemoCopy: Sendable {
    let bytes: Data
    let place: Mailbox.Role
    let labels: [[String]]
    let keywords: Set<Keyword>
    let receivedAt: Date
}

/// Some weeks in the lives of two people who do not exist, up to now. The same for all but for
/// the dates: texts are chosen by numbers that only look random.
struct DemoWorld {
    static let weeks = 7

    let now: Date
    var random = DemoRandom(seed: 2_026)
    private(set) var letters: [DemoLetter] = []
    private var lastID = 0

    init(now: Date) {
        self.now = now
        addPersonalMail()
        addWorkMail()
        addMailingLists()
        addNewsletters()
        addInvitations()
        addPurchases()
        addNotices()
        addJunk()
        addDrafts()
    }

    static let people = DemoPerson.all.map { DemoContact($0) }
    static var mira: DemoContact { people.first ?? DemoContact("", "") }
    static var jonas: DemoContact { people.last ?? DemoContact("", "") }

    mutating func add(_ letter: DemoLetter) {
        // What would be in the future was not written yet.
        if letter.date <= now { letters.append(letter) }
    }

    mutating func newID(_ contact: DemoContact) -> String {
        lastID += 1
        let domain = contact.address.split(separator: "@").last ?? "demo.example"
        return "\(lastID).\(random.hexadecimal(10))@\(domain)"
    }

    /// A time of day at which people write, so many days ago.
    mutating func date(daysAgo: Int) -> Date {
        let minute = random.number(7 * 60...22 * 60)
        let midnight = (now.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400
        let date = Date(timeIntervalSince1970: midnight - Double(daysAgo) * 86_400 + Double(minute) * 60)
        return date <= now ? date : now - Double(random.number(5...300)) * 60
    }

    mutating func randomDay() -> Int {
        // More of late, as in any inbox.
        min(random.number(0...Self.weeks * 7), random.number(0...Self.weeks * 7))
    }

    /// New mail is often unread, old mail seldom.
    mutating func keywords(_ date: Date) -> Set<Keyword> {
        let days = now.timeIntervalSince(date) / 86_400
        var keywords: Set<Keyword> = random.chance(days < 1 ? 25 : days < 4 ? 70 : 96) ? [.seen] : []
        if random.chance(5) { keywords.insert(.flagged) }
        return keywords
    }

    /// What one of the two has, in the order of its coming.
    func mail(of person: DemoPerson) -> [DemoCopy] {
        let contact = DemoContact(person)
        let inOrder = letters.enumerated().sorted { $0.element.date < $1.element.date }
        return inOrder.compactMap { number, letter in
            guard let copy = letter.copy(for: contact) else { return nil }
            // Numbers of its own, so that all who have a message have the same bytes.
            var random = DemoRandom(seed: UInt64(number))
            let isOld = now.timeIntervalSince(letter.date) > 30 * 86_400
            let place = copy.place == .inbox && isOld && copy.keywords.contains(.seen) ? .archive : copy.place
            return DemoCopy(
                bytes: letter.bytes(&random), place: place,
                labels: [.inbox, .archive, .sent].contains(place) ? letter.labels : [],
                keywords: copy.keywords, receivedAt: letter.date)
        }
    }
}
