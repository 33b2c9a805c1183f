/// A kind of call, and for how many seconds a plugin may be silent in it: it has neither returned nor asked the kernel
/// for anything that was passed in, such as the next bytes of a message.
package struct PluginCallKind: Sendable, Hashable {
    package let name: String
    package let limit: Double

    /// Seconds that the page waits for what it shows: see `Listing`.
    package static let patience = 2.0

    private init(_ name: String, _ limit: Double) {
        (self.name, self.limit) = (name, limit)
    }

    /// Whether the page waits for it.
    package var isShown: Bool { [.setups, .models, .permission].contains(self) }

    // Far above what the plugins wait for themselves: 30 s for a connection, 60 to 90 s for a server's next word,
    // 5 minutes for an answer over HTTP, 10 minutes for the verdict on a message that was sent. What a slow line
    // transfers in one call comes on top, such as a batch of 9 MB.

    // Accounts
    package static let setups = PluginCallKind("setups", 10)
    package static let authorize = PluginCallKind("authorize", 30 * minute)
    package static let validate = PluginCallKind("validate", 30 * minute)
    package static let session = PluginCallKind("session", 2 * minute)
    package static let revoke = PluginCallKind("revoke", 10 * minute)
    package static let features = PluginCallKind("features", 30)
    package static let mailboxes = PluginCallKind("mailboxes", 15 * minute)
    package static let changes = PluginCallKind("changes", 30 * minute)
    package static let fetch = PluginCallKind("fetch", 15 * minute)
    package static let apply = PluginCallKind("apply", 30 * minute)
    package static let append = PluginCallKind("append", 15 * minute)
    package static let importMessages = PluginCallKind("importMessages", 30 * minute)
    package static let submit = PluginCallKind("submit", 20 * minute)
    package static let holdLimits = PluginCallKind("holdLimits", 2 * minute)
    package static let cancelHeld = PluginCallKind("cancelHeld", 2 * minute)
    package static let findSent = PluginCallKind("findSent", 15 * minute)
    package static let search = PluginCallKind("search", 15 * minute)
    package static let read = PluginCallKind("read", 15 * minute)
    package static let scripts = PluginCallKind("scripts", 5 * minute)
    package static let script = PluginCallKind("script", 5 * minute)
    package static let putScript = PluginCallKind("putScript", 5 * minute)
    package static let activateScript = PluginCallKind("activateScript", 5 * minute)
    package static let deleteScript = PluginCallKind("deleteScript", 5 * minute)
    package static let vacation = PluginCallKind("vacation", 2 * minute)
    package static let setVacation = PluginCallKind("setVacation", 2 * minute)
    package static let quotas = PluginCallKind("quotas", 2 * minute)
    package static let jmapSessionURL = PluginCallKind("jmapSessionURL", 2 * minute)
    package static let close = PluginCallKind("close", 30)

    // Models, which may take turns with each other
    package static let models = PluginCallKind("models", 2 * minute)
    package static let download = PluginCallKind("download", 30 * minute)
    package static let discardDownload = PluginCallKind("discardDownload", 10 * minute)
    package static let importModel = PluginCallKind("importModel", 60 * minute)
    package static let delete = PluginCallKind("delete", 10 * minute)
    package static let generate = PluginCallKind("generate", 30 * minute)
    package static let classify = PluginCallKind("classify", 30 * minute)
    package static let embed = PluginCallKind("embed", 30 * minute)
    package static let unload = PluginCallKind("unload", 2 * minute)

    // Notifications
    package static let notificationFeatures = PluginCallKind("features", 30)
    package static let permission = PluginCallKind("permission", 30)
    package static let requestPermission = PluginCallKind("requestPermission", 30 * minute)
    package static let post = PluginCallKind("post", 2 * minute)
    package static let withdraw = PluginCallKind("withdraw", 2 * minute)
    package static let setBadge = PluginCallKind("setBadge", 2 * minute)

    private static let minute = 60.0
}

extension Double {
    /// A number of seconds in words: "30 seconds", "2 minutes".
    package var asTime: String {
        self < 120 ? "\(Int(self)) seconds" : "\(Int(self / 60)) minutes"
    }
}
