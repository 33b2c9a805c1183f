public import MailKernelAPI

/// The app lock setting in the store, for use while the program is not running.
public struct AppLockSetting: Sendable {
    private let preferences: Preferences

    public init(_ backend: any StorageBackend) {
        preferences = Preferences(MailStore(backend))
    }

    public var isOn: Bool {
        get async throws(StorageError) { try await preferences.value(.appLock).boolValue ?? true }
    }

    /// Does not ask for a password: the caller has done that.
    public func turnOff() async throws(StorageError) {
        try await preferences.setAppLock(false)
    }
}
