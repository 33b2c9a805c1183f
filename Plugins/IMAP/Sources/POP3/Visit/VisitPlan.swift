import FoundationEssentials
import LocalFolders
import MailKernelAPI

/// What a visit has to do, from what the server has and what is known here.
struct VisitPlan: Sendable, Equatable {
    /// Missing messages are remembered for so long: a server may have its mail back after a repair.
    private static let memory = 30 * 86_400.0
    /// So many at once, so that a server on which all sizes have changed is not asked for all headers.
    private static let mostDoubts = 500
    /// After so many visits that found nothing but new names, the server is believed to have none that last.
    private static let mostRenamings = 3

    /// Not known here yet, newest first.
    var new: [DropEntry] = []
    /// Known, but of another size now: perhaps another message.
    var doubtful: [DropEntry] = []
    /// To be deleted on the server.
    var leaving: [DropEntry] = []
    var changes: [OriginChange] = []

    /// - Throws: if the server gives its messages new names all the time.
    init(
        _ drop: Maildrop, _ origins: [String: Origin], _ leave: LeaveOnServer, renamings: Int = 0,
        at now: Date
    ) throws(AccountError) {
        for entry in drop.entries {
            guard let origin = origins[entry.name] else {
                new.append(entry)
                continue
            }
            if origin.missingSince != nil { changes.append(.missing(entry.name, since: nil)) }
            if Self.isLeaving(entry, origin, leave, now) {
                leaving.append(entry)
            } else if entry.size != origin.statedSize, doubtful.count < Self.mostDoubts {
                doubtful.append(entry)
            }
        }
        new.reverse()
        let isStranger = !new.isEmpty && new.count == drop.entries.count
        guard !isStranger || renamings < Self.mostRenamings else {
            throw .refused(
                "This POP3 server gives its messages new names at every visit, so mailkernel cannot tell which of "
                    + "them are new. Ask your provider for IMAP.")
        }
        let there = Set(drop.entries.map(\.name))
        for origin in origins.values where !there.contains(origin.name) {
            guard let since = origin.missingSince else {
                changes.append(.missing(origin.name, since: now))
                continue
            }
            if now.timeIntervalSince(since) > Self.memory { changes.append(.forgotten(origin.name)) }
        }
    }

    private static func isLeaving(
        _ entry: DropEntry, _ origin: Origin, _ leave: LeaveOnServer, _ now: Date
    ) -> Bool {
        guard origin.isWhole, !entry.isAmbiguous else { return false }
        return switch leave {
        case .always: false
        case .days(let days): now.timeIntervalSince(origin.fetchedAt) > Double(days) * 86_400
        case .untilDeleted: origin.isDeleted
        case .never: true
        }
    }
}
