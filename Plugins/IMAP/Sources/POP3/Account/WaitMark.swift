import MailKernelAPI

/// The cursor of an account: that of the folder, and how often the kernel was asked for patience there. A cursor has to
/// move on while more is expected.
struct WaitMark: Sendable, Equatable {
    private static let separator: Character = "+"

    /// The folder's own.
    let cursor: SyncCursor?
    private let waits: Int

    init(_ cursor: SyncCursor?) {
        let parts = cursor?.rawValue.split(separator: Self.separator, maxSplits: 1) ?? []
        guard parts.count == 2, let waits = Int(parts[1]) else {
            (self.cursor, waits) = (cursor, 0)
            return
        }
        self.cursor = SyncCursor(rawValue: String(parts[0]))
        self.waits = max(0, waits)
    }

    /// The mark to come back with after waiting once more.
    func next(_ cursor: SyncCursor) -> SyncCursor {
        SyncCursor(rawValue: "\(cursor.rawValue)\(Self.separator)\(waits &+ 1)")
    }
}
