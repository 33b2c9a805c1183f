import FoundationEssentials
import MailKernelAPI

/// All or nothing.
let storageCommitCases: [ConformanceCase] = [
    storageCase(
        "aFailedCommitChangesNothing", "If the last change of a set fails, none is applied."
    ) { store in
        let before = try await Everything(store.backend)
        try await expectNotFound("destroying an email that is not there") {
            try await store.commit(oneOfEach + [.destroyEmail(Id("missing"), in: Fixture.home)])
        }
        try await Everything(store.backend).expectSame(as: before, "after a failed commit")
    },
    storageCase(
        "aFailedCommitDestroysNothing", "Records that a failed set would have removed still exist."
    ) { store in
        try await store.commit(oneOfEach)
        let before = try await Everything(store.backend)
        try await expectInvalid("putting an email into no mailbox") {
            try await store.commit(
                .destroyMailbox(Fixture.inbox, in: Fixture.home),
                .destroyIdentity(Id("me"), in: Fixture.home),
                .destroySubmission(Id("s1"), in: Fixture.home),
                .destroyDocument(DocumentKey("settings", "theme")),
                .countContacts([Fixture.sighting("anna@example.org")], in: Fixture.home),
                .putEmail(Fixture.email("b", in: []), Fixture.body("")))
        }
        try await Everything(store.backend).expectSame(as: before, "after a failed commit")
    },
    storageCase("aFailedCommitLeavesNoTraceOnTheDisk", "Nor is any of it there after reopening.") { store in
        try await expectNotFound("putting an email into a missing mailbox") {
            try await store.commit(
                .putEmail(Fixture.email("a"), Fixture.body("a")),
                .putEmail(Fixture.email("b", in: [Id("missing")]), Fixture.body("b")))
        }
        try await store.reopen()
        try await expectEqual(store.find(nil), "", "emails after a failed commit and reopening")
        try await expectEqual(store.counts(Fixture.inbox), MailboxCounts(), "counts of the inbox")
    },
    storageCase("laterChangesSeeEarlierOnes", "The changes of a set are applied in order.") { store in
        try await store.commit(
            .putMailbox(Fixture.mailbox(Id("new"))),
            .putEmail(Fixture.email("a", in: [Id("new")]), Fixture.body("")),
            .updateEmail(EmailUpdate(Id("a"), in: Fixture.home, addMailboxes: [Fixture.inbox])),
            .destroyMailbox(Id("new"), in: Fixture.home))
        try await expectEqual(store.email("a").email.mailboxIDs, [Fixture.inbox], "mailboxes of the email")
    },
    storageCase("aTrueConditionLetsTheCommitThrough", "A set whose preconditions hold is applied.") { store in
        let state = try await store.state(.email)
        let set = ChangeSet(
            [.putEmail(Fixture.email("a"), Fixture.body(""))],
            preconditions: [.init(.email, in: Fixture.home, is: state)])
        _ = try await store.backend.commit(set)
        try await expectEqual(store.find(nil), "a", "emails")
    },
    storageCase("aFalseConditionStopsTheCommit", "`.stateMismatch` names the type and its state.") { store in
        let old = try await store.state(.email)
        let mailboxes = try await store.state(.mailbox)
        try await store.put(Fixture.email("a"))
        let current = try await store.state(.email)
        try expect(old != current, "a new email must change the state of emails, it stayed \(old)")
        try expect(
            try await store.state(.mailbox) != mailboxes, "new counts must change the state of mailboxes")
        let set = ChangeSet(
            [.destroyEmail(Id("a"), in: Fixture.home)],
            preconditions: [.init(.email, in: Fixture.home, is: old)])
        try await expectStorageError(.stateMismatch(.email, current: current), "a commit on an old state") {
            try await store.backend.commit(set)
        }
        try await expectEqual(store.find(nil), "a", "emails after the refused commit")
    },
    storageCase("aCommitNamesTheNewStates", "`commit` returns the same states as `state` afterwards.") {
        store in
        let result = try await store.commit(oneOfEach)
        for change in result.states {
            let state = try await store.backend.state(of: change.type, in: change.accountID)
            try expectEqual(change.state, state, "the state of \(change.type.rawValue)")
        }
        let types = Set(result.states.map(\.type))
        for type in [DataType.email, .thread, .mailbox, .identity, .submission, .documents("cursor")] {
            try expect(types.contains(type), "the new state of \(type.rawValue) is missing from the result")
        }
    },
    storageCase("anEmptyCommitChangesNothing", "A set without changes has no new states.") { store in
        let before = try await Everything(store.backend)
        try await expectEqual(store.commit([]).states, [], "new states")
        try await Everything(store.backend).expectSame(as: before, "after an empty commit")
    },
    storageCase("writingTheSameChangesNoState", "Writing identical data is not a change.") { store in
        try await store.commit(oneOfEach)
        let before = try await Everything(store.backend)
        let repeated = oneOfEach.filter { if case .countContacts = $0 { false } else { true } }
        try await store.commit(repeated)
        try await Everything(store.backend).expectSame(as: before, "after writing the same again")
    },
    storageCase("whatIsMissingIsNotFound", "Changes that need a missing record throw it.") {
        store in
        let nowhere = Id<Account>("nowhere")
        let missing: [(String, StorageChange)] = [
            ("a mailbox of no account", .putMailbox(Fixture.mailbox(Id("m"), in: nowhere))),
            ("a mailbox below a missing one", .putMailbox(Fixture.mailbox(Id("m"), parent: Id("none")))),
            ("destroying a missing mailbox", .destroyMailbox(Id("none"), in: Fixture.home)),
            ("an email of no account", .putEmail(Fixture.email("a", of: nowhere), Fixture.body(""))),
            (
                "an email in a missing mailbox",
                .putEmail(Fixture.email("a", in: [Id("none")]), Fixture.body(""))
            ),
            ("updating a missing email", .updateEmail(EmailUpdate(Id("none"), in: Fixture.home))),
            ("destroying a missing email", .destroyEmail(Id("none"), in: Fixture.home)),
            ("an identity of no account", .putIdentity(Fixture.identity("i", of: nowhere))),
            ("destroying a missing identity", .destroyIdentity(Id("none"), in: Fixture.home)),
            ("a submission of no account", .putSubmission(Fixture.submission("s", of: nowhere))),
            ("destroying a missing submission", .destroySubmission(Id("none"), in: Fixture.home)),
            ("contacts of no account", .countContacts([Fixture.sighting("a@b.c")], in: nowhere)),
            ("an insight of a missing email", .putInsight(Fixture.insight("none"))),
            (
                "a document of no account",
                .putDocument(Document(DocumentKey("c", "n", accountID: nowhere), value: 1))
            ),
            (
                "a remote name of a missing email",
                .putRemote(
                    RemoteRef(emailID: Id("none"), accountID: Fixture.home, feed: Id("f"), remoteID: Id("1")))
            ),
        ]
        for (what, change) in missing where store.isKept(change) {
            try await expectNotFound(what) { try await store.commit(change) }
        }
        try await store.commit(
            .removeRemote(Id("none"), feed: Id("f"), in: Fixture.home),
            .destroyDocument(DocumentKey("c", "none")))
    },
    storageCase("contradictionsAreInvalid", "Contradictory records are rejected.") { store in
        try await store.put(Fixture.email("a"))
        try await store.commit(.putMailbox(Fixture.mailbox(Id("child"), parent: Fixture.archive)))
        let update = EmailUpdate(Id("a"), in: Fixture.home, removeMailboxes: [Fixture.inbox])
        let wrong: [(String, StorageChange)] = [
            ("an email in no mailbox", .putEmail(Fixture.email("b", in: []), Fixture.body(""))),
            ("taking an email out of its only mailbox", .updateEmail(update)),
            ("a mailbox below itself", .putMailbox(Fixture.mailbox(Id("child"), parent: Id("child")))),
            ("a mailbox below its child", .putMailbox(Fixture.mailbox(Fixture.archive, parent: Id("child")))),
            ("destroying a mailbox with children", .destroyMailbox(Fixture.archive, in: Fixture.home)),
        ]
        for (what, change) in wrong {
            try await expectInvalid(what) { try await store.commit(change) }
        }
    },
    storageCase("commitsFromManyTasksAllArrive", "Simultaneous commits are applied one after the other.") {
        store in
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask { try await store.put(Fixture.email("e\(number)", keywords: [.seen])) }
            }
            try await group.waitForAll()
        }
        try await expectEqual(
            store.counts(Fixture.inbox), MailboxCounts(totalEmails: 40, totalThreads: 40),
            "counts of the inbox")
    },
    storageCase("readersSeeWholeCommits", "A reader sees either none or all of a commit.") { store in
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<25 {
                    try await store.put(Fixture.email("a"), Fixture.email("b"))
                    try await store.destroy("a", "b")
                }
                try await store.put(Fixture.email("end"))
            }
            group.addTask {
                var found: [Id<Email>] = []
                while !Task.isCancelled, !found.contains(Id("end")) {
                    let ids = ["a", "b", "end"].map { Id<Email>($0) }
                    found = try await store.backend.emails(ids, in: Fixture.home).map(\.email.id)
                    try expect(
                        found.contains(ids[0]) == found.contains(ids[1]),
                        "of two emails of a commit, only \(found) were seen")
                    // A store that never waits would leave no room for the writer.
                    await Task.yield()
                }
            }
            for try await _ in group {}
        }
    },
]
