/// Why a vault cannot be opened, made or changed.
public enum VaultError: Error, Hashable, CustomStringConvertible {
    case wrongPassphrase
    /// The file is not as this program wrote it. It is left as it is.
    case damaged(path: String)
    case writtenByNewerVersion(path: String)
    case passphraseTooShort(least: Int)
    /// There is one already.
    case exists(path: String)
    /// There is none yet.
    case missing(path: String)
    /// Secrets are kept elsewhere.
    case notInUse
    /// The reason is of the system: a full disk, a folder that cannot be written.
    case failed(path: String, reason: String)
    /// The task was cancelled.
    case cancelled

    public var description: String {
        switch self {
        case .wrongPassphrase:
            "The passphrase is wrong."
        case .damaged(let path):
            "The vault \(path) was damaged or modified, and was not changed. Restore it from a backup, or move it "
                + "away and sign in to your accounts again."
        case .writtenByNewerVersion(let path):
            "The vault \(path) was written by a newer version of this program. Use that version."
        case .passphraseTooShort(let least):
            "A passphrase needs at least \(least) characters."
        case .exists(let path):
            "A vault already exists: \(path)."
        case .missing(let path):
            "There is no vault yet: \(path)."
        case .notInUse:
            "The desktop's secret store keeps the secrets, so there is no vault."
        case .failed(let path, let reason):
            "The vault \(path) cannot be used: \(reason)."
        case .cancelled:
            "Canceled."
        }
    }
}
