public import MailKernelAPI
import Synchronization

/// Keeps notifications for a test instead of showing them.
public final class MemoryNotificationSink: NotificationSink {
    private struct Contents {
        var permission: NotificationPermission
        var answer: NotificationPermission
        var shown: [MailNotification] = []
        var posts = 0
        var badge = 0
        var reader: AsyncStream<NotificationResponse>.Continuation?
    }

    private let contents: Mutex<Contents>
    public let features: NotificationFeatures

    /// - Parameter answer: what the user says when asked for permission.
    public init(
        features: NotificationFeatures = [.body, .actions, .badge, .sound],
        permission: NotificationPermission = .granted, answer: NotificationPermission = .granted
    ) {
        self.features = features
        contents = Mutex(Contents(permission: permission, answer: answer))
    }

    public func permission() async -> NotificationPermission {
        contents.withLock { $0.permission }
    }

    public func requestPermission() async throws(NotificationError) -> NotificationPermission {
        contents.withLock { contents in
            if contents.permission == .undecided { contents.permission = contents.answer }
            return contents.permission
        }
    }

    public func post(_ notification: MailNotification) async throws(NotificationError) {
        let permission = contents.withLock { contents in
            guard contents.permission == .granted else { return contents.permission }
            contents.posts += 1
            if let index = contents.shown.firstIndex(where: { $0.id == notification.id }) {
                contents.shown[index] = notification
            } else {
                contents.shown.append(notification)
            }
            return .granted
        }
        switch permission {
        case .granted: return
        case .unavailable: throw .unavailable(reason: "There is nothing here that shows notifications.")
        case .denied, .undecided: throw .denied
        }
    }

    public func withdraw(_ ids: [Id<MailNotification>]) async throws(NotificationError) {
        contents.withLock { contents in contents.shown.removeAll { ids.contains($0.id) } }
    }

    public func setBadge(_ count: Int) async throws(NotificationError) {
        contents.withLock { $0.badge = max(0, count) }
    }

    public func actions() -> AsyncStream<NotificationResponse> {
        let (stream, reader) = AsyncStream<NotificationResponse>.makeStream()
        let last = contents.withLock { contents in
            let last = contents.reader
            contents.reader = reader
            return last
        }
        last?.finish()
        return stream
    }

    // MARK: For tests

    /// The notifications on the screen, oldest first.
    public var shown: [MailNotification] { contents.withLock { $0.shown } }
    /// How often a notification was posted, replacements included.
    public var posts: Int { contents.withLock { $0.posts } }
    /// The number that was last set, never below 0.
    public var badge: Int { contents.withLock { $0.badge } }

    /// Changes what `permission()` returns, as a user does in the desktop's settings.
    public func setPermission(_ permission: NotificationPermission) {
        contents.withLock { $0.permission = permission }
    }

    /// Clicks a notification, or one of its buttons. The reader also receives responses to notifications that
    /// are no longer shown, as from a slow desktop. Returns false if nothing reads `actions()`.
    @discardableResult
    public func respond(to id: Id<MailNotification>, action: String? = nil) -> Bool {
        guard let reader = contents.withLock({ $0.reader }) else { return false }
        let response = NotificationResponse(notificationID: id, actionID: action)
        if case .terminated = reader.yield(response) { return false }
        return true
    }
}
