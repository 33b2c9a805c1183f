import FoundationEssentials
import MailKernelAPI

// What the kernel passes to a plugin's call. Each use sets the clock of the call back, and is refused once the call
// was given up.

package struct LentSink: ByteSink {
    package let inner: any ByteSink
    package let silence: Silence

    package init(inner: any ByteSink, silence: Silence) {
        (self.inner, self.silence) = (inner, silence)
    }

    package func write(_ bytes: Data) async throws {
        try await silence.serve(orThrow: CancellationError()) { try await inner.write(bytes) }
    }
}

package struct LentSource: ByteSource {
    package let inner: any ByteSource
    package let silence: Silence

    package init(inner: any ByteSource, silence: Silence) {
        (self.inner, self.silence) = (inner, silence)
    }

    package var size: Int { inner.size }

    package func read(at offset: Int, count: Int) async throws -> Data {
        try await silence.serve(orThrow: CancellationError()) {
            try await inner.read(at: offset, count: count)
        }
    }
}

package struct LentKnownMessages: KnownMessages {
    package let inner: any KnownMessages
    package let silence: Silence

    package init(inner: any KnownMessages, silence: Silence) {
        (self.inner, self.silence) = (inner, silence)
    }

    package func ids(after: RemoteMessageID?, limit: Int) async throws -> [RemoteMessageID] {
        try await silence.serve(orThrow: CancellationError()) {
            try await inner.ids(after: after, limit: limit)
        }
    }

    package func contains(_ ids: [RemoteMessageID]) async throws -> Set<RemoteMessageID> {
        try await silence.serve(orThrow: CancellationError()) { try await inner.contains(ids) }
    }
}

/// The desktop may ask the user to unlock its store, who may be away.
package struct LentSecrets: SecretStore {
    package let inner: any SecretStore
    package let silence: Silence

    package init(inner: any SecretStore, silence: Silence) {
        (self.inner, self.silence) = (inner, silence)
    }

    private static let refusal = SecretError.unavailable(reason: "The call was abandoned.")

    package func secret(named name: String) async throws(SecretError) -> Secret? {
        try await silence.serve(orThrow: Self.refusal) { () throws(SecretError) in
            try await inner.secret(named: name)
        }
    }

    package func store(_ secret: Secret, named name: String) async throws(SecretError) {
        try await silence.serve(orThrow: Self.refusal) { () throws(SecretError) in
            try await inner.store(secret, named: name)
        }
    }

    package func removeSecret(named name: String) async throws(SecretError) {
        try await silence.serve(orThrow: Self.refusal) { () throws(SecretError) in
            try await inner.removeSecret(named: name)
        }
    }
}
