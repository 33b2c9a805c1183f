/// Shows notifications outside the page.
///
/// The kernel calls it only while no window of the page is visible, and only for accounts whose
/// notifications are on. Calls come one at a time. Cancelling a call may leave the notification
/// shown. A failure is logged; the user is told only in Settings.
public protocol NotificationSink: Sendable {
    /// What can be shown. Asked before each use: a desktop can change it.
    var features: NotificationFeatures { get async }

    /// Whether notifications will be seen.
    func permission() async -> NotificationPermission

    /// Asks the user, where the system has such a question, and returns what holds then. The kernel
    /// calls this at the first occasion and when the user turns notifications on. By default there is
    /// nothing to ask, and this is `permission()`.
    func requestPermission() async throws(NotificationError) -> NotificationPermission

    /// Shows a notification, replacing one with the same id. It has been handed over when this returns.
    func post(_ notification: MailNotification) async throws(NotificationError)

    /// Takes notifications away. Those that are gone already are not an error.
    func withdraw(_ ids: [Id<MailNotification>]) async throws(NotificationError)

    /// Shows the number of unread messages where the desktop has a place for it. Does nothing by default.
    func setBadge(_ count: Int) async throws(NotificationError)

    /// What the user does with notifications, until the task that reads it is cancelled. One reader
    /// at a time; the kernel may call it again after a stream has ended. An actor makes it
    /// `nonisolated`. By default it ends at once.
    func actions() -> AsyncStream<NotificationResponse>
}

extension NotificationSink {
    public func requestPermission() async throws(NotificationError) -> NotificationPermission {
        await permission()
    }

    public func setBadge(_ count: Int) async throws(NotificationError) {}

    public func actions() -> AsyncStream<NotificationResponse> {
        AsyncStream { $0.finish() }
    }
}

public struct NotificationFeatures: OptionSet, Sendable, Hashable, Codable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A text below the title.
    public static let body = NotificationFeatures(rawValue: 1)
    /// Buttons.
    public static let actions = NotificationFeatures(rawValue: 2)
    /// A number on the program's icon.
    public static let badge = NotificationFeatures(rawValue: 4)
    public static let sound = NotificationFeatures(rawValue: 8)
}

public enum NotificationPermission: String, Sendable, Codable {
    case granted, denied
    /// The user has not been asked.
    case undecided
    /// Nothing here can show notifications.
    case unavailable
}

public struct MailNotification: Sendable, Hashable, Codable {
    public struct Action: Sendable, Hashable, Codable {
        /// Comes back in the response: "archive".
        public var id: String
        /// On the button: "Archive".
        public var label: String

        public init(id: String, label: String) {
            self.id = id
            self.label = label
        }
    }

    public var id: Id<MailNotification>
    /// The sender's name. Plain text, whatever it looks like.
    public var title: String
    /// The subject. Plain text, whatever it looks like.
    public var body: String
    /// Notifications with the same group may be shown as one.
    public var group: String?
    public var actions: [Action]
    public var playsSound: Bool

    public init(
        id: Id<MailNotification>, title: String, body: String, group: String? = nil, actions: [Action] = [],
        playsSound: Bool = false
    ) {
        self.id = id
        self.title = title
        self.body = body
        self.group = group
        self.actions = actions
        self.playsSound = playsSound
    }
}

public struct NotificationResponse: Sendable, Hashable, Codable {
    public var notificationID: Id<MailNotification>
    /// Nil if the notification itself was clicked.
    public var actionID: String?

    public init(notificationID: Id<MailNotification>, actionID: String?) {
        self.notificationID = notificationID
        self.actionID = actionID
    }
}

public enum NotificationError: Error, Hashable, Codable {
    /// The desktop's service is not there or does not answer.
    case unavailable(reason: String)
    case denied
    case refused(String)
}
