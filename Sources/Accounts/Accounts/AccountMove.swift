import FoundationEssentials
import Mail
import MailKernelAPI
import Store
import Sync
import Synchronization

/// A new sign-in of an account that was tried, but for its way to the mail.
struct NewWay: Sendable {
    let pluginID: String
    var candidate: AccountCandidate
    let valid: ValidatedAccount
    /// The hosts that the user entered for it.
    let entered: Set<String>
    /// Whether the mail is read from another place, where messages have other names.
    var isMove = false
}

/// A sign-in that leads through another plugin, as from IMAP to JMAP (decision 151).
extension Accounts {
    /// Finds out whether a sign-in leads to another place. If so, the mailboxes are listed there once, so that an account
    /// does not leave its place for one that cannot be read.
    ///
    /// - Throws: `AccountProblem` if the account cannot move there.
    func tryMove(of account: Account, to way: inout NewWay) async throws {
        guard let provider = provider(way.pluginID) else { throw AccountError.notFound }
        way.isMove = way.pluginID != account.pluginID
        guard way.isMove else { return }
        let other = try await store.read.accounts().first {
            $0.id != account.id && $0.pluginID == way.pluginID
                && $0.address.lowercased() == account.address.lowercased()
        }
        if let other { throw AccountProblem.alreadyThere(other.address) }
        let map = try await RemoteMap.stored(account.id, in: store)
        if map?.features.contains(.local) == true { throw AccountProblem.notMovable }
        var there = account
        (there.pluginID, there.settings) = (way.pluginID, way.candidate.settings)
        let secrets = TrialSecrets(way.candidate.secrets)
        let session = try await provider.session(for: there, secrets: secrets)
        do {
            _ = try await session.mailboxes()
            guard await !session.features.contains(.local) else { throw AccountProblem.notMovable }
        } catch {
            await session.close()
            throw error
        }
        await session.close()
        // A token may have been renewed.
        way.candidate.secrets = secrets.all
    }

    /// What is committed together with the settings of an account that moves.
    func moveChanges(of account: Account, _ way: NewWay) throws -> [StorageChange] {
        guard way.isMove else { return [] }
        return [
            try FormerPlace().change(for: account.id), SyncEpoch.begin(account.id, ids: ids),
            FormerParts.change(ids.text("M"), of: account.id),
        ]
    }

    /// The hosts that the account may contact with its new sign-in. Without another plugin, what it asked for this time is
    /// not all that it needs.
    func hostChanges(
        of account: Account, _ way: NewWay
    ) async throws(StorageError) -> (kept: [StorageChange], allowed: Set<String>?) {
        if way.pluginID != account.pluginID {
            return (AccountHosts.replace(way.entered, of: account.id), way.entered)
        }
        guard !way.entered.isEmpty else { return ([], nil) }
        let all = way.entered.union(try await hosts.known(of: account.id))
        return (AccountHosts.keep(all, of: account.id), all)
    }
}

/// The secrets of a sign-in that is tried.
private final class TrialSecrets: SecretStore {
    private let secrets: Mutex<[String: Secret]>

    init(_ secrets: [String: Secret]) { self.secrets = Mutex(secrets) }

    var all: [String: Secret] { secrets.withLock { $0 } }

    func secret(named name: String) throws(SecretError) -> Secret? { all[name] }

    func store(_ secret: Secret, named name: String) throws(SecretError) {
        secrets.withLock { $0[name] = secret }
    }

    func removeSecret(named name: String) throws(SecretError) { secrets.withLock { $0[name] = nil } }
}
