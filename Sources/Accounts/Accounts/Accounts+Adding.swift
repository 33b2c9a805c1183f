import FoundationEssentials
import MailKernelAPI
import Store
import Sync

extension Accounts {
    /// Adds the accounts of the demo mailbox, if they are not there yet.
    ///
    /// - Returns: whether a plugin brings a demo.
    package func addDemo() async throws -> Bool {
        guard let (pluginID, setup) = await setups.first(where: { $0.setup.kind == .demo }),
            let provider = providers[pluginID]
        else { return false }
        guard try await store.read.accounts().isEmpty else { return true }
        let request = AuthorizationRequest(setupID: setup.id, redirect: Self.noRedirect)
        guard case .finished(let candidates) = try await provider.authorize(.begin(request)) else {
            throw AccountError.badAnswer("the demo asks questions")
        }
        for candidate in candidates { try await add(candidate, of: pluginID) }
        return true
    }

    /// Adds an account that keeps its mail on this device, with the values that its form begins with; nil if no plugin
    /// has one.
    package func addLocal() async throws -> Account? {
        guard let (pluginID, setup) = await setups.first(where: { $0.setup.kind == .local }),
            let provider = providers[pluginID]
        else { return nil }
        let request = AuthorizationRequest(setupID: setup.id, redirect: Self.noRedirect)
        var step = try await provider.authorize(.begin(request))
        if case .form(let fields, let memory) = step {
            let values = Dictionary(fields.map { ($0.name, Secret($0.initialValue)) }) { first, _ in first }
            step = try await provider.authorize(.form(values, memory: memory))
        }
        guard case .finished(let candidates) = step, let candidate = candidates.first else {
            throw AccountError.badAnswer("a local account asks for more than its form")
        }
        return try await add(candidate, of: pluginID)
    }

    /// What stays on this machine needs no browser.
    private static let noRedirect = URL(filePath: "/")

    /// Tries an account that has signed in, and adds it. Nothing is added or kept if it throws.
    ///
    /// - Parameters:
    ///   - entered: the hosts that the user entered for it.
    ///   - waitsForOnboarding: its mail is not fetched before onboarding is complete.
    @discardableResult
    package func add(
        _ candidate: AccountCandidate, of pluginID: String, entered: Set<String> = [],
        waitsForOnboarding: Bool = false
    ) async throws -> Account {
        guard let provider = providers[pluginID] else { throw AccountError.notFound }
        let valid = try await provider.validate(candidate)
        try Self.goOn()
        guard !valid.address.isEmpty else { throw AccountError.badAnswer("an account without an address") }
        guard adding.insert([pluginID, valid.address.lowercased()]).inserted else {
            throw AccountProblem.alreadyThere(valid.address)
        }
        defer { adding.remove([pluginID, valid.address.lowercased()]) }
        let existing = try await store.read.accounts()
        if let same = existing.first(where: {
            $0.pluginID == pluginID && $0.address.lowercased() == valid.address.lowercased()
        }) {
            throw AccountProblem.alreadyThere(same.address)
        }
        let account = Account(
            id: ids.next("A"), pluginID: pluginID, address: valid.address, displayName: valid.displayName,
            addedAt: clock.now, settings: candidate.settings)
        let waits =
            if waitsForOnboarding { try await !onboarding.isComplete } else { false }
        let changes =
            [.putAccount(account)] + identities(of: valid, for: account)
            + AccountHosts.keep(entered, of: account.id)
            + [ServiceAddresses.keep(valid, of: account.id), secretNames(candidate, of: account.id)]
            + (waits ? [Onboarding.wait(account.id)] : [])
        try await exclusively(account.id) {
            try await keep(account, changes, candidate.secrets)
            hosts.allow(entered, of: account)
            if !waits { await start(account) }
        }
        return account
    }

    /// Marks the secrets for removal until their account exists: without it they would be unused and unknown.
    private func keep(
        _ account: Account, _ changes: [StorageChange], _ secrets: [String: Secret]
    ) async throws {
        let removal = AccountRemoval(account: account, revokes: false)
        try await store.commit([removal.begun])
        do {
            let drawer = self.secrets.drawer(account)
            for (name, secret) in secrets { try await drawer.store(secret, named: name) }
            try Self.goOn()
            try await store.commit(changes + [removal.done])
        } catch {
            await forgetSecrets(removal)
            throw error
        }
    }

    /// The user may have given up while it was tried, and providers need not notice.
    package static func goOn() throws(AccountError) {
        if Task.isCancelled { throw .cancelled }
    }

    private func identities(of valid: ValidatedAccount, for account: Account) -> [StorageChange] {
        let addresses =
            valid.identities.isEmpty
            ? [EmailAddress(name: valid.displayName, email: valid.address)] : valid.identities
        return addresses.map { address in
            .putIdentity(
                Identity(
                    id: ids.next("I"), accountID: account.id, name: address.name ?? valid.displayName,
                    email: address.email))
        }
    }
}

package enum AccountProblem: Error, Sendable, Hashable, CustomStringConvertible {
    case alreadyThere(String)
    /// The user signed in to a different account.
    case anotherAccount(String, expected: String)
    case notPausable(Reason)
    /// The account or its new place keeps mail on this device only.
    case notMovable

    package enum Reason: Sendable, Hashable {
        /// Its mail is on this device only.
        case local
        case signedOut
    }

    package var description: String {
        switch self {
        case .alreadyThere(let address): "You already have an account for \(address)."
        case .anotherAccount(let address, let expected):
            "You signed in as \(address). Sign in as \(expected) to use that account again. Nothing was changed."
        case .notPausable(.local):
            "The mail of this account is on this device only, so there is nothing to pause."
        case .notMovable:
            "Mail that is kept on this device only cannot move to a server, or from there. Add another account for it."
        case .notPausable(.signedOut): "The account is signed out, so mail is neither received nor sent."
        }
    }
}
