public import FoundationEssentials

/// Links that open the page once. The running program makes one when it starts; `mailkernel open` makes
/// another, by the same file: who can write there is the user.
public struct StartLinks: Sendable {
    private struct Code: Codable, Sendable {
        var hash: Data
        var expires: Date
    }

    private struct File: Codable {
        /// Where the page of the running program is.
        var page: String?
        var codes: [Code] = []
    }

    static let lifetime: TimeInterval = 10 * 60
    private static let most = 20

    private let file: PrivateFile<File>
    private let now: @Sendable () -> Date

    /// - Parameter folder: the server's folder in the data folder.
    public init(folder: URL) {
        self.init(folder: folder, now: { .now })
    }

    init(folder: URL, now: @escaping @Sendable () -> Date) {
        file = PrivateFile(folder.appending(path: "start.json"), empty: File())
        self.now = now
    }

    /// The server runs here from now on; links made before are void.
    func begin(page: String) throws(LocalServerError) {
        try file.change { $0 = File(page: page) }
    }

    func end() throws(LocalServerError) {
        try file.change { $0 = File() }
    }

    /// Makes a link that is good once, for ten minutes; nil if the program does not run.
    public func make() throws(LocalServerError) -> String? {
        let code = AccessSecret.make()
        let expires = now() + Self.lifetime
        return try file.change { file in
            guard let page = file.page else { return nil }
            file.codes = file.codes.filter { $0.expires > now() }.suffix(Self.most - 1)
            file.codes.append(Code(hash: AccessSecret.hash(code), expires: expires))
            return "\(page)start?code=\(code)"
        }
    }

    /// Whether the code is good. It is not from then on.
    func redeem(_ code: String) throws(LocalServerError) -> Bool {
        let hash = AccessSecret.hash(code)
        // Nothing is written for a wrong code.
        guard try file.read().codes.contains(where: { $0.hash.isEqualInConstantTime(to: hash) }) else {
            return false
        }
        return try file.change { file in
            guard let index = file.codes.firstIndex(where: { $0.hash.isEqualInConstantTime(to: hash) }) else {
                return false
            }
            return file.codes.remove(at: index).expires > now()
        }
    }
}
