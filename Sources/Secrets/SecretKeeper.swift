public import FoundationEssentials
public import MailKernelAPI

/// Keeps passwords and tokens, in drawers that know nothing of each other: in the desktop's secret store
/// where there is one, else in a vault file that a passphrase seals.
///
/// Which of them is decided when the first secret is kept, and noted in the data folder.
public actor SecretKeeper {
    /// Whose drawer it is.
    public enum Owner: Sendable, Hashable {
        case plugin(String)
        case account(Id<Account>)

        var drawer: String {
            switch self {
            case .plugin(let id): "plugin/\(id)"
            case .account(let id): "account/\(id.rawValue)"
            }
        }
    }

    public enum State: Sendable, Hashable {
        /// The desktop's store keeps them, and asks by itself when it is locked.
        case secretService
        /// The desktop's store keeps them, and cannot be reached.
        case secretServiceMissing
        /// Nothing is kept yet, and there is no desktop's store: a vault has to be made with a passphrase.
        case needsVault
        case vaultLocked
        case vaultOpen
    }

    private let executor = QueueExecutor("secrets")
    private let environment: [String: String]
    private let vault: Vault
    private let note: SealedFile
    private let pauses: RetrySchedule
    /// Since the last right passphrase, those under way included.
    private var attempts = 0
    private var nextAttempt = ContinuousClock.now
    /// Drawers of accounts that are no more.
    private var ended: Set<String> = []
    private var service: SecretService?
    private var wasOffered: Bool?

    /// - Parameters:
    ///   - folder: the data folder, which is there.
    ///   - environment: says where the session bus is.
    public init(folder: URL, environment: [String: String]) {
        self.init(
            folder: folder, environment: environment, vault: Vault(folder.appending(path: "vault")),
            pauses: .guessing)
    }

    /// - Parameter pauses: how long is waited after each wrong passphrase in a row.
    init(folder: URL, environment: [String: String], vault: sending Vault, pauses: RetrySchedule) {
        self.environment = environment
        self.vault = vault
        self.pauses = pauses
        note = SealedFile(folder.appending(path: "secrets.json"))
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The secret store of a plugin or an account's session.
    public nonisolated func drawer(of owner: Owner) -> any SecretStore {
        Drawer(name: owner.drawer, keeper: self)
    }

    /// Forgets everything that is kept for one owner. An account's drawer takes nothing from then on: what still
    /// renews a token for it must not leave the next one behind.
    public func removeDrawer(of owner: Owner) throws(SecretError) {
        if case .account = owner { ended.insert(owner.drawer) }
        switch try place() {
        case .service(let service): try service.remove(String?.none, in: owner.drawer)
        case .vault:
            // Where no vault was ever made nothing is in it.
            if vault.exists { try put([:], owner.drawer) }
        }
    }

    /// Removes all secrets, the vault and the record of their location.
    public func removeAll() throws(SecretError) {
        do {
            if case .service(let service) = try place() { try service.remove(nil, in: nil) }
            try vault.remove()
            try note.remove()
        } catch let error as VaultError {
            throw .unavailable(reason: "\(error)")
        } catch let error as SecretError {
            throw error
        } catch {
            throw .unavailable(reason: "\(error)")
        }
        service = nil
    }

    /// Where the secrets are, and whether they can be reached.
    public var state: State {
        get throws(VaultError) {
            if let kept = try KeptBy.read(note), kept.place == .secretService {
                return isOffered ? .secretService : .secretServiceMissing
            }
            if vault.exists { return vault.isOpen ? .vaultOpen : .vaultLocked }
            return isOffered ? .secretService : .needsVault
        }
    }

    // MARK: The vault

    /// Makes the vault, which is open afterwards. It takes about half a second.
    public func createVault(_ passphrase: Secret) throws(VaultError) {
        if case .secretService = try state { throw .notInUse }
        try vault.create(passphrase.revealed)
        try KeptBy(place: .vault, store: "").write(note)
    }

    /// Opens the vault. It takes about half a second, and longer after each wrong passphrase.
    public func unlock(_ passphrase: Secret) async throws(VaultError) {
        if case .secretService = try state { throw .notInUse }
        // Each attempt has its own time slot, and the next is delayed as if this one were wrong, so parallel
        // attempts gain nothing.
        let turn = max(nextAttempt, .now)
        attempts += 1
        nextAttempt = turn + pause
        do {
            try await Task.sleep(until: turn, clock: .continuous)
        } catch {
            attempts = max(0, attempts - 1)
            throw .cancelled
        }
        do {
            try vault.open(passphrase.revealed)
            attempts = 0
            nextAttempt = .now
        } catch {
            if error == .wrongPassphrase {
                nextAttempt = max(nextAttempt, .now + pause)
            } else {
                attempts = max(0, attempts - 1)
            }
            throw error
        }
    }

    /// The delay after the number of wrong or pending attempts.
    private var pause: Duration { attempts == 0 ? .zero : .seconds(pauses.pause(after: attempts) ?? 0) }

    /// Closes the vault: secrets are there again once it is unlocked.
    public func lock() {
        vault.close()
    }

    public func changePassphrase(from old: Secret, to new: Secret) async throws(VaultError) {
        try await unlock(old)
        try vault.changePassphrase(from: old.revealed, to: new.revealed)
    }

    // MARK: Secrets

    private enum Place {
        case service(SecretService)
        case vault
    }

    fileprivate func secret(_ name: String, _ drawer: String) throws(SecretError) -> Secret? {
        switch try place() {
        case .service(let service): return try service.secret(name, in: drawer)
        case .vault:
            guard let contents = vault.drawer(drawer) else { throw .locked }
            return contents[name].map(Secret.init)
        }
    }

    fileprivate func put(_ secret: Secret?, _ name: String, _ drawer: String) throws(SecretError) {
        guard secret == nil || !ended.contains(drawer) else {
            throw .unavailable(reason: "The account was removed.")
        }
        switch try place() {
        case .service(let service):
            guard let secret else { return try service.remove(name, in: drawer) }
            try decide(service)
            try service.put(secret, name, in: drawer)
        case .vault:
            guard var contents = vault.drawer(drawer) else { throw .locked }
            guard secret != nil || contents[name] != nil else { return }
            contents[name] = secret?.revealed
            try put(contents, drawer)
        }
    }

    private func put(_ contents: [String: String], _ drawer: String) throws(SecretError) {
        guard vault.isOpen else { throw .locked }
        do {
            try vault.put(contents, as: drawer)
        } catch {
            throw .unavailable(reason: "\(error)")
        }
    }

    private func place() throws(SecretError) -> Place {
        if let service { return .service(service) }
        let kept: KeptBy?
        do {
            kept = try KeptBy.read(note)
        } catch {
            throw .unavailable(reason: "\(error)")
        }
        if kept?.place == .vault || (kept == nil && vault.exists) { return .vault }
        guard isOffered else {
            guard kept == nil else {
                throw .unavailable(
                    reason:
                        "The desktop's secret store keeps the secrets, but cannot be reached. Start mailkernel "
                        + "inside the desktop session.")
            }
            return .vault
        }
        let store = kept?.store ?? String(UInt64.random(in: .min ... .max), radix: 36)
        let found = SecretService(store: store)
        service = found
        return .service(found)
    }

    /// Notes that the desktop's store keeps the secrets, before the first one is there.
    private func decide(_ service: SecretService) throws(SecretError) {
        do {
            guard try KeptBy.read(note) == nil else { return }
            try KeptBy(place: .secretService, store: service.store).write(note)
        } catch {
            throw .unavailable(reason: "\(error)")
        }
    }

    /// Asked once if the answer is yes: a desktop's store can come later than this program.
    private var isOffered: Bool {
        if wasOffered != true { wasOffered = SecretService.isOffered(environment) }
        return wasOffered == true
    }
}

/// One owner's secrets.
private struct Drawer: SecretStore {
    let name: String
    let keeper: SecretKeeper

    func secret(named name: String) async throws(SecretError) -> Secret? {
        try await keeper.secret(name, self.name)
    }

    func store(_ secret: Secret, named name: String) async throws(SecretError) {
        try await keeper.put(secret, name, self.name)
    }

    func removeSecret(named name: String) async throws(SecretError) {
        try await keeper.put(nil, name, self.name)
    }
}

extension RetrySchedule {
    /// After wrong passphrases and PINs, to slow down guessing.
    package static let guessing = RetrySchedule([1, 2, 4, 8, 16], then: 30)
}
