import FoundationEssentials
import MailKernelAPI

let mailboxCases: [ConformanceCase] = [
    accountCase("mailboxesHaveIdsAndNames", "Mailboxes have unique ids, and names.") { trial in
        let mailboxes = try await trial.mailboxes()
        try expect(!mailboxes.isEmpty, "mailboxes: expected at least one, found none")
        try expectEqual(
            Set(mailboxes.map(\.id)).count, mailboxes.count, "the number of different mailbox ids")
        for mailbox in mailboxes {
            try expect(!mailbox.name.isEmpty, "mailboxes: expected each to have a name, found one without")
            try expect(
                (1...255).contains(mailbox.id.rawValue.utf8.count),
                "mailboxes: expected ids of 1 to 255 bytes, found one of \(mailbox.id.rawValue.utf8.count)")
        }
    },
    accountCase("parentsComeBeforeTheirChildren", "A mailbox is listed after its parent.") {
        trial in
        if await trial.session.features.contains(.mailboxChanges) {
            let parent = try await trial.makeMailbox("parent")
            // A service without a hierarchy says no, and then there is nothing to hold here.
            _ = try? await trial.makeMailbox("child", below: parent)
        }
        var seen: Set<RemoteMailboxID> = []
        for mailbox in try await trial.mailboxes() {
            if let parent = mailbox.parentID {
                try expect(
                    seen.contains(parent), "mailboxes: “\(mailbox.name)” comes before its parent or has none")
            }
            seen.insert(mailbox.id)
        }
    },
    accountCase("rolesAreUnique", "No two mailboxes have the same role, and none has “all”.") { trial in
        let roles = try await trial.mailboxes().compactMap(\.role)
        try expectEqual(Set(roles).count, roles.count, "the number of different roles of \(roles)")
        try expect(
            !roles.contains(.all),
            "mailboxes: expected what holds every message again to be a feed, found a mailbox")
    },
    accountCase(
        "everyMailboxHasAFeed", "Feeds have unique ids and cover every mailbox; the inbox comes first."
    ) {
        try await feeds($0)
    },
    accountCase("aMailboxIsMadeOnce", "Creating a mailbox again returns the existing one.") { trial in
        let made = try await trial.makeMailbox("once")
        let again = try await trial.done(.createMailbox(name: "\(trial.tag) once", parent: nil))
        try expectEqual(again.mailbox, made, "the mailbox that making it again answered with")
        let named = try await trial.mailboxes().filter { $0.name == "\(trial.tag) once" }
        try expectEqual(named.map(\.id), [made], "the mailboxes of that name")
    },
    accountCase("aMailboxIsRenamed", "A renamed mailbox has its new name and keeps its mail.") { trial in
        let mailbox = try await trial.makeMailbox("before")
        let mail = trial.mail()
        _ = try await trial.add(mail, to: mailbox)
        let rename = RemoteMutation.renameMailbox(mailbox, name: "\(trial.tag) after", parent: nil)
        let renamed = try await trial.done(rename).mailbox ?? mailbox
        let listed = try await trial.mailboxes().filter { $0.name.hasPrefix(trial.tag) }
        try expectEqual(listed.map(\.name), ["\(trial.tag) after"], "the mailboxes after renaming")
        try expectEqual(listed.map(\.id), [renamed], "the id in the outcome of renaming")
        _ = try await trial.only(mail, in: renamed)
        // By its old id it could not be cleaned up where ids are names.
        _ = try await trial.apply(.destroy(try await trial.find(mail, in: renamed)))
        try await trial.done(.deleteMailbox(renamed))
    },
    accountCase("aDeletedMailboxIsGone", "A deleted mailbox is gone, and deleting it again succeeds.") {
        trial in
        let mailbox = try await trial.makeMailbox("gone")
        try await trial.done(.deleteMailbox(mailbox))
        try expect(
            try await !trial.mailboxes().contains { $0.id == mailbox },
            "mailboxes: expected the deleted mailbox to be gone, found it")
        try await trial.done(.deleteMailbox(mailbox))
    },
    accountCase(
        "deletingAMailboxSparesLabeledMail", "Messages of a deleted mailbox stay in their other mailboxes."
    ) { trial in
        try await trial.require(.labels, "messages in several mailboxes")
        let one = try await trial.makeMailbox("one")
        let other = try await trial.makeMailbox("other")
        let mail = trial.mail()
        let address = try await trial.add(mail, to: one)
        try await trial.done(.add([address], to: other))
        try await trial.done(.deleteMailbox(one))
        _ = try await trial.only(mail, in: other)
    },
    accountCase("aMailboxBelowNothingIsRefused", "Creating a mailbox below a missing one is refused.") {
        trial in
        let parent = try await trial.makeMailbox("parent")
        try await trial.done(.deleteMailbox(parent))
        let outcome = try await trial.apply(.createMailbox(name: "\(trial.tag) child", parent: parent))
        if case .refused = outcome { return }
        throw ConformanceFailure("createMailbox below a deleted one: expected “refused”, found \(outcome)")
    },
]

private func feeds(_ trial: AccountTrial) async throws {
    let listing = try await trial.session.mailboxes()
    try expect(!listing.feeds.isEmpty, "mailboxes: expected at least one feed, found none")
    try expectEqual(
        Set(listing.feeds.map(\.id)).count, listing.feeds.count, "the number of different feed ids")
    let ids = Set(listing.mailboxes.map(\.id))
    for feed in listing.feeds {
        if let mailbox = feed.mailboxID {
            try expect(ids.contains(mailbox), "mailboxes: a feed belongs to a mailbox that is not listed")
        }
    }
    for mailbox in listing.mailboxes {
        try expect(
            listing.feeds.contains { $0.tells(of: mailbox.id) },
            "mailboxes: expected a feed that tells of “\(mailbox.name)”, found none")
    }
    if let inbox = listing.mailboxes.first(where: { $0.role == .inbox }) {
        let first = listing.feeds.min { $0.priority < $1.priority }
        let ofInbox = listing.feeds.filter { $0.tells(of: inbox.id) }.map(\.priority).min()
        try expectEqual(ofInbox, first?.priority, "the priority of the inbox's feed, against the lowest")
    }
}
