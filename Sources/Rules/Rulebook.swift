import Accounts
import Compose
import FoundationEssentials
import Mail
import MailKernelAPI
import Sieve
import Store

/// The rules of all accounts: their scripts, the program that runs them, and their rehearsal.
package struct Rulebook: Sendable {
    package let scripts: UserScripts
    /// Rules that run at services.
    package let service: ServiceScripts
    /// Vacation replies, of services too.
    package let vacations: Vacations
    let store: MailStore
    let mail: MailActions
    let actions: Actions
    let ids: IDMaker
    let clock: any HostClock
    private let runner: RuleRunner

    package init(
        store: MailStore, mail: MailActions, actions: Actions, blobs: Blobs, outbox: Outbox,
        clock: any HostClock, log: LogOutput
    ) {
        (self.store, self.mail, self.actions, self.clock) = (store, mail, actions, clock)
        ids = IDMaker(clock: clock)
        scripts = UserScripts(store: store, ids: ids, clock: clock)
        service = ServiceScripts(store: store, mail: mail, scripts: scripts, clock: clock, log: log)
        vacations = Vacations(store: store, mail: mail, scripts: scripts, clock: clock)
        let mailer = AutomaticMailer(store: store, blobs: blobs, outbox: outbox, clock: clock, log: log)
        runner = RuleRunner(
            store: store, mail: mail, actions: actions, mailer: mailer, ids: ids, clock: clock, log: log)
    }

    package var rehearsal: Rehearsal { Rehearsal(store: store, mail: mail, ids: ids, clock: clock) }
    package var pastMail: PastMail {
        PastMail(store: store, mail: mail, actions: actions, ids: ids, clock: clock)
    }

    /// Changes of saved searches, which rules may use.
    package var searches: SearchUses { SearchUses(store: store, scripts: scripts) }

    /// The mailboxes of an account by the names that rules call them.
    package func paths(in accountID: Id<Account>) async throws(StorageError) -> MailboxPaths {
        MailboxPaths(try await store.read.mailboxes(nil, in: accountID).map(\.mailbox))
    }

    package func start() async {
        await runner.start()
        await service.start()
    }

    package func stop() async {
        await service.stop()
        await runner.stop()
    }

    /// Runs the rules on what the kernel that looked after the account before has left.
    package func turnBegan(_ accountID: Id<Account>) async { await runner.run(accountID) }

    /// Why rules last did not do what they say.
    package func problems(in accountID: Id<Account>) async throws(StorageError) -> [RuleProblem] {
        try await RuleProblem.all(in: accountID, store)
    }

    /// The extensions that scripts can use.
    package static var extensions: [String] { SieveProgram.supportedExtensions }
    /// How often a script can send a message on.
    package static var mostRedirects: Int { SieveLimits().redirects }
}
