import FoundationEssentials
import MailKernelAPI

/// Messages that are being sent, by Message-ID, on disk: after a lost answer or a restart, the same draft is sent and
/// not another one.
actor Attempts {
    enum Attempt: Sendable, Codable, Hashable {
        /// A draft is being made. Those that were there before are not it.
        case making(besides: [String])
        /// This draft may have been sent.
        case sending(String)
    }

    private static let most = 200

    private struct Kept: Codable {
        /// The oldest first.
        var order: [String] = []
        var all: [String: Attempt] = [:]
    }

    private let file: URL
    private var kept: Kept?

    /// - Parameter owner: whose account it is; part of the file's name.
    init(folder: URL, owner: String) {
        file = folder.appending(path: "sending-\(DeltaCursor.mark(owner.lowercased())).json")
    }

    func attempt(_ messageID: String) -> Attempt? { load().all[messageID] }

    /// On disk when this returns.
    func note(_ attempt: Attempt, for messageID: String) throws(AccountError) {
        var next = load()
        next.order.removeAll { $0 == messageID }
        next.order.append(messageID)
        next.all[messageID] = attempt
        while next.order.count > Self.most { next.all[next.order.removeFirst()] = nil }
        try save(next)
    }

    /// That it cannot be written means to look once more.
    func forget(_ messageID: String) {
        var next = load()
        guard next.all.removeValue(forKey: messageID) != nil else { return }
        next.order.removeAll { $0 == messageID }
        try? save(next)
    }

    func remove() { try? FileManager.default.removeItem(at: file) }

    private func load() -> Kept {
        if let kept { return kept }
        let read = (try? Data(contentsOf: file)).flatMap { try? JSONDecoder().decode(Kept.self, from: $0) }
        let kept = read ?? Kept()
        self.kept = kept
        return kept
    }

    private func save(_ next: Kept) throws(AccountError) {
        kept = next
        do {
            try JSONEncoder().encode(next).write(to: file, options: .atomic)
        } catch {
            throw .local(reason: "The plugin's folder cannot be written.")
        }
    }
}
