/// Shows notifications outside the page.
///
/// The kernel calls it only while no window of the page is visible, and only for accounts whose notifications
/// are on. Calls come one at a time. A canceled call may leave the notification shown. A failure is logged;
/// the user sees it in Settings only.
public protocol NotificationSink: Sendable {
    /// What can be shown. The kernel asks before each use, since a desktop can change it.
    var features: NotificationFeatures { get async }

    /// Whether the user will see notifications. Asks the user nothing.
    func permission() async -> NotificationPermission

    /// Asks the user for permission, if the system has such a question, and returns the result. The kernel
    /// calls this before the first notification and when the user turns notifications on. By default there is
    /// no question, and this is `permission()`.
    func requestPermission() async throws(NotificationError) -> NotificationPermission

    /// Shows a notification, replacing one with the same id. It has been handed over when this returns.
    func post(_ notification: MailNotification) async throws(NotificationError)

    /// Removes notifications. It is not an error if some are already gone.
    func withdraw(_ ids: [Id<MailNotification>]) async throws(NotificationError)

    /// Shows the number of unread messages, if the desktop has a place for it. Does nothing by default.
    func setBadge(_ count: Int) async throws(NotificationError)

    /// The user's clicks, until the reading task is canceled. One reader at a time; the kernel may call this
    /// again after a stream has ended. In an actor, make it `nonisolated`. By default the stream ends at
    /// once.
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

/// What a sink can show.
public struct NotificationFeatures: OptionSet, Sendable, Hashable, Codable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Text below the title.
    public static let body = NotificationFeatures(rawValue: 1)
    /// Buttons.
    public static let actions = NotificationFeatures(rawValue: 2)
    /// A number on the program's icon.
    public static let badge = NotificationFeatures(rawValue: 4)
    /// A sound.
    public static let sound = NotificationFeatures(rawValue: 8)
}

/// Whether notifications reach the user.
public enum NotificationPermission: String, Sendable, Codable {
    /// They are shown.
    case granted
    /// The user or the desktop does not allow them. The kernel posts nothing.
    case denied
    /// The user has not been asked yet. The kernel calls `requestPermission()`.
    case undecided
    /// This desktop cannot show notifications.
    case unavailable
}

/// A notification about new mail or the outbox.
public struct MailNotification: Sendable, Hashable, Codable {
    /// A button of a notification.
    public struct Action: Sendable, Hashable, Codable {
        /// Comes back in `NotificationResponse.actionID`: "archive".
        public var id: String
        /// The text on the button: "Archive".
        public var label: String

        public init(id: String, label: String) {
            self.id = id
            self.label = label
        }
    }

    /// Made by the kernel. Posting the same id again replaces the notification. Ids outlive the program: the
    /// next start withdraws those that are left.
    public var id: Id<MailNotification>
    /// The sender's name, or a sentence such as "3 new messages". Plain text: escape it if the desktop takes
    /// markup.
    public var title: String
    /// The subject, or more about the title. Plain text: escape it if the desktop takes markup.
    public var body: String
    /// Notifications of one group can be shown together; nil for none. The kernel groups by account.
    public var group: String?
    /// Buttons, most important first. Ignored without `.actions`.
    public var actions: [Action]
    /// Whether to play a sound. Ignored without `.sound`.
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

/// A user's click on a notification.
public struct NotificationResponse: Sendable, Hashable, Codable {
    /// The notification. It may already be withdrawn.
    public var notificationID: Id<MailNotification>
    /// The `Action.id` of the button; nil if the user clicked the notification itself.
    public var actionID: String?

    public init(notificationID: Id<MailNotification>, actionID: String?) {
        self.notificationID = notificationID
        self.actionID = actionID
    }
}

/// Why a notification could not be shown. The kernel does not try again.
public enum NotificationError: Error, Hashable, Codable {
    /// The desktop's notification service is missing or does not answer.
    case unavailable(reason: String)
    /// The desktop does not allow notifications.
    case denied
    /// The desktop refused this notification. The text is its own.
    case refused(String)
}
