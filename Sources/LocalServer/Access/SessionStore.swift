import FoundationEssentials

/// The sessions of the page. They survive restarts, so that an open page keeps working.
struct SessionStore: Sendable {
    private struct Session: Codable, Sendable {
        var id: String
        var hash: Data
        var lastUsed: Date
    }

    private struct File: Codable {
        var sessions: [Session] = []
    }

    /// A session that is not used for so long has ended.
    static let lifetime: TimeInterval = 30 * 24 * 3600
    private static let most = 20

    private let file: PrivateFile<File>
    /// Sessions that could not be written, as on a full disk. They end with the program.
    private let unwritten = Unwritten<[Session]>([])
    private let now: @Sendable () -> Date

    init(folder: URL, now: @escaping @Sendable () -> Date = { .now }) {
        file = PrivateFile(folder.appending(path: "sessions.json"), empty: File())
        self.now = now
    }

    /// Begins a session; the secret is for the cookie.
    func begin() -> String {
        let secret = AccessSecret.make()
        let session = Session(
            id: Data(AccessSecret.hash(secret).prefix(6)).hex, hash: AccessSecret.hash(secret),
            lastUsed: now())
        let limit = now() - Self.lifetime
        do {
            try file.change { file in
                file.sessions.removeAll { $0.lastUsed < limit }
                file.sessions = file.sessions.suffix(Self.most - 1) + [session]
            }
        } catch {
            unwritten.value.withLock { $0 = $0.suffix(Self.most - 1) + [session] }
        }
        return secret
    }

    /// The id of the session with this secret; nil if there is none or it has ended.
    func session(for secret: String) throws(LocalServerError) -> String? {
        let hash = AccessSecret.hash(secret)
        let limit = now() - Self.lifetime
        var found: Session?
        for session in try file.read().sessions + unwritten.value.withLock({ $0 })
        where session.lastUsed >= limit && session.hash.isEqualInConstantTime(to: hash) {
            found = session
        }
        // Once a day is enough to know that it is used.
        if let found, now().timeIntervalSince(found.lastUsed) > 24 * 3600 { touch(found.id) }
        return found?.id
    }

    private func touch(_ id: String) {
        // If it cannot be noted, the session ends earlier; that is no reason to refuse.
        try? file.change { file in
            for index in file.sessions.indices where file.sessions[index].id == id {
                file.sessions[index].lastUsed = now()
            }
        }
    }
}
