import CDesktopBus
import FoundationEssentials
import Glibc
import MailKernelAPI

/// Shows notifications by way of org.freedesktop.Notifications.
final class DesktopSink: NotificationSink {
    /// As much of a text as any desktop shows.
    private static let mostText = 1000

    private let bus: SessionBus
    private let desk: Desk

    init(environment: [String: String], folder: URL) {
        let desk = Desk(folder: folder)
        self.desk = desk
        bus = SessionBus(environment: environment) { desk.heard($0) }
    }

    var features: NotificationFeatures {
        get async {
            guard let words = try? await capabilities() else { return [] }
            // Docks show the badge, but do not announce that they do.
            var features: NotificationFeatures = [.badge]
            for (word, feature) in [
                ("body", NotificationFeatures.body), ("actions", .actions), ("sound", .sound),
            ] where words.contains(word) { features.insert(feature) }
            return features
        }
    }

    /// The desktop does not report what the user turned off in its settings; if it responds, notifications
    /// are assumed to be visible.
    func permission() async -> NotificationPermission {
        (try? await capabilities()) == nil ? .unavailable : .granted
    }

    func post(_ notification: MailNotification) async throws(NotificationError) {
        let words = try await capabilities()
        let title = Self.clean(notification.title)
        let text = Self.clean(notification.body)
        let body = words.contains("body-markup") ? Self.escaped(text) : text
        var labels: [String] = []
        if words.contains("actions") {
            // A click on the notification itself.
            labels =
                ["default", "Open"] + notification.actions.flatMap { [$0.id, $0.label] }.map(Self.clean)
        }
        let actions = labels
        let plays = notification.playsSound && words.contains("sound")
        let id = notification.id
        try await bus.run { [desk] connection, problem -> Void? in
            var pointers = actions.map { UnsafePointer(strdup($0)) }
            defer { for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) } }
            desk.begin()
            let number = cbus_post(
                connection.pointer, desk.number(of: id), title, body, &pointers, CInt(pointers.count),
                plays ? 1 : 0, &problem)
            guard number != 0 else {
                desk.giveUp()
                return nil
            }
            desk.put(id, as: number)
            return ()
        }
    }

    func withdraw(_ ids: [Id<MailNotification>]) async throws(NotificationError) {
        guard !ids.isEmpty else { return }
        // Connected first: a sink that was just made knows what an earlier one showed only then. One that is
        // gone already is refused by some desktops, which is no error, and where nothing can be shown,
        // nothing is.
        _ = try? await bus.run { [desk] connection, _ -> Bool? in
            for number in desk.take(ids) {
                var refusal: UnsafeMutablePointer<CChar>?
                _ = cbus_withdraw(connection.pointer, number, &refusal)
                cbus_free(refusal)
            }
            return true
        }
    }

    func setBadge(_ count: Int) async throws(NotificationError) {
        try await bus.run { connection, problem -> Void? in
            cbus_badge(connection.pointer, Int64(max(0, count)), &problem) == 1 ? () : nil
        }
    }

    func actions() -> AsyncStream<NotificationResponse> {
        let stream = desk.read()
        Task { [bus, desk] in
            do throws(NotificationError) {
                try await bus.run { _, _ -> Void? in () }
            } catch {
                // Without a bus there are no actions.
                desk.endReading()
            }
        }
        return stream
    }

    // MARK: The desktop

    private func capabilities() async throws(NotificationError) -> Set<String> {
        let words = try await bus.run { connection, problem -> String? in
            guard let words = cbus_capabilities(connection.pointer, &problem) else { return nil }
            defer { cbus_free(words) }
            return String(cString: words)
        }
        return Set(words.split(separator: " ").map(String.init))
    }

    // MARK: Text

    /// Text that looks like markup is shown as it is.
    static func escaped(_ text: String) -> String {
        let entities: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;"]
        return text.unicodeScalars.map { entities[$0] ?? String($0) }.joined()
    }

    /// C ends a text at a zero, which D-Bus does not carry either.
    static func clean(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.lazy.filter { $0 != "\0" }.prefix(mostText)))
    }
}
