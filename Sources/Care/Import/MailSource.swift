import FoundationEssentials
import Mail
import MailKernelAPI

/// A message found in a file or folder, and its properties.
struct FoundMessage: Sendable {
    var bytes: Data
    /// The mailbox's name and those above it, outermost first; nil if the place says nothing.
    var place: [String]?
    var keywords: Set<Keyword>
    /// When it may have arrived; the most trustworthy first.
    var dates: [Date]
    /// Gmail's labels, as Takeout writes them; nil if there are none.
    var labels: [String]? = nil
    /// Where exactly it was, as an export by this program says; nil for mail from elsewhere.
    var targets: Set<ImportPlace.Target>? = nil
    /// When the file was last written.
    var fileDate: Date? = nil

    /// When it was received, as far as known: old mail must not appear above today's.
    func date(now: Date) -> Date {
        // An export comes back as it was.
        if targets != nil, let date = dates.first { return date }
        let plausible = PlausibleDate(now: now)
        return (dates + [fileDate].compactMap(\.self)).first(where: plausible.isPlausible) ?? now
    }
}

/// An item read from a source.
enum FoundItem: Sendable {
    case message(FoundMessage)
    /// A message that the program that wrote the file had deleted already.
    case deleted
    /// Something that should have been a message and could not be read, or a file that holds no mail.
    case failure(ImportFailure)
}

package struct ImportFailure: Sendable, Hashable, Codable {
    /// The file, and where in it.
    package var place: String
    package var reason: String

    /// - Parameter place: can be named after a file that anyone named.
    init(place: String, reason: String) {
        // It is printed to terminals, which obey control characters.
        let plain = place.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
        self.place = String(String.UnicodeScalarView(plain))
        self.reason = reason
    }
}

/// Mail in files: an mbox, a Maildir, or a folder with one file per message.
protocol MailSource: Sendable {
    /// Total number of bytes, for the progress.
    var size: Int { get }
    /// Bytes that were read so far.
    var position: Int { get }

    /// The next piece; nil at the end.
    mutating func next() throws -> FoundItem?
}

package enum ImportProblem: Error, Sendable, Hashable, CustomStringConvertible {
    case missing(String)
    case unreadable(String)
    case noMail(String, because: [ImportFailure])
    case noAccount
    /// Another computer looks after the account.
    case elsewhere
    case unknownAccount(String, known: [String])
    case severalAccounts([String])

    package var description: String {
        switch self {
        case .missing(let path): "“\(path)” does not exist."
        case .unreadable(let path): "“\(path)” cannot be read. Check its permissions."
        case .noMail(let path, let reasons): "There is no mail in “\(path)”\(Self.list(reasons))"
        case .elsewhere:
            "Another computer that uses this store looks after the account now. Import the mail there."
        case .noAccount: "No loaded plugin can keep mail on this device."
        case .severalAccounts(let addresses):
            "Mail can be imported into several accounts: \(addresses.joined(separator: ", ")). Choose one with "
                + "--account."
        case .unknownAccount(let address, let known) where known.isEmpty:
            "There is no account “\(address)” to import into. Omit --account to create one."
        case .unknownAccount(let address, let known):
            "There is no account “\(address)” to import into. Available: \(known.joined(separator: ", "))."
        }
    }

    private static func list(_ reasons: [ImportFailure]) -> String {
        guard !reasons.isEmpty else { return ". It is empty." }
        let named = reasons.prefix(20).map { "\($0.place): \($0.reason)" }.joined(separator: "; ")
        return ". \(named)\(reasons.count > 20 ? "; and \(reasons.count - 20) more" : "")."
    }
}

/// Finds out what a path holds.
enum MailSources {
    static func open(_ url: URL) throws -> any MailSource {
        guard DiskPath(url).resolved != nil else { throw ImportProblem.missing(url.path) }
        let source = try FolderSource(url)
        if let objections = source.objections() { throw ImportProblem.noMail(url.path, because: objections) }
        return source
    }
}
