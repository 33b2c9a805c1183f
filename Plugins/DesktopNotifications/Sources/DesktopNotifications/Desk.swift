import FoundationEssentials
import MailKernelAPI
import Synchronization

/// The notifications on the desktop, by the numbers it assigned, and the reader of the user's actions.
///
/// Stored in a file, so that notifications of a killed program can be withdrawn at the next start.
final class Desk: Sendable {
    private struct Kept: Codable {
        /// The numbers mean something to this program on this bus alone.
        var desktop: String
        var numbers: [Id<MailNotification>: UInt32]
    }

    private struct Contents {
        var desktop: String?
        var numbers: [Id<MailNotification>: UInt32] = [:]
        var hasLookedBack = false
        /// Events for unknown numbers that arrive while a notification is being posted: a click can be faster
        /// than the response with the number.
        var early: [SessionBus.Event]?
        var readers = 0
        var reader: AsyncStream<NotificationResponse>.Continuation?
    }

    private let contents = Mutex(Contents())
    private let file: URL

    init(folder: URL) {
        file = folder.appending(path: "shown.json")
    }

    func number(of id: Id<MailNotification>) -> UInt32 { contents.withLock { $0.numbers[id] } ?? 0 }

    /// To be called before a notification is handed over; `put` or `giveUp` follows.
    func begin() { contents.withLock { $0.early = [] } }

    func giveUp() { contents.withLock { $0.early = nil } }

    func put(_ id: Id<MailNotification>, as number: UInt32) {
        contents.withLock { contents in
            contents.numbers[id] = number
            keep(contents)
            // All at once, so that earlier events are not overtaken by new ones.
            for event in contents.early.take() ?? [] { hear(event, &contents) }
        }
    }

    /// Returns their numbers, those that were there.
    func take(_ ids: [Id<MailNotification>]) -> [UInt32] {
        contents.withLock { contents in
            let taken = ids.compactMap { contents.numbers.removeValue(forKey: $0) }
            if !taken.isEmpty { keep(contents) }
            return taken
        }
    }

    func heard(_ event: SessionBus.Event) {
        contents.withLock { hear(event, &$0) }
    }

    private func hear(_ event: SessionBus.Event, _ contents: inout Contents) {
        switch event {
        case .used(let number, let action):
            guard let id = Self.id(number, contents) else {
                contents.early?.append(event)
                return
            }
            contents.reader?.yield(
                NotificationResponse(notificationID: id, actionID: action == "default" ? nil : action))
        case .gone(let number):
            guard let id = Self.id(number, contents) else {
                contents.early?.append(event)
                return
            }
            contents.numbers[id] = nil
            keep(contents)
        case .desktop(let desktop):
            // A restarted desktop counts from the beginning: an old number could belong to another program.
            if desktop != contents.desktop { contents.numbers = [:] }
            contents.desktop = desktop
            lookBack(&contents)
        }
    }

    // MARK: The reader

    func read() -> AsyncStream<NotificationResponse> {
        let (stream, reader) = AsyncStream.makeStream(of: NotificationResponse.self)
        let (last, number) = contents.withLock { contents in
            let last = contents.reader
            contents.reader = reader
            contents.readers += 1
            return (last, contents.readers)
        }
        last?.finish()
        reader.onTermination = { [weak self] _ in self?.forget(number) }
        return stream
    }

    func endReading() {
        contents.withLock { $0.reader.take() }?.finish()
    }

    private func forget(_ number: Int) {
        _ = contents.withLock { $0.readers == number ? $0.reader.take() : nil }
    }

    // MARK: The file

    private static func id(_ number: UInt32, _ contents: Contents) -> Id<MailNotification>? {
        contents.numbers.first { $0.value == number }?.key
    }

    private func lookBack(_ contents: inout Contents) {
        guard !contents.hasLookedBack, let desktop = contents.desktop else { return }
        contents.hasLookedBack = true
        guard let data = try? Data(contentsOf: file),
            let kept = try? JSONDecoder().decode(Kept.self, from: data),
            kept.desktop == desktop
        else { return }
        contents.numbers = kept.numbers
    }

    /// If this fails, an old notification may remain after a crash, and nothing else.
    private func keep(_ contents: Contents) {
        guard !contents.numbers.isEmpty, let desktop = contents.desktop else {
            try? FileManager.default.removeItem(at: file)
            return
        }
        let kept = Kept(desktop: desktop, numbers: contents.numbers)
        try? JSONEncoder().encode(kept).write(to: file, options: .atomic)
    }
}
