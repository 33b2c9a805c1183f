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
        defaultSendingAccount, undoSendDelay, sendWhileClosed, theme, categoryTabs, appLock, appLockDelay,
        notifications, notifyEverywhere, onboarding,
    ]

    package static func named(_ key: String) -> Preference? { all.first { $0.key == key } }

    package static let defaultSendingAccount = Preference("defaultSendingAccountId", .null) { value in
        value == .null || value.stringValue.map { Id<Account>($0).isValid } == true
            ? nil : "must be the id of an account, or null"
    }
    package static let undoSendDelay = oneOf("undoSendDelaySeconds", [0, 5, 10, 15, 30], initially: 5)
    /// Whether the undo delay continues while no window of the page is open.
    package static let sendWhileClosed = flag("sendWhileClosed")
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

    private static func flag(_ key: String) -> Preference {
        Preference(key, false) { $0.boolValue == nil ? "must be true or false" : nil }
    }

    private static func oneOf(_ key: String, _ choices: [JSONValue], initially value: JSONValue) -> Preference
    {
        let list = choices.map { $0.stringValue ?? "\($0.intValue ?? 0)" }.joined(separator: ", ")
        return Preference(key, value) { choices.contains($0) ? nil : "must be one of \(list)" }
    }

    private static func switches(
        _ key: String, initially value: [String: JSONValue],
        named isName: @escaping @Sendable (String) -> Bool
    ) -> Preference {
        Preference(key, .object(value)) { value in
            guard let object = value.objectValue else { return "must be an object" }
            for (name, value) in object {
                guard isName(name) else { return "must not name “\(name.prefix(40))”" }
                guard value.boolValue != nil else { return "must contain true or false for “\(name)”" }
            }
            return nil
        }
    }
}
