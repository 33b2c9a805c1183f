import FoundationEssentials
import MailKernelAPI

// What the kernel passes to a plugin's call. Each use sets the clock of the call back, and is refused once the call
// was given up.

struct LentSink: ByteSink {
    let inner: any ByteSink
    let silence: Silence

    func write(_ bytes: Data) async throws {
        try await silence.serve(orThrow: CancellationError()) { try await inner.write(bytes) }
    }
}

struct LentSource: ByteSource {
    let inner: any ByteSource
    let silence: Silence

    var size: Int { inner.size }

    func read(at offset: Int, count: Int) async throws -> Data {
        try await silence.serve(orThrow: CancellationError()) {
            try await inner.read(at: offset, count: count)
        }
    }
}

struct LentKnownMessages: KnownMessages {
    let inner: any KnownMessages
    let silence: Silence

    func ids(after: RemoteMessageID?, limit: Int) async throws -> [RemoteMessageID] {
        try await silence.serve(orThrow: CancellationError()) {
            try await inner.ids(after: after, limit: limit)
        }
    }

    func contains(_ ids: [RemoteMessageID]) async throws -> Set<RemoteMessageID> {
        try await silence.serve(orThrow: CancellationError()) { try await inner.contains(ids) }
    }
}

/// The desktop may ask the user to unlock its store, who may be away.
struct LentSecrets: SecretStore {
    let inner: any SecretStore
    let silence: Silence
    private static let refusal = SecretError.unavailable(reason: "The call was abandoned.")

    func secret(named name: String) async throws(SecretError) -> Secret? {
        try await silence.serve(orThrow: Self.refusal) { () throws(SecretError) in
            try await inner.secret(named: name)
        }
    }

    func store(_ secret: Secret, named name: String) async throws(SecretError) {
        try await silence.serve(orThrow: Self.refusal) { () throws(SecretError) in
            try await inner.store(secret, named: name)
        }
    }

    func removeSecret(named name: String) async throws(SecretError) {
        try await silence.serve(orThrow: Self.refusal) { () throws(SecretError) in
            try await inner.removeSecret(named: name)
        }
    }
}
