import Mail
import MailKernelAPI
import Sieve
import Store

/// Changes of saved searches, which rules may use.
package struct SearchUses: Sendable {
    /// Why a saved search stays as it is: a sentence.
    package struct Refusal: Error {
        package let sentence: String
    }

    let store: MailStore
    let scripts: UserScripts

    /// Keeps a search in place of its old version. What rules could then not use is refused.
    package func change(_ old: SavedSearch, to new: SavedSearch) async throws {
        try await committing([try new.change]) {
            for use in try await uses(of: old) {
                guard new.id == use.name || new.name == old.name else {
                    throw Refusal(
                        sentence: "The script “\(use.script)” uses this search by its name. "
                            + "Change the script before you rename the search.")
                }
                guard new.text != old.text else { continue }
                let searches = try await RuleSearches(in: use.accountID, at: scripts.clock.now, store)
                do throws(RuleSearches.Unusable) {
                    _ = try searches.judge(new)
                } catch {
                    throw Refusal(sentence: "\(use.title) uses this search. \(error.sentence)")
                }
            }
        }
    }

    /// Deletes a search, unless a rule uses it.
    package func remove(_ search: SavedSearch) async throws {
        try await committing([SavedSearches.removal(of: search.id)]) {
            guard let use = try await uses(of: search).first else { return }
            throw Refusal(
                sentence: "\(use.title) uses this search. Change the rule before you delete the search.")
        }
    }

    private struct Use {
        let accountID: Id<Account>
        let script: String
        let rule: String?
        let name: String

        /// The rule by its name, or the script.
        var title: String { rule.map { "The rule “\($0)”" } ?? "The script “\(script)”" }
    }

    /// Where scripts use a search, also those that are not active.
    private func uses(of search: SavedSearch) async throws -> [Use] {
        var uses: [Use] = []
        for account in try await store.read.accounts() {
            for script in try await scripts.all(in: account.id) {
                guard let loaded = try? LoadedScript(script.text, named: script.name) else { continue }
                for use in loaded.source.savedSearches
                where use.name == search.id || use.name.lowercased() == search.name.lowercased() {
                    let rule = use.position.flatMap { loaded.title(at: $0) }
                    uses.append(
                        Use(accountID: account.id, script: script.name, rule: rule, name: use.name))
                }
            }
        }
        return uses
    }

    /// Commits unless a script was changed since it was looked at.
    private func committing(
        _ changes: [StorageChange], after check: () async throws -> Void
    ) async throws {
        while true {
            try Task.checkCancellation()
            var unchanged: [ChangeSet.Precondition] = []
            for account in try await store.read.accounts() {
                let state = try await store.read.state(of: UserScripts.dataType, in: account.id)
                unchanged.append(.init(UserScripts.dataType, in: account.id, is: state))
            }
            try await check()
            do {
                try await store.commit(changes, preconditions: unchanged)
                return
            } catch StorageError.stateMismatch {
                // A script was changed meanwhile.
            }
        }
    }
}
