import FoundationEssentials
import Mail
import MailKernelAPI

/// What the service has carried out, and what follows from that here.
extension MutationPush {
    struct Applied {
        struct Move {
            let old: RemoteAddress
            let new: RemoteAddress
            /// Adding creates a second copy; the first one stays.
            let isCopy: Bool
        }

        /// The service's new names for messages.
        var moves: [Move] = []
        /// Where messages were moved to, it was not said under which name; nil for an archive that the service may
        /// just have made.
        var unnamedMoves: Set<RemoteMailboxID?> = []
    }

    func apply(_ mutations: [RemoteMutation]) async throws -> Applied {
        var applied = Applied()
        guard !mutations.isEmpty else { return applied }
        for (mutation, outcome) in zip(mutations, try await session.apply(mutations)) {
            guard case .done(let newIDs, _) = try Self.checked(outcome) else { continue }
            if case .move(let addresses, _, let target) = mutation,
                !addresses.allSatisfy({ newIDs[$0] != nil })
            {
                applied.unnamedMoves.insert(target)
            }
            if case .remove(let addresses, _) = mutation, !addresses.allSatisfy({ newIDs[$0] != nil }) {
                applied.unnamedMoves.insert(nil)
            }
            let isCopy = if case .add = mutation { true } else { false }
            applied.moves += newIDs.sorted { $0.key.id < $1.key.id }.map {
                Applied.Move(old: $0.key, new: $0.value, isCopy: isCopy)
            }
        }
        return applied
    }

    /// What the service's new names change here. Messages that were destroyed here while they moved are destroyed
    /// there, by their new names: else they would be read as new ones.
    func renaming(
        _ done: Applied, _ plan: MutationPlan, _ name: String
    ) async throws -> [StorageChange] {
        var changes: [StorageChange] = []
        var doomed: [RemoteAddress] = []
        for move in done.moves {
            let old = move.old
            let held = try await store.read.emailIDs(for: [old.id], feed: old.feed, in: account.id)
            if let email = held[old.id] {
                if !move.isCopy { changes.append(.removeRemote(old.id, feed: old.feed, in: account.id)) }
                let ref = RemoteRef(
                    emailID: email, accountID: account.id, feed: move.new.feed, remoteID: move.new.id)
                changes.append(.putRemote(ref))
            } else if let owner = plan.owners[old],
                try await store.read.emails([owner], in: account.id).isEmpty
            {
                doomed.append(move.new)
                changes.append(unnamed.settled(owner))
            }
        }
        if !doomed.isEmpty {
            changes.append(try queue.put(PendingChange(.destroy(doomed)), name: "P0" + name))
        }
        return changes
    }
}
