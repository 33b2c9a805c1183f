public import FoundationEssentials

/// The tokens of other mail programs. They are kept as hashes in one file, so that commands may change them
/// while the program runs and while it does not.
public struct TokenStore: Sendable {
    /// The properties of a token, without the token.
    public struct Entry: Codable, Sendable, Hashable {
        public var name: String
        public var created: Date
        public var isReadOnly: Bool
        /// It is good while the program is locked, too. Tokens of older versions do not say.
        public var worksWhileLocked: Bool?
        var hash: Data
    }

    private struct File: Codable {
        var tokens: [Entry] = []
    }

    private let file: PrivateFile<File>

    /// - Parameter folder: the configuration folder.
    public init(folder: URL) {
        file = PrivateFile(folder.appending(path: "tokens.json"), empty: File())
    }

    /// Makes a token. It is on disk, as a hash, when this returns; the token itself is nowhere but in the
    /// result.
    public func create(
        name: String, isReadOnly: Bool, worksWhileLocked: Bool = false
    ) throws(LocalServerError) -> String {
        guard Self.isName(name) else {
            throw .file(
                "“\(name)” is not a valid token name. Use 1 to 64 letters, digits, spaces, dots, dashes and "
                    + "underscores.")
        }
        let token = "mk_" + AccessSecret.make()
        try file.change { (file) throws(LocalServerError) in
            guard !file.tokens.contains(where: { $0.name == name }) else {
                throw .file(
                    "The token “\(name)” already exists. Choose another name, or revoke it first with "
                        + "“mailkernel token revoke”.")
            }
            file.tokens.append(
                Entry(
                    name: name, created: .now, isReadOnly: isReadOnly,
                    worksWhileLocked: worksWhileLocked ? true : nil, hash: AccessSecret.hash(token)))
        }
        return token
    }

    public func list() throws(LocalServerError) -> [Entry] {
        try file.read().tokens
    }

    /// The token is invalid when this returns.
    public func revoke(name: String) throws(LocalServerError) {
        try file.change { (file) throws(LocalServerError) in
            guard let index = file.tokens.firstIndex(where: { $0.name == name }) else {
                throw .file("There is no token “\(name)”. “mailkernel token list” lists the tokens.")
            }
            file.tokens.remove(at: index)
        }
    }

    /// The token with this text. Every entry is compared, and each in constant time.
    func entry(for token: String) throws(LocalServerError) -> Entry? {
        let hash = AccessSecret.hash(token)
        var found: Entry?
        for entry in try file.read().tokens where entry.hash.isEqualInConstantTime(to: hash) { found = entry }
        return found
    }

    private static func isName(_ name: String) -> Bool {
        (1...64).contains(name.unicodeScalars.count) && name.trimmed == name
            && name.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || $0.isASCIINameScalar }
    }
}

extension Unicode.Scalar {
    fileprivate var isASCIINameScalar: Bool { "0123456789 ._-".unicodeScalars.contains(self) }
}
