import FoundationEssentials
import Mail
import MailKernelAPI
import Sieve
import Store

/// Keeps the scripts of accounts.
package struct UserScripts: Sendable {
    package static let dataType = DataType.documents(ScriptBlob.collection)
    package static let most = 50
    /// Bytes of a script.
    package static let maxSize = 262_144
    /// Bytes of a name.
    package static let maxName = 512

    let store: MailStore
    let ids: IDMaker
    let clock: any HostClock

    /// By name.
    package func all(in accountID: Id<Account>) async throws(StorageError) -> [UserScript] {
        try await store.allDocuments(in: ScriptBlob.collection, accountID: accountID)
            .compactMap { $0.read(as: UserScript.self) }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    package func active(in accountID: Id<Account>) async throws(StorageError) -> UserScript? {
        try await all(in: accountID).first(where: \.isActive)
    }

    /// Adds a script, which is not active.
    ///
    /// - Parameter name: nil for one that is free.
    package func create(
        name: String?, text: String, isActive: Bool = false, in accountID: Id<Account>
    ) async throws -> UserScript {
        let id = ids.text("s")
        try await edit(in: accountID) { scripts in
            if isActive { for index in scripts.indices { scripts[index].isActive = false } }
            scripts.append(
                UserScript(id: id, name: name ?? Self.free(scripts), text: text, isActive: isActive))
        }
        guard let made = try await all(in: accountID).first(where: { $0.id == id }) else {
            throw StorageError.notFound("a script that was just created")
        }
        return made
    }

    package func update(
        _ id: String, in accountID: Id<Account>, _ change: @Sendable (inout UserScript) throws -> Void
    ) async throws {
        try await edit(in: accountID) { scripts in
            guard let index = scripts.firstIndex(where: { $0.id == id }) else { throw Self.notFound }
            try change(&scripts[index])
        }
    }

    package func destroy(_ id: String, in accountID: Id<Account>) async throws {
        try await edit(in: accountID) { scripts in
            guard let index = scripts.firstIndex(where: { $0.id == id }) else { throw Self.notFound }
            guard !scripts[index].isActive else {
                throw ScriptProblem(
                    kind: .isActive, sentence: "This script is active. Deactivate it before you delete it.")
            }
            scripts.remove(at: index)
        }
    }

    /// Makes a script the active one, or none.
    package func activate(_ id: String?, in accountID: Id<Account>) async throws {
        try await edit(in: accountID) { scripts in
            guard id == nil || scripts.contains(where: { $0.id == id }) else { throw Self.notFound }
            for index in scripts.indices { scripts[index].isActive = scripts[index].id == id }
        }
    }

    /// Checks a script as it is checked when it is kept.
    package static func check(_ text: String) throws(ScriptProblem) {
        guard text.utf8.count <= maxSize else {
            throw ScriptProblem(kind: .tooLarge, sentence: "A script can have at most \(maxSize >> 10) KB.")
        }
        do {
            _ = try SieveProgram(parsing: Array(text.utf8))
        } catch {
            throw ScriptProblem(kind: .invalidSieve, sentence: "\(error)")
        }
    }

    private static let notFound = ScriptProblem(kind: .notFound, sentence: "This script does not exist.")

    private static func free(_ scripts: [UserScript]) -> String {
        let names = Set(scripts.map(\.name))
        let others = (2...most + 2).lazy.map { "Rules \($0)" }
        return names.contains("Rules") ? others.first { !names.contains($0) } ?? "Rules" : "Rules"
    }

    /// Changes the scripts of an account: all or nothing, again if another program changes them meanwhile.
    private func edit(
        in accountID: Id<Account>, _ change: @Sendable (inout [UserScript]) throws -> Void
    ) async throws {
        while try await !isEdited(in: accountID, change) { try Task.checkCancellation() }
    }

    /// Returns false if another program changed the scripts meanwhile.
    private func isEdited(
        in accountID: Id<Account>, _ change: @Sendable (inout [UserScript]) throws -> Void
    ) async throws -> Bool {
        let state = try await store.read.state(of: Self.dataType, in: accountID)
        let searches = try await store.read.state(of: SavedSearches.dataType, in: nil)
        let old = try await all(in: accountID)
        var new = old
        try change(&new)
        try Self.check(new, besides: old)
        let asks = try await checkSearches(new, besides: old, in: accountID)
        let changes = try await changes(from: old, to: new, in: accountID)
        guard !changes.isEmpty else { return true }
        do throws(StorageError) {
            try await store.commit(
                changes,
                preconditions: [.init(Self.dataType, in: accountID, is: state)]
                    + (asks ? [.init(SavedSearches.dataType, in: nil, is: searches)] : []))
            return true
        } catch {
            guard case .stateMismatch = error else { throw error }
            return false
        }
    }

    private static func check(_ new: [UserScript], besides old: [UserScript]) throws(ScriptProblem) {
        guard new.count <= max(most, old.count) else {
            throw ScriptProblem(kind: .tooMany, sentence: "There can be at most \(most) scripts.")
        }
        for script in new where !old.contains(script) {
            guard (1...maxName).contains(script.name.utf8.count),
                script.name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
            else {
                throw ScriptProblem(
                    kind: .invalidName,
                    sentence: "A name must be one line of 1 to \(maxName) bytes.")
            }
            guard !new.contains(where: { $0.id != script.id && $0.name == script.name }) else {
                throw ScriptProblem(kind: .nameTaken, sentence: "Another script already has this name.")
            }
            if !old.contains(where: { $0.id == script.id && $0.text == script.text }) {
                try check(script.text)
            }
        }
    }

    /// Checks the saved searches that changed scripts did not ask for before. Returns whether there are any.
    private func checkSearches(
        _ new: [UserScript], besides old: [UserScript], in accountID: Id<Account>
    ) async throws -> Bool {
        func names(_ text: String?) -> Set<String> {
            Set((try? SieveScript(parsing: text ?? ""))?.savedSearches.map(\.name) ?? [])
        }
        var asked: Set<String> = []
        for script in new where !old.contains(script) {
            asked.formUnion(
                names(script.text).subtracting(names(old.first { $0.id == script.id }?.text)))
        }
        guard !asked.isEmpty else { return false }
        let searches = try await RuleSearches(in: accountID, at: clock.now, store)
        for name in asked.sorted() {
            do throws(RuleSearches.Unusable) {
                _ = try searches.judge(name)
            } catch {
                throw ScriptProblem(kind: .invalidSieve, sentence: error.sentence)
            }
        }
        return true
    }

    private func changes(
        from old: [UserScript], to new: [UserScript], in accountID: Id<Account>
    ) async throws -> [StorageChange] {
        var changes = try new.filter { !old.contains($0) }.map { try $0.change(in: accountID) }
        changes += old.filter { script in !new.contains { $0.id == script.id } }
            .map { .destroyDocument(ScriptBlob.key($0.id, in: accountID)) }
        let (before, after) = (old.first(where: \.isActive), new.first(where: \.isActive))
        if before == nil, after != nil {
            changes.append(ArrivalWatch.begin(at: clock.now, in: accountID))
        } else if before != nil, after == nil {
            changes.append(ArrivalWatch.end(in: accountID))
        }
        if before?.text != after?.text {
            let old = try await RuleProblem.all(in: accountID, store)
            changes += old.map { .destroyDocument($0.key(accountID)) }
        }
        return changes
    }
}
