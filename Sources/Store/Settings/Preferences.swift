import MailKernelAPI

/// The settings of the whole program. A setting is on disk before a change is confirmed.
///
/// They are documents in the store, so they have states and changes, survive a damaged store, and are removed
/// when all data is wiped.
package struct Preferences: Sendable {
    package static let dataType = DataType.documents(collection)
    private static let collection = "preference"

    private let store: MailStore

    package init(_ store: MailStore) {
        self.store = store
    }

    package func value(_ preference: Preference) async throws(StorageError) -> JSONValue {
        let stored = try await store.read.document(key(preference))?.value
        return accepted(stored, for: preference)
    }

    /// All of them by key, those that were never set as they are at first.
    package func all() async throws(StorageError) -> [String: JSONValue] {
        let documents = try await store.allDocuments(in: Self.collection)
        let stored = Dictionary(documents.map { ($0.key.name, $0.value) }) { _, last in last }
        return Dictionary(
            Preference.all.map { ($0.key, accepted(stored[$0.key], for: $0)) },
            uniquingKeysWith: { _, last in last })
    }

    /// Sets several at once: all or none.
    ///
    /// - Throws: `PreferenceProblem` if a value is not allowed or a key is not known.
    package func set(_ values: [String: JSONValue], ifInState state: State? = nil) async throws {
        let changes = try values.sorted { $0.key < $1.key }.map { key, value in
            guard let preference = Preference.named(key) else {
                throw PreferenceProblem(key: key, reason: "is not a setting of this program")
            }
            if preference.key == Preference.appLock.key {
                throw PreferenceProblem(
                    key: key, reason: "is set with AppLock/set, which requires the password")
            }
            if let reason = preference.problem(value) { throw PreferenceProblem(key: key, reason: reason) }
            return StorageChange.putDocument(Document(self.key(preference), value: value))
        }
        if values[Preference.onboarding.key] == true, try await store.read.accounts().isEmpty {
            throw PreferenceProblem(
                key: Preference.onboarding.key, reason: "cannot be true before an account is added")
        }
        try await store.commit(
            changes,
            preconditions: state.map { [ChangeSet.Precondition(Self.dataType, in: nil, is: $0)] } ?? [])
    }

    /// For the app lock, which asks for a proof before.
    package func setAppLock(_ isEnabled: Bool) async throws(StorageError) {
        try await store.commit([.putDocument(Document(key(.appLock), value: .bool(isEnabled)))])
    }

    /// Restores a setting's default.
    package func reset(_ preference: Preference) async throws(StorageError) {
        guard try await store.read.document(key(preference)) != nil else { return }
        try await store.commit([.destroyDocument(key(preference))])
    }

    package var undoSendDelay: Int {
        get async throws(StorageError) { try await value(.undoSendDelay).intValue ?? 5 }
    }

    /// A value that an older or newer program wrote and that means nothing here counts as never set.
    private func accepted(_ stored: JSONValue?, for preference: Preference) -> JSONValue {
        guard let stored, preference.problem(stored) == nil else { return preference.initialValue }
        return stored
    }

    private func key(_ preference: Preference) -> DocumentKey {
        DocumentKey(Self.collection, preference.key)
    }
}

package struct PreferenceProblem: Error, Hashable, Sendable {
    package let key: String
    package let reason: String
}
