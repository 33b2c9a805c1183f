import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// One look at a service and at the rules here: what is there, and what can run there.
struct ServiceLook: Sendable {
    let offer: RemoteScripts?
    let view: ServiceView
    let plan: ServicePlan
    /// Why no rules can run there.
    let obstacle: String?

    init(
        _ accountID: Id<Account>, _ session: any AccountSession, store: MailStore, mail: MailActions,
        scripts: UserScripts
    ) async throws {
        offer = try await session.scripts()
        var ours: String?
        if offer?.scripts.contains(where: { $0.name == ServiceRules.scriptName }) ?? false {
            do throws(AccountError) {
                ours = try await session.script(named: ServiceRules.scriptName)
            } catch {
                // Deleted since.
                guard error == .notFound else { throw error }
            }
        }
        view = ServiceView(scripts: offer?.scripts ?? [], ours: ours)
        let hasLabels = try await mail.features(of: accountID).contains(.labels)
        obstacle = Self.obstacle(offer)
        guard let offer, obstacle == nil, let active = try await scripts.active(in: accountID) else {
            plan = .none
            return
        }
        let map = try await RemoteMap.load(accountID, from: store)
        let paths = MailboxPaths(try await store.read.mailboxes(nil, in: accountID).map(\.mailbox))
        var (folders, mailboxIDs): ([String: String], [String: String]) = ([:], [:])
        for (remote, local) in map.mailboxes {
            if let name = offer.mailboxNames[remote], let path = paths.path(of: local) {
                folders[MailboxPaths.folded(path)] = name
                mailboxIDs[MailboxPaths.folded(path)] = remote.rawValue
            }
        }
        folders["inbox"] = nil
        let identities = try await store.read.identities(nil, in: accountID).map(\.email)
        let own = try await store.account(accountID)?.address
        plan = ServicePlan(
            active.text,
            ServiceOffer(
                extensions: offer.extensions, folders: folders,
                addresses: identities + (own.map { identities.contains($0) ? [] : [$0] } ?? []),
                hasLabels: hasLabels, mailboxIDs: mailboxIDs))
    }

    private static func obstacle(_ offer: RemoteScripts?) -> String? {
        guard let offer else { return "This service does not let mail programs add rules." }
        guard offer.extensions.contains("imap4flags"), offer.keepsKeywords else {
            return "This service does not save flags, which mailkernel needs to see which rules have run."
        }
        return nil
    }

    func found(
        at now: Date, isOurs: Bool, _ question: ServiceRules.Found.Question?
    ) -> ServiceRules.Found {
        var found = ServiceRules.Found(at: now)
        found.scripts = offer?.scripts
        found.isThere = isOurs
        found.isActive = isOurs && view.isOursActive
        found.isForeign = view.ours != nil && !isOurs
        found.question = question
        found.obstacle = obstacle
        found.rules = plan.entries.map {
            ServiceRules.Rule(title: $0.title, isOff: $0.isOff, reason: $0.reason)
        }
        return found
    }
}
