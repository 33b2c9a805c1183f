import FoundationEssentials
import MailKernelAPI

/// How far a mailbox has been read.
struct FeedCursor: Equatable, Sendable {
    var validity: UInt32
    /// All UIDs below have been looked at, or are among `pending`.
    var next: UInt32
    /// Changes up to here have been told; 0 where the server does not count them.
    var modSeq: UInt64
    /// How many messages there were below `next`.
    var exists: UInt32
    /// The day, counted from 1970, from which on messages were wanted; 0 for all.
    var sinceDay: Int
    /// The messages still to be read, newest first. Ascending within each range.
    var pending: [ClosedRange<UInt32>] = []
    /// A hash of the labels, if there are any: renaming one changes no message.
    var labels: UInt64 = 0
    /// Skipped messages that could not be read, the newest last; retried from time to time.
    var failed: [UInt32] = []
    /// The number of reports of changes that the server does not count: remembered flags are valid only if
    /// the kernel has stored the last report.
    var told: UInt64 = 0

    private static let version = "i1"
    private static let mostFailed = 100
    /// Each is a time that mail came in while older mail was still to be read.
    private static let mostPending = 100

    var isComplete: Bool { pending.isEmpty }
    var pendingSet: UIDSet { UIDSet(pending) }

    init(validity: UInt32, next: UInt32, modSeq: UInt64, exists: UInt32, sinceDay: Int) {
        self.validity = validity
        self.next = next
        self.modSeq = modSeq
        self.exists = exists
        self.sinceDay = sinceDay
    }

    static func day(_ since: Date?) -> Int {
        guard let seconds = since?.timeIntervalSince1970, seconds.isFinite else { return 0 }
        return Int(min(max(1, seconds / 86_400), 3_000_000))
    }

    /// Nil for a cursor that this version did not make.
    init?(_ cursor: SyncCursor) {
        let parts = cursor.rawValue.split(separator: ".", omittingEmptySubsequences: false)
        // An earlier version wrote neither labels nor failures, and the number of reports is omitted if it is
        // 0.
        guard [7, 9, 10].contains(parts.count), parts[0] == Self.version, let validity = UInt32(parts[1]),
            let next = UInt32(parts[2]), let modSeq = UInt64(parts[3]), let exists = UInt32(parts[4]),
            let sinceDay = Int(parts[5]), sinceDay >= 0
        else { return nil }
        self.init(validity: validity, next: next, modSeq: modSeq, exists: exists, sinceDay: sinceDay)
        for text in parts[6].split(separator: "_") {
            let ends = text.split(separator: "-").map { UInt32($0) ?? 0 }
            guard ends.count == 2, ends[0] > 0, ends[0] <= ends[1], pending.count < Self.mostPending else {
                return nil
            }
            pending.append(ends[0]...ends[1])
        }
        guard parts.count >= 9 else { return }
        guard let labels = UInt64(parts[7]) else { return nil }
        self.labels = labels
        failed = parts[8].split(separator: "_").compactMap { UInt32($0) }.suffix(Self.mostFailed)
        guard parts.count == 10 else { return }
        guard let told = UInt64(parts[9]) else { return nil }
        self.told = told
    }

    var cursor: SyncCursor {
        let ranges = pending.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: "_")
        let failed = failed.map { "\($0)" }.joined(separator: "_")
        return SyncCursor(
            rawValue: "\(Self.version).\(validity).\(next).\(modSeq).\(exists).\(sinceDay).\(ranges)"
                + ".\(labels).\(failed)" + (told > 0 ? ".\(told)" : ""))
    }

    /// Extends the cursor to new messages: all UIDs below `next`.
    mutating func extend(to next: UInt32) {
        guard next > self.next else { return }
        if pending.count + 1 >= Self.mostPending, let last = pending.popLast(), let before = pending.popLast()
        {
            pending.append(min(last.lowerBound, before.lowerBound)...max(last.upperBound, before.upperBound))
        }
        pending.insert(self.next...(next - 1), at: 0)
        self.next = next
    }

    /// Everything below `next` is to be looked through once more.
    mutating func restart() {
        pending = next > 1 ? [1...(next - 1)] : []
    }

    /// Schedules failed messages for another attempt, as far as the cursor has room.
    mutating func takeUpFailed() {
        for uid in failed.reversed() {
            let with = pendingSet.union(UIDSet([uid])).ranges
            guard with.count < Self.mostPending else { break }
            pending = with.reversed()
            failed.removeAll { $0 == uid }
        }
    }

    /// Records a skipped message.
    mutating func passBy(_ uid: UInt32) {
        failed = (failed.filter { $0 != uid } + [uid]).suffix(Self.mostFailed)
    }

    /// Marks all messages from `uid` as read.
    mutating func finish(from uid: UInt32) {
        pending = pending.compactMap { range in
            if range.lowerBound >= uid { return nil }
            return range.upperBound >= uid ? range.lowerBound...(uid - 1) : range
        }
    }
}
