import FoundationEssentials
import MailKernelAPI

/// One message that is found in a file or folder, and what is known of it besides its bytes.
struct FoundMessage: Sendable {
    var bytes: Data
    /// The mailbox's name and those above it, outermost first; nil if the place says nothing.
    var place: [String]?
    var keywords: Set<Keyword>
    var receivedAt: Date?
    /// Gmail's labels, as Takeout writes them; nil if there are none.
    var labels: [String]? = nil
}

/// What is read of a source, piece by piece.
enum FoundItem: Sendable {
    case message(FoundMessage)
    /// Something that should have been a message and could not be read.
    case failure(ImportFailure)
}

public struct ImportFailure: Sendable, Hashable, Codable {
    /// The file, and where in it.
    public var place: String
    public var reason: String
}

/// Mail that lies in files: an mbox, a Maildir, or a folder with one file per message.
protocol MailSource: Sendable {
    /// Bytes in all, for the progress.
    var size: Int { get }
    /// Bytes that were read so far.
    var position: Int { get }

    /// The next piece; nil at the end.
    mutating func next() throws -> FoundItem?
}

public enum ImportProblem: Error, Sendable, Hashable, CustomStringConvertible {
    case missing(String)
    case unreadable(String)
    case noMail(String)
    case noAccount
    case unknownAccount(String, known: [String])
    case severalAccounts([String])

    public var description: String {
        switch self {
        case .missing(let path): "There is no “\(path)”."
        case .unreadable(let path): "“\(path)” cannot be read. Look at its permissions."
        case .noMail(let path):
            "There is no mail in “\(path)”: it is neither an mbox file, nor a Maildir, nor a folder with .eml files."
        case .noAccount: "No plugin that is loaded can keep mail on this device."
        case .severalAccounts(let addresses):
            "There are several accounts that mail can be imported into: \(addresses.joined(separator: ", ")). "
                + "Choose one with --account."
        case .unknownAccount(let address, let known) where known.isEmpty:
            "There is no account “\(address)” that mail can be imported into. Leave --account out to have one made."
        case .unknownAccount(let address, let known):
            "There is no account “\(address)” that mail can be imported into. There is: \(known.joined(separator: ", "))."
        }
    }
}

/// Finds out what a path holds.
enum MailSources {
    static func open(_ url: URL) throws -> any MailSource {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) else {
            throw ImportProblem.missing(url.path)
        }
        if attributes[.type] as? FileAttributeType == .typeDirectory {
            let folder = try FolderSource(url)
            guard !folder.isEmpty else { throw ImportProblem.noMail(url.path) }
            return folder
        }
        if url.pathExtension.lowercased() == "eml" { return try FolderSource(file: url) }
        return try MboxSource(url)
    }
}
