import FoundationEssentials
import MailKernelAPI
import Store

/// The ids of the notifications that lie on the desktop, so that a program that was killed does not leave them
/// there for good.
struct ShownNotices {
    private static let key = DocumentKey("notification", "shown")

    let store: MailStore

    /// Notifications of an earlier run.
    func left() async throws(StorageError) -> [Id<MailNotification>] {
        let value = try await store.read.document(Self.key)?.value
        return (value?.arrayValue ?? []).compactMap { $0.stringValue.map { Id($0) } }
    }

    func keep(_ ids: Set<Id<MailNotification>>) async throws(StorageError) {
        let names = ids.map(\.rawValue).sorted()
        let isKept = try await store.read.document(Self.key) != nil
        if !names.isEmpty {
            let value = JSONValue.array(names.map { .string($0) })
            try await store.commit([.putDocument(Document(Self.key, value: value))])
        } else if isKept {
            try await store.commit([.destroyDocument(Self.key)])
        }
    }
}
