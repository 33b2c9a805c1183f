public import FoundationEssentials

/// Links that open the page once. The running program creates one at the start; `mailkernel open` creates
/// another through the same file: write access to it proves that it is the user.
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
    /// Links that could not be written, for example on a full disk; they open the page anyway.
    private let unwritten = Unwritten<File>(File())
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
        unwritten.value.withLock { $0 = File(page: page) }
        try file.change { $0 = File(page: page) }
    }

    /// Notes where the page is if that could not be done at the beginning.
    func note() throws(LocalServerError) {
        let page = unwritten.value.withLock { $0.page }
        try file.change { if $0.page != page { $0 = File(page: page) } }
    }

    func end() throws(LocalServerError) {
        unwritten.value.withLock { $0 = File() }
        try file.change { $0 = File() }
    }

    /// Makes a link that is good once, for ten minutes; nil if the program does not run.
    public func make() throws(LocalServerError) -> String? {
        let code = AccessSecret.make()
        let entry = Code(hash: AccessSecret.hash(code), expires: now() + Self.lifetime)
        let own = unwritten.value.withLock { $0.page }
        do {
            let page = try file.change { file in
                // Where the beginning could not be noted, it is now.
                file.page = own ?? file.page
                guard let page = file.page else { return String?.none }
                add(entry, to: &file)
                return page
            }
            return page.map { "\($0)start?code=\(code)" }
        } catch {
            guard let own else { throw error }
            unwritten.value.withLock { add(entry, to: &$0) }
            return "\(own)start?code=\(code)"
        }
    }

    private func add(_ entry: Code, to file: inout File) {
        file.codes = file.codes.filter { $0.expires > now() }.suffix(Self.most - 1) + [entry]
    }

    /// Whether the code is good. It is not from then on.
    func redeem(_ code: String) throws(LocalServerError) -> Bool {
        let hash = AccessSecret.hash(code)
        if let isGood = unwritten.value.withLock({ take(hash, from: &$0) }) { return isGood }
        // Nothing is written for a wrong code.
        guard try file.read().codes.contains(where: { $0.hash.isEqualInConstantTime(to: hash) }) else {
            return false
        }
        return try file.change { take(hash, from: &$0) ?? false }
    }

    /// Whether a code that is there is still good; nil if there is none.
    private func take(_ hash: Data, from file: inout File) -> Bool? {
        guard let index = file.codes.firstIndex(where: { $0.hash.isEqualInConstantTime(to: hash) }) else {
            return nil
        }
        return file.codes.remove(at: index).expires > now()
    }
}
