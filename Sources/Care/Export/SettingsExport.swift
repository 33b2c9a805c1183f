import FoundationEssentials
import MailKernelAPI
import Store

/// All settings in one object, without any secret.
struct SettingsExport {
    let store: MailStore
    let version: String
    let at: Date

    func json() async throws -> Data {
        var accounts: [JSONValue] = []
        for account in try await store.read.accounts() {
            let identities = try await store.read.identities(nil, in: account.id)
            accounts.append([
                "id": .string(account.id.rawValue), "plugin": .string(account.pluginID),
                "address": .string(account.address), "displayName": .string(account.displayName),
                "syncWindowDays": .number(Double(account.syncWindowDays)),
                "attachmentCacheLimit": .number(Double(account.attachmentCacheLimit)),
                "settings": .object(account.settings),
                "identities": try JSONValue(encoding: identities),
            ])
        }
        let senders = try await store.allDocuments(in: "trusted-sender").compactMap { $0.value["email"] }
        let all: JSONValue = [
            "program": "mailkernel", "version": .string(version), "savedAt": .string(at.formatted(.iso8601)),
            "preferences": .object(try await Preferences(store).all()), "accounts": .array(accounts),
            "trustedSenders": .array(senders),
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(all)
    }
}
