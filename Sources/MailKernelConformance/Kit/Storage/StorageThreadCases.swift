import FoundationEssentials
import MailKernelAPI

/// Which emails are one conversation (FR-SYNC-06).
let storageThreadCases: [ConformanceCase] = [
    storageCase("answersJoinTheThread", "In-Reply-To and References connect emails.") { store in
        try await store.put(
            Fixture.email("a"), Fixture.email("b", inReplyTo: ["a@mail.example"]),
            Fixture.email("c", references: ["x@y", "b@mail.example"]), Fixture.email("d"))
        try await expectEqual(store.threads(of: ["a", "b", "c", "d"]), "a+b+c d", "threads")
    },
    storageCase("aMissingParentConnects", "Emails with a common missing ancestor are in one thread.") {
        store in
        try await store.put(
            Fixture.email("a", references: ["lost@x"]), Fixture.email("b", inReplyTo: ["lost@x"]))
        try await expectEqual(store.threads(of: ["a", "b"]), "a+b", "threads")
    },
    storageCase("aLateParentMergesThreads", "The smaller thread id stays, and emails count as updated.") {
        store in
        try await store.put(Fixture.email("a"), Fixture.email("b"))
        let ids = [try await store.email("a").threadID, try await store.email("b").threadID].sorted()
        let emails = try await store.state(.email)
        let threads = try await store.state(.thread)
        try await store.put(Fixture.email("z", references: ["a@mail.example", "b@mail.example"]))
        try await expectEqual(store.threads(of: ["a", "b", "z"]), "a+b+z", "threads")
        try await expectEqual(store.email("z").threadID, ids[0], "the id that stays, of \(ids)")
        let changes = try await store.changes(.thread, since: threads)
        try expectEqual(
            [changes.updated, changes.destroyed], [[ids[0].rawValue], [ids[1].rawValue]], "threads changed")
        let updated = try await store.changes(.email, since: emails).updated
        try expectEqual(updated.count, 1, "emails that went to another thread, of \(updated)")
        try await expectEqual(
            store.backend.threads([ids[1]], in: Fixture.home), [], "the thread that is no more")
    },
    storageCase("orderDoesNotMatter", "All 120 orders of five connected emails have the same result.") {
        store in
        let emails = [
            Fixture.email("a", subject: "Lunch"), Fixture.email("b", inReplyTo: ["a@mail.example"]),
            Fixture.email("c", inReplyTo: ["lost@x"]),
            Fixture.email("d", references: ["b@mail.example", "lost@x"]),
            Fixture.email("e", day: 5, subject: "Re: Lunch", from: "me@home.example", to: "anna@example.org"),
        ]
        for (number, order) in permutations(of: emails).enumerated() {
            let account = Id<Account>("p\(number)")
            try await store.commit(Fixture.changes(toAdd: account) + puts(order, into: account))
            let ids = order.map(\.id.rawValue)
            try await expectEqual(store.threads(of: ids, in: account), "a+b+c+d+e", "threads after \(ids)")
        }
    },
    storageCase("orderDoesNotMatterForMany", "The same for random conversations.") { store in
        let seed: UInt64 = 20_260_211
        var random = SeededRandom(seed)
        let emails = randomConversations(&random)
        let ids = emails.map(\.id.rawValue)
        var expected: String?
        for round in 0..<12 {
            let account = Id<Account>("r\(round)")
            let order = emails.shuffled(using: &random)
            try await store.commit(Fixture.changes(toAdd: account) + puts(order, into: account))
            let threads = try await store.threads(of: ids, in: account)
            try expectEqual(threads, expected ?? threads, "threads in round \(round) of seed \(seed)")
            expected = threads
        }
    },
    storageCase("aSubjectConnectsWithinThirtyDays", "Without references, the subject of a reply does.") {
        store in
        try await store.put(
            Fixture.email("a", subject: "Lunch"), Fixture.email("b", day: 29, subject: "RE:  [list] lunch"),
            Fixture.email("c", day: 31, subject: "Dinner"),
            Fixture.email("d", day: 62, subject: "Re: Dinner"))
        try await expectEqual(store.threads(of: ["a", "b", "c", "d"]), "a+b c d", "threads")
        try await store.put(Fixture.email("e", day: 58, subject: "Fwd: Lunch"))
        try await expectEqual(store.threads(of: ["a", "b", "e"]), "a+b+e", "threads over two steps")
        try await store.put(Fixture.email("f", day: 45, subject: "AW: dinner"))
        try await expectEqual(store.threads(of: ["c", "d", "f"]), "c+d+f", "threads once the gap is closed")
    },
    storageCase(
        "aSubjectAloneConnectsNothing",
        "Emails that are not replies stay separate, even from the same sender."
    ) {
        store in
        let subject = "Verify your email address"
        try await store.put(
            Fixture.email("a", subject: subject, from: "One <noreply@one.example>"),
            Fixture.email("b", subject: subject, from: "Two <noreply@two.example>"),
            Fixture.email("c", subject: "[Three] \(subject)", from: "Three <noreply@three.example>"),
            Fixture.email("d", day: 1, subject: subject, from: "One <noreply@one.example>"))
        try await expectEqual(store.threads(of: ["a", "b", "c", "d"]), "a b c d", "threads")
    },
    storageCase("aStrangersReplyConnectsNothing", "Each sender must be in the other email.") { store in
        let (me, friend, stranger) = ("me@home.example", "Ben <Ben@example.org>", "Eve <eve@evil.example>")
        var copied = Fixture.email("d", day: 2, subject: "Re: Lunch", from: stranger, to: me)
        copied.header.cc = [Fixture.address(friend)]
        try await store.put(
            Fixture.email("a", subject: "Lunch", from: me, to: friend),
            Fixture.email("b", day: 1, subject: "Re: Lunch", from: friend, to: me),
            Fixture.email("c", day: 1, subject: "Re: Lunch", from: stranger, to: me), copied,
            Fixture.email("e", day: 2, subject: "Re: Lunch", from: me, to: "Carl <carl@example.org>"))
        try await expectEqual(store.threads(of: ["a", "b", "c", "d", "e"]), "a+b c+d e", "threads")
    },
    storageCase("theUsersOwnAddressConnectsNothing", "It is on every message of an account.") { store in
        let me = "me@home.example"
        try await store.put(
            Fixture.email("a", subject: "Hi", from: me, to: me),
            Fixture.email("b", subject: "Re: Hi", from: me, to: me),
            Fixture.email("c", subject: "Re: Hi", from: me, to: "ben@example.org"))
        try await expectEqual(store.threads(of: ["a", "b", "c"]), "a b c", "threads")
    },
    storageCase("aReplyBringsItsOriginalsTogether", "In any order of arrival.") { store in
        let (me, friend) = ("me@home.example", "ben@example.org")
        try await store.put(
            Fixture.email("a", subject: "Lunch", from: me, to: friend),
            Fixture.email("b", day: 20, subject: "Lunch", from: me, to: friend))
        try await expectEqual(store.threads(of: ["a", "b"]), "a b", "threads without a reply")
        try await store.put(Fixture.email("c", day: 25, subject: "SV: Lunch", from: friend, to: me))
        try await expectEqual(store.threads(of: ["a", "b", "c"]), "a+b+c", "threads with one")
        try await store.put(Fixture.email("d", day: 54, subject: "Lunch", from: friend, to: me))
        try await expectEqual(store.threads(of: ["a", "d"]), "a+d", "threads with a late original")
        try await store.put(Fixture.email("e", day: 56, subject: "Lunch", from: friend, to: me))
        try await expectEqual(store.threads(of: ["a", "e"]), "a e", "threads with one that is too late")
    },
    storageCase("manyReferencesAreBounded", "The first and the last of thousands connect.") { store in
        let many = (0..<5_000).map { "r\($0)@x" }
        try await store.put(
            Fixture.email("a", references: many), Fixture.email("b", inReplyTo: ["r0@x"]),
            Fixture.email("c", inReplyTo: ["r4999@x"]))
        try await expectEqual(store.threads(of: ["a", "b", "c"]), "a+b+c", "threads")
    },
    storageCase("aSubjectIsNoLinkForAnswers", "Emails with references are connected only by those.") {
        store in
        try await store.put(
            Fixture.email("a", subject: "Lunch"),
            Fixture.email("b", subject: "Re: Lunch", inReplyTo: ["other@x"]),
            Fixture.email("c", subject: "Re: Lunch", references: ["another@x"]))
        try await expectEqual(store.threads(of: ["a", "b", "c"]), "a b c", "threads")
    },
    storageCase("noSubjectIsNoLink", "Empty subjects, and subjects such as “Re:”, connect nothing.") {
        store in
        var none = Fixture.email("d")
        none.header.subject = nil
        try await store.put(
            Fixture.email("a", subject: ""), Fixture.email("b", subject: "Re: "),
            Fixture.email("c", subject: "Re: Fwd:"),
            none)
        try await expectEqual(store.threads(of: ["a", "b", "c", "d"]), "a b c d", "threads")
    },
    storageCase("accountsHaveThreadsOfTheirOwn", "Emails of different accounts are never connected.") {
        store in
        try await store.commit(Fixture.changes(toAdd: Fixture.work))
        try await store.put(
            Fixture.email("a", subject: "Lunch"), Fixture.email("b", of: Fixture.work, subject: "Re: Lunch"),
            Fixture.email("c", of: Fixture.work, inReplyTo: ["a@mail.example"]))
        try await expectEqual(store.threads(of: ["b", "c"], in: Fixture.work), "b c", "threads at work")
        let thread = try await store.backend.threads([store.email("a").threadID], in: Fixture.home)
        try expectEqual(thread.map(\.emailIDs), [[Id("a")]], "the thread at home")
    },
    storageCase("aThreadIsOldestFirst", "By `receivedAt`, then by id, in any order of arrival.") {
        store in
        try await store.put(
            Fixture.email("d", day: 3, references: ["r@x"]), Fixture.email("b", day: 1, references: ["r@x"]),
            Fixture.email("c", day: 2, references: ["r@x"]), Fixture.email("a", day: 2, references: ["r@x"]))
        let threads = try await store.backend.threads([store.email("a").threadID], in: Fixture.home)
        try expectEqual(threads.map { $0.emailIDs.map(\.rawValue) }, [["b", "a", "c", "d"]], "the thread")
    },
    storageCase("removingDoesNotSplit", "A thread stays whole when a connecting email is removed.") { store in
        try await store.put(
            Fixture.email("a"), Fixture.email("b", references: ["a@mail.example", "x@y"]),
            Fixture.email("c", inReplyTo: ["x@y"]))
        try await store.destroy("b")
        try await expectEqual(store.threads(of: ["a", "c"]), "a+c", "threads after the link has gone")
        try await store.put(Fixture.email("d", inReplyTo: ["b@mail.example"]))
        try await expectEqual(
            store.threads(of: ["a", "c", "d"]), "a+c+d", "threads with an answer to what has gone")
        try await store.reopen()
        try await store.put(Fixture.email("e", inReplyTo: ["b@mail.example"]))
        try await expectEqual(store.threads(of: ["a", "e"]), "a+e", "threads after reopening")
    },
    storageCase("theLastEmailTakesTheThread", "An empty thread no longer connects anything.") { store in
        try await store.put(Fixture.email("a", references: ["x@y"]))
        let thread = try await store.email("a").threadID
        try await store.destroy("a")
        try await expectEqual(store.backend.threads([thread], in: Fixture.home), [], "the empty thread")
        try await store.put(Fixture.email("b"), Fixture.email("c", inReplyTo: ["a@mail.example"]))
        try await expectEqual(store.threads(of: ["b", "c"]), "b c", "threads")
    },
    storageCase("aReplacedEmailStaysInItsThread", "Its new headers can only add connections.") { store in
        try await store.put(
            Fixture.email("a"), Fixture.email("b", inReplyTo: ["a@mail.example"]), Fixture.email("c"))
        let thread = try await store.email("b").threadID
        try await store.put(Fixture.email("b"))
        try await expectEqual(store.email("b").threadID, thread, "its thread when it no longer answers")
        try await store.put(Fixture.email("b", inReplyTo: ["c@mail.example"]))
        try await expectEqual(store.threads(of: ["a", "b", "c"]), "a+b+c", "threads when it answers another")
    },
]

private func puts(_ emails: [Email], into account: Id<Account>) -> [StorageChange] {
    emails.map { email in
        var email = email
        email.accountID = account
        return .putEmail(email, Fixture.body(""))
    }
}

private func permutations<Element>(of elements: [Element]) -> [[Element]] {
    guard elements.count > 1 else { return [elements] }
    return elements.indices.flatMap { index in
        var others = elements
        let first = others.remove(at: index)
        return permutations(of: others).map { [first] + $0 }
    }
}

private func randomConversations(_ random: inout SeededRandom) -> [Email] {
    (0..<40).map { number in
        let answered = Int.random(in: 0..<60, using: &random)
        let answers = Int.random(in: 0..<3, using: &random) > 0
        return Fixture.email(
            "e\(number)", day: Double.random(in: 0..<200, using: &random),
            subject: (Bool.random(using: &random) ? "Re: " : "")
                + "Topic \(Int.random(in: 0..<3, using: &random))",
            from: "p\(Int.random(in: 0..<3, using: &random))@example.org",
            to: "p\(Int.random(in: 0..<3, using: &random))@example.org",
            inReplyTo: answers ? ["e\(answered)@mail.example"] : [])
    }
}
