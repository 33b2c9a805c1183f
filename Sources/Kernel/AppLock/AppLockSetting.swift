import MailKernelAPI
import Store

/// The app lock setting in the store, for use while the program is not running.
package struct AppLockSetting: Sendable {
    private let preferences: Preferences

    package init(_ store: MailStore) {
        preferences = Preferences(store)
    }

    package var isOn: Bool {
        get async throws(StorageError) { try await preferences.value(.appLock).boolValue ?? true }
    }

    /// Does not ask for a password: the caller has done that.
    package func turnOff() async throws(StorageError) {
        try await preferences.setAppLock(false)
    }
}
