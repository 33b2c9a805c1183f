import Accounts
import Care
import MailKernelAPI
import PluginHost
import Secrets
import Store

/// The stores that mail can be kept in instead, while there is none yet.
package struct StoreChoices: Sendable {
    package struct Problem: Error, Sendable, Hashable {
        /// For the user.
        package let sentence: String
        /// The name of the setting that it is about, as far as that is known.
        package var setting: String?
    }

    let store: MailStore
    let plugins: [PluginRecord]
    let program: ProgramAccess
    let keeper: SecretKeeper?

    /// None once there is an account: `mailkernel storage move` then takes the mail along.
    package func all() async throws(StorageError) -> [PluginManifest] {
        guard program.tryStore != nil, try await store.read.accounts().isEmpty else { return [] }
        return records.compactMap(\.manifest)
    }

    private var records: [PluginRecord] {
        plugins.filter { if case .notChosen = $0.state { $0.manifest != nil } else { false } }
    }

    /// Tries a store with these settings and secrets, and saves all of it for the next start if the store opens. Nothing
    /// has changed if this throws.
    package func use(_ id: String, _ values: [String: String]) async throws(Problem) {
        let choices: [PluginManifest]
        do {
            choices = try await all()
        } catch {
            throw Problem(sentence: error.sentence)
        }
        guard let manifest = choices.first(where: { $0.id == id }), let folders = program.folders,
            let record = records.first(where: { $0.id == id }), let trial = program.tryStore
        else { throw Problem(sentence: "This place for mail can no longer be chosen.") }
        let entered = try Entered(values, manifest.settings)
        try await checkPlace(of: entered.secrets)
        let preferences = PluginPreferences(folders)
        let settings = try Self.wrapping { try entered.over(preferences.settings(of: id)) }
        if let sentence = await trial(record.folder, id, settings, entered.secrets) {
            throw Problem(
                sentence: sentence,
                setting: manifest.settings.first { sentence.contains("“\($0.name)”") }?.name)
        }
        guard !Task.isCancelled else { throw Problem(sentence: "The try was canceled.") }
        try await save(entered.secrets, of: id)
        try Self.wrapping {
            try preferences.setSettings(settings, of: id)
            try preferences.setStorage(id)
        }
    }

    /// The store is opened before the page could ask for a passphrase.
    private func checkPlace(of secrets: [String: Secret]) async throws(Problem) {
        guard !secrets.isEmpty, let keeper, !program.opensVault else { return }
        switch try? await keeper.state {
        case .secretService, .secretServiceMissing: return
        case .needsVault, .vaultLocked, .vaultOpen, nil:
            throw Problem(
                sentence:
                    "This computer has no password store that is open when mailkernel starts. Start mailkernel "
                    + "with --vault-key-file, so that it can sign in to your server by itself.")
        }
    }

    private func save(_ secrets: [String: Secret], of id: String) async throws(Problem) {
        guard let keeper else { return }
        do {
            for (name, secret) in secrets {
                try await keeper.drawer(of: .plugin(id)).store(secret, named: name)
            }
        } catch {
            throw Problem(sentence: AccountError.secrets(error).sentence)
        }
    }

    private static func wrapping<Value>(_ body: () throws -> Value) throws(Problem) -> Value {
        do {
            return try body()
        } catch {
            throw Problem(sentence: "\(error)")
        }
    }
}

/// What the user entered, by the kind of each setting.
private struct Entered {
    var secrets: [String: Secret] = [:]
    /// Nil for those that were left empty.
    private var texts: [String: String?] = [:]

    init(_ values: [String: String], _ settings: [PluginSetting]) throws(StoreChoices.Problem) {
        for setting in settings {
            let value = values[setting.name] ?? ""
            let isEmpty = !value.contains { !$0.isWhitespace }
            if isEmpty, setting.isRequired {
                throw StoreChoices.Problem(
                    sentence: "Enter something for “\(setting.title)”.", setting: setting.name)
            }
            switch setting.kind {
            // One that was saved before stays.
            case .secret: if !isEmpty { secrets[setting.name] = Secret(value) }
            case .text: texts.updateValue(isEmpty ? nil : value, forKey: setting.name)
            }
        }
    }

    /// The settings of the file with these in their places.
    func over(_ saved: PluginSettings) -> PluginSettings {
        var values = saved.values
        for (name, text) in texts { values[name] = text.map { .string($0) } }
        return PluginSettings(values)
    }
}
