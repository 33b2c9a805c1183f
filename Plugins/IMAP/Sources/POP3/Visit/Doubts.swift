import FoundationEssentials
import LocalFolders
import MailKernelAPI

/// Looks at the headers of messages that are about to be deleted on the server, or that have changed their size: whether
/// each is the one that is stored here under its name. Some servers give a name again to another message.
struct Doubts: Sendable {
    struct Verdict: Sendable, Equatable {
        /// Other messages under known names.
        var new: [DropEntry] = []
        var leaving: [DropEntry] = []
        var changes: [OriginChange] = []
    }

    private enum Identity: Equatable {
        case unknown
        case id(String?)
    }

    private static let largestHeader = 4 << 20

    private let plan: VisitPlan
    private let origins: [String: Origin]

    init(_ plan: VisitPlan, _ origins: [String: Origin]) {
        self.plan = plan
        self.origins = origins
    }

    func settle(_ connection: inout POP3Connection) async throws(AccountError) -> Verdict {
        var verdict = Verdict()
        for (entry, identity) in try await identities(of: plan.doubtful, &connection) {
            if isSame(entry, identity) ?? true {
                verdict.changes.append(.size(entry.name, entry.size))
            } else {
                verdict.new.append(entry)
            }
        }
        for (entry, identity) in try await identities(of: plan.leaving, &connection) {
            switch isSame(entry, identity) {
            case true?: verdict.leaving.append(entry)
            case false?: verdict.new.append(entry)
            case nil: break
            }
        }
        return verdict
    }

    /// Nil if it cannot be told.
    private func isSame(_ entry: DropEntry, _ identity: Identity) -> Bool? {
        guard let origin = origins[entry.name] else { return nil }
        let hasSize = entry.size == origin.statedSize
        switch identity {
        case .unknown: return hasSize ? true : nil
        case .id(let id):
            guard let id, let known = origin.messageID else { return hasSize }
            return id == known
        }
    }

    private func identities(
        of entries: [DropEntry], _ connection: inout POP3Connection
    ) async throws(AccountError) -> [(DropEntry, Identity)] {
        guard connection.capabilities.mayHaveTop else { return entries.map { ($0, .unknown) } }
        let isAhead = connection.capabilities.has("PIPELINING")
        var found: [(DropEntry, Identity)] = []
        for batch in entries.slices(of: DropVisit.batch) {
            if isAhead { try await connection.talk.say(batch.map { "TOP \($0.number) 0" }) }
            for entry in batch {
                if !isAhead { try await connection.talk.say("TOP \(entry.number) 0") }
                found.append((entry, try await identity(&connection.talk)))
            }
        }
        return found
    }

    private func identity(_ talk: inout POP3Talk) async throws(AccountError) -> Identity {
        let reply = try await talk.reply()
        guard reply.isOK else { return .unknown }
        var header = Data()
        let size = try await talk.message(upTo: Self.largestHeader) { bytes throws(AccountError) in
            header.append(bytes.prefix(max(0, KeptMail.headerLimit - header.count)))
        }
        guard size != nil else { throw .badAnswer("the header of a message has more than 4 MB") }
        return .id(KeptMail.messageID(in: header))
    }
}
