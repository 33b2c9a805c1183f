public import MailKernelAPI

/// A record that a commit changed.
public struct RecordChange: Sendable {
    /// What became of the record.
    public enum Kind: Int, Sendable {
        /// It is new.
        case created
        /// It was there and is different.
        case updated
        /// It is gone.
        case destroyed

        /// Nil if the record was not there before and is not now.
        public init?(wasThere: Bool, isThere: Bool) {
            switch (wasThere, isThere) {
            case (false, false): return nil
            case (false, true): self = .created
            case (true, false): self = .destroyed
            case (true, true): self = .updated
            }
        }
    }

    /// The type of the record.
    public var type: DataType
    /// The record's id.
    public var id: String
    /// What became of it.
    public var kind: Kind
    /// Of a mailbox: nothing but its counts.
    public var onlyCounts: Bool

    public init(type: DataType, id: String, kind: Kind, onlyCounts: Bool = false) {
        self.type = type
        self.id = id
        self.kind = kind
        self.onlyCounts = onlyCounts
    }
}

/// Makes the answer to `MailReader.changes` of single changes, each with its number.
///
/// The numbers behind states are those of single changes, so that the list can stop anywhere, also in the middle of a
/// commit.
public struct ChangeList {
    private struct Listed {
        var first: RecordChange.Kind
        var last: RecordChange.Kind
        var onlyCounts: Bool
    }

    private let limit: Int
    private var listed: [String: Listed] = [:]
    private var order: [String] = []
    private var reached: Int

    /// - Parameter limit: the most ids to list.
    public init(since number: Int, limit: Int) {
        self.limit = limit
        reached = number
    }

    /// Adds the next change; false once there is no room for it.
    public mutating func add(_ change: RecordChange, number: Int) -> Bool {
        if let known = listed[change.id] {
            listed[change.id] = Listed(
                first: known.first, last: change.kind, onlyCounts: known.onlyCounts && change.onlyCounts)
        } else {
            guard order.count < limit else { return false }
            listed[change.id] = Listed(first: change.kind, last: change.kind, onlyCounts: change.onlyCounts)
            order.append(change.id)
        }
        reached = number
        return true
    }

    /// - Parameter current: the number of the newest change there is.
    public func changes(current: Int, state: (Int) -> State) -> Changes {
        var answer = Changes(newState: state(reached), hasMoreChanges: reached < current)
        for id in order { listed[id].map { Self.add(id, $0, to: &answer) } }
        answer.onlyCounts =
            !answer.updated.isEmpty && answer.created.isEmpty && answer.destroyed.isEmpty
            && answer.updated.allSatisfy { listed[$0]?.onlyCounts ?? false }
        return answer
    }

    private static func add(_ id: String, _ listed: Listed, to answer: inout Changes) {
        switch (listed.first, listed.last) {
        case (.created, .destroyed): break
        case (.created, _): answer.created.append(id)
        case (_, .destroyed): answer.destroyed.append(id)
        default: answer.updated.append(id)
        }
    }
}
