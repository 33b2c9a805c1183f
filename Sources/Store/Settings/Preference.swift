import MailKernelAPI

/// A setting of the whole program: its name, default and allowed values.
package struct Preference: Sendable {
    package let key: String
    package let initialValue: JSONValue
    /// The problem with a value, or nil if it is allowed.
    package let problem: @Sendable (JSONValue) -> String?

    private init(
        _ key: String, _ initialValue: JSONValue, problem: @escaping @Sendable (JSONValue) -> String?
    ) {
        self.key = key
        self.initialValue = initialValue
        self.problem = problem
    }

    package static let all: [Preference] = [
        defaultSendingAccount, undoSendDelay, sendWhileClosed, plainText, theme, categoryTabs, appLock,
        appLockDelay, notifications, notifyEverywhere, onboarding, density, readingPane, textSize, paneSizes,
        collapsedFolders, favoriteFolders, folderColors, folderCounts, replyPlace, composerBox,
        serviceSearch,
    ]

    package static func named(_ key: String) -> Preference? { all.first { $0.key == key } }

    package static let defaultSendingAccount = Preference("defaultSendingAccountId", .null) { value in
        value == .null || value.stringValue.map { Id<Account>($0).isValid } == true
            ? nil : "must be the id of an account, or null"
    }
    package static let undoSendDelay = oneOf("undoSendDelaySeconds", [0, 5, 10, 15, 30], initially: 5)
    /// Whether the undo delay continues while no window of the page is open.
    package static let sendWhileClosed = flag("sendWhileClosed")
    /// Whether new messages and replies begin as plain text.
    package static let plainText = flag("writesPlainText")
    package static let theme = oneOf("appTheme", ["system", "light", "dark"], initially: "system")
    package static let categoryTabs = switches(
        "categoryTabVisibility",
        initially: ["primary": true, "social": true, "promotions": true, "updates": true],
        named: { ["primary", "social", "promotions", "updates"].contains($0) })
    package static let appLock = flag("appLockEnabled")
    /// Minutes without a visible window after which the app lock locks; 0 for only when none is open.
    package static let appLockDelay = oneOf("appLockDelayMinutes", [0, 1, 5, 15, 60], initially: 5)
    /// By account; an account that is not named notifies.
    package static let notifications = switches(
        "notificationPreferences", initially: [:], named: { Id<Account>($0).isValid })
    /// Whether every computer that shares the store notifies, and not only the one that looks after the account.
    package static let notifyEverywhere = flag("notifyOnEveryComputer")
    package static let onboarding = flag("isOnboardingComplete")
    /// How much room a row of a list takes.
    package static let density = oneOf("listDensity", ["compact", "cozy", "roomy"], initially: "cozy")
    /// Where an open conversation is shown; `off` is in place of the list.
    package static let readingPane = oneOf("readingPane", ["right", "below", "off"], initially: "right")
    /// Percent of the browser's own text size.
    package static let textSize = oneOf(
        "textSizePercent", [80, 90, 100, 110, 125, 150, 175, 200], initially: 100)
    /// Thousandths of the window; a pane that is not named has its usual size.
    package static let paneSizes = numbers(
        "paneSizes", from: 50...950, named: { ["sidebar", "list", "listHeight"].contains($0) })
    /// Accounts and folders whose content is hidden: `ACCOUNT`, or `ACCOUNT/MAILBOX`.
    package static let collapsedFolders = switches(
        "collapsedFolders", initially: [:], named: { (1...2).contains(idCount($0)) })
    /// The folders that are also listed above all others: `ACCOUNT/MAILBOX`, as in the next two.
    package static let favoriteFolders = switches(
        "favoriteFolders", initially: [:], named: { idCount($0) == 2 })
    /// The names of colors, which the page turns into ones that can be read in its theme.
    package static let folderColors = object(
        "folderColors", initially: [:], named: { idCount($0) == 2 },
        missing: { colors.contains($0) ? nil : "one of \(list(colors))" })
    /// Whether the number of unread conversations is shown; a folder that is not named shows it as usual for its kind.
    package static let folderCounts = switches("folderCounts", initially: [:], named: { idCount($0) == 2 })
    /// Where replies are written; `floating` is above the mail, where the user put it.
    package static let replyPlace = oneOf("replyPlace", ["below", "floating", "window"], initially: "below")
    /// Thousandths of the window; empty while the user has not moved a floating message.
    package static let composerBox = numbers(
        "composerBox", from: 0...1000, named: { ["left", "top", "width", "height"].contains($0) })

    /// Whether servers may be asked where the mail of a new account's address is.
    package static let serviceSearch = oneOf("serviceSearch", ["ask", "allow", "refuse"], initially: "ask")

    private static let colors: [JSONValue] = [
        "red", "orange", "yellow", "green", "teal", "blue", "purple", "pink", "gray",
    ]

    /// How many ids, with slashes between them, the name consists of; 0 if it does not.
    private static func idCount(_ name: String) -> Int {
        let ids = name.split(separator: "/", omittingEmptySubsequences: false)
        return ids.allSatisfy { Id<Account>(String($0)).isValid } ? ids.count : 0
    }

    private static func list(_ choices: [JSONValue]) -> String {
        choices.map { $0.stringValue ?? "\($0.intValue ?? 0)" }.joined(separator: ", ")
    }

    private static func flag(_ key: String) -> Preference {
        Preference(key, false) { $0.boolValue == nil ? "must be true or false" : nil }
    }

    private static func oneOf(_ key: String, _ choices: [JSONValue], initially value: JSONValue) -> Preference
    {
        Preference(key, value) { choices.contains($0) ? nil : "must be one of \(list(choices))" }
    }

    private static func switches(
        _ key: String, initially value: [String: JSONValue],
        named isName: @escaping @Sendable (String) -> Bool
    ) -> Preference {
        object(key, initially: value, named: isName) { $0.boolValue == nil ? "true or false" : nil }
    }

    private static func numbers(
        _ key: String, from range: ClosedRange<Int>, named isName: @escaping @Sendable (String) -> Bool
    ) -> Preference {
        object(key, initially: [:], named: isName) { value in
            value.intValue.map(range.contains) == true
                ? nil : "a number from \(range.lowerBound) to \(range.upperBound)"
        }
    }

    /// - Parameter missing: what a value must be, or nil if it is that.
    private static func object(
        _ key: String, initially value: [String: JSONValue],
        named isName: @escaping @Sendable (String) -> Bool,
        missing: @escaping @Sendable (JSONValue) -> String?
    ) -> Preference {
        Preference(key, .object(value)) { value in
            guard let object = value.objectValue else { return "must be an object" }
            for (name, value) in object {
                guard isName(name) else { return "must not name “\(name.prefix(40))”" }
                if let wanted = missing(value) { return "must contain \(wanted) for “\(name)”" }
            }
            return nil
        }
    }
}
