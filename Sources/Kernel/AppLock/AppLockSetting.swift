public import MailKernelAPI

/// The app lock as the store has it, for a program that is not running.
public struct AppLockSetting: Sendable {
    private let preferences: Preferences

    public init(_ backend: any StorageBackend) {
        preferences = Preferences(MailStore(backend))
    }

    public var isOn: Bool {
        get async throws(StorageError) { try await preferences.value(.appLock).boolValue ?? true }
    }

    /// Asks nobody: whoever calls it has.
    public func turnOff() async throws(StorageError) {
        try await preferences.setAppLock(false)
    }
}
