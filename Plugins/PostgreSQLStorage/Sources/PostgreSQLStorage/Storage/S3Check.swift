import Digest
import FoundationEssentials
import MailKernelAPI

extension PostgreSQLStorage {
    /// What is wrong with the server for large blobs, in sentences; none if it can be used, or if there is none.
    func checkObjects() async -> [String] {
        guard let objects = (try? store())?.objects else { return [] }
        return await S3Check(objects: objects).problems()
    }
}

/// Does everything once that the store needs of S3, with an object of its own.
struct S3Check {
    let objects: ObjectStore

    func problems() async -> [String] {
        let name = objects.prefix + "check/" + Data.randomSecret().prefix(16).hex
        let bytes = Data("mailkernel".utf8)
        let client = objects.client
        var problems: [String] = []
        func run(_ step: () async throws(StorageError) -> Void) async -> Bool {
            do throws(StorageError) {
                try await step()
                return true
            } catch {
                let sentence = Self.sentence(error)
                if !problems.contains(sentence) { problems.append(sentence) }
                return false
            }
        }
        let isStored = await run { () throws(StorageError) in
            try await client.put(name, parts: 1, { _ throws(StorageError) in bytes }, stored: {})
        }
        _ = await run { () throws(StorageError) in
            let read = try await client.bytes(of: name, in: 4..<10)
            guard !isStored || read == bytes.suffix(6) else {
                throw .unsupported(
                    "The S3 server \(client.settings.host) does not return what was stored there.")
            }
        }
        _ = await run { () throws(StorageError) in try await client.removeAll(name) }
        if !isStored { _ = await run { () throws(StorageError) in try await client.remove(name) } }
        return problems
    }

    private static func sentence(_ error: StorageError) -> String {
        switch error {
        case .unsupported(let sentence): sentence
        case .full: "The S3 server has no space left."
        case .unreachable(let reason): "Attachments cannot be stored or read: \(reason)."
        case .closed, .unwritable, .unreadable, .corrupt, .newerFormat, .inUse, .stateMismatch, .leaseLost,
            .cannotCalculateChanges, .notFound, .anchorNotFound, .invalid, .cancelled:
            "Attachments cannot be stored or read: \(error)."
        }
    }
}
