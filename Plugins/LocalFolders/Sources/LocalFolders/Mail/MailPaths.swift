import FoundationEssentials

/// The paths of one account's files; knows nothing of their content.
struct MailPaths: Sendable {
    let folder: String

    var index: String { folder + "/index.db" }
    var lock: String { folder + "/lock" }
    /// Grows with every change: who watches the account watches this file.
    var changes: String { folder + "/changes" }
    /// Room that is kept for a full disk: what the index and its log need for some hundred messages.
    var reserve: Reserve { Reserve(path: folder + "/reserve", size: 1 << 20) }
    var mail: String { folder + "/mail" }
    /// Messages on their way in. When the index knows one, it belongs into `mail`.
    var incoming: String { folder + "/incoming" }

    static let suffix = ".eml"

    func incoming(_ id: String) -> String { "\(incoming)/\(id)\(Self.suffix)" }
    /// 256 folders, so that none grows too large for other programs.
    func shelf(of id: String) -> String { "\(mail)/\(id.prefix(2))" }
    func message(_ id: String) -> String { "\(shelf(of: id))/\(id)\(Self.suffix)" }

    /// Opens a message; nil if it is not there.
    func open(_ id: String) throws(FolderError) -> OpenFile? {
        // It may be on its way from the one place to the other.
        for path in [message(id), incoming(id), message(id)] {
            if let file = try OpenFile.reading(path) { return file }
        }
        return nil
    }

    /// Names are random, so that a shelf fills evenly and no name is ever used again.
    static func newID() -> String {
        hexadecimal(UInt64.random(in: .min ... .max)) + hexadecimal(UInt64.random(in: .min ... .max))
    }

    /// The id in the name of a message's file; nil for another file.
    static func id(inName name: String) -> String? {
        guard name.hasSuffix(suffix) else { return nil }
        let id = name.dropLast(suffix.count)
        let isOurs =
            id.utf8.count == 32 && id.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
        return isOurs ? String(id) : nil
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
