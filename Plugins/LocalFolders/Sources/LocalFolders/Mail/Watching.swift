import CLocalFolders
import Dispatch
import FoundationEssentials
import Glibc
import MailKernelAPI

/// Reports changes to an account, also by other sessions and processes.
///
/// It watches the file that grows with every change, and then reads the change from the index.
///
/// `@unchecked Sendable`: the dispatch source is only canceled, which any thread may do.
final class ChangeWatch: @unchecked Sendable {
    /// How far an account is: every change counts `step` up, those of mailboxes `mailboxes` too.
    struct State: Sendable, Equatable {
        var step: Int64
        var mailboxes: Int64
    }

    private let source: any DispatchSourceRead

    /// - Parameter notice: called for every change from now on. Several changes may be combined.
    init(_ path: String, notice: @escaping @Sendable () -> Void) throws(FolderError) {
        let descriptor = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw .writing() }
        guard inotify_add_watch(descriptor, path, UInt32(IN_MODIFY)) >= 0 else {
            let error = FolderError.writing()
            Glibc.close(descriptor)
            throw error
        }
        let queue = DispatchQueue(label: "local-folders.watch")
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            // What the events say is known; they only have to be taken.
            var taken = [UInt8](repeating: 0, count: 4_096)
            while read(descriptor, &taken, taken.count) > 0 {}
            notice()
        }
        // Closed when the source no longer looks at it, and not before.
        source.setCancelHandler { Glibc.close(descriptor) }
        source.activate()
    }

    func cancel() { source.cancel() }

    deinit { source.cancel() }
}

extension MailFolder {
    func state() async throws(FolderError) -> ChangeWatch.State {
        try await reader.run { database throws(FolderError) in
            try database.first("SELECT step, mailboxes FROM state") {
                ChangeWatch.State(step: $0.int64(0), mailboxes: $0.int64(1))
            } ?? ChangeWatch.State(step: 0, mailboxes: 0)
        }
    }

    /// Reports every change until the task is canceled.
    func watch(_ tell: (WatchEvent) -> Void) async throws(FolderError) {
        let (notices, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let watch = try ChangeWatch(paths.changes) { continuation.yield() }
        defer { watch.cancel() }
        var last = try await state()
        tell(.listening)
        for await _ in notices {
            let now = try await state()
            if now.mailboxes != last.mailboxes { tell(.mailboxesChanged) }
            if now.step != last.step { tell(.changed(Self.feed)) }
            last = now
        }
    }
}
