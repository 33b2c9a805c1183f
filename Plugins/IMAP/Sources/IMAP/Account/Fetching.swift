import FoundationEssentials
public import MailKernelAPI
import Synchronization

extension IMAPAccountSession {
    public func fetch(
        _ message: RemoteMessageID, feed: FeedID, partID: String?, into sink: any ByteSink
    ) async throws(AccountError) {
        if Task.isCancelled { throw .cancelled }
        guard let message = MessageUID(message) else { throw .notFound }
        let source = try await source(of: feed)
        guard source.isSelectable else { throw .notFound }
        let progress = FetchProgress(sink)
        try await withConnection(preferring: source.name) { connection throws(AccountError) in
            // What the sink has taken it must not get twice, so there is no second try once it has any.
            guard !progress.hasBegun else { throw connection.lost }
            let selected = try await connection.open(source.name)
            guard selected.validity == message.validity else { throw .notFound }
            if let partID {
                try await self.fetchPart(partID, of: message.uid, connection, progress)
            } else {
                try await self.fetchSection("", of: message.uid, connection, progress)
            }
        }
    }

    private func fetchPart(
        _ partID: String, of uid: UInt32, _ connection: IMAPConnection, _ progress: FetchProgress
    ) async throws(AccountError) {
        let answer = try await connection.perform(.fetch(UIDSet([uid]), "UID BODYSTRUCTURE")).orThrow()
        guard let message = answer.fetched.first(where: { $0.uid == uid }) else { throw .notFound }
        guard let structure = message.bodyStructure else {
            throw .badAnswer("the structure of a message is invalid")
        }
        guard let part = structure.part(partID) else { throw .notFound }
        progress.setEncoding(part.isMultipart ? "" : part.encoding)
        try await fetchSection(partID, of: uid, connection, progress, isEmpty: part.size == 0)
    }

    private func fetchSection(
        _ section: String, of uid: UInt32, _ connection: IMAPConnection, _ progress: FetchProgress,
        isEmpty: Bool = false
    ) async throws(AccountError) {
        let answers = try await connection.perform(
            [.fetch(UIDSet([uid]), "UID BODY.PEEK[\(section)]")],
            receiver: { bytes in try await progress.take(bytes) })
        guard let answer = try answers.first?.orThrow() else { throw .badAnswer("no answer") }
        let message = answer.fetched.first { $0.uid == uid && $0.section(section) != nil }
        guard let found = message?.section(section) else { throw .notFound }
        if found.isAbsent, !progress.hasBegun, !isEmpty {
            guard !section.isEmpty else { throw .notFound }
            // An attachment of no bytes would be taken for the whole of it.
            throw .badAnswer("a reported part does not exist")
        }
        do {
            // Short ones come as quoted strings, which are not streamed.
            if let bytes = found.bytes { try await progress.take(bytes) }
            try await progress.finish()
        } catch {
            throw AccountError(local: error)
        }
    }
}

/// Where the bytes of a part go: through the decoder, into the sink.
private final class FetchProgress: Sendable {
    private let sink: any ByteSink
    private let decoder = Mutex(TransferDecoder(encoding: ""))
    private let begun = Mutex(false)

    init(_ sink: any ByteSink) {
        self.sink = sink
    }

    var hasBegun: Bool { begun.withLock { $0 } }

    func setEncoding(_ encoding: String) {
        decoder.withLock { $0 = TransferDecoder(encoding: encoding) }
    }

    func take(_ bytes: Data) async throws {
        begun.withLock { $0 = true }
        let decoded = decoder.withLock { $0.decode(bytes) }
        if !decoded.isEmpty { try await sink.write(decoded) }
    }

    func finish() async throws {
        let rest = decoder.withLock { $0.finish() }
        if !rest.isEmpty { try await sink.write(rest) }
    }
}
