import FoundationEssentials
import MailKernelAPI

/// Whom autocomplete offers (FR-COMP-04).
let storageContactCases: [ConformanceCase] = [
    storageCase("contactsAreCounted", "One per address, ignoring case, with the latest name.") {
        store in
        try await store.commit(
            .countContacts(
                [
                    Fixture.sighting("Anna <Anna@Example.org>", day: 2),
                    Fixture.sighting("anna@example.org", day: 3),
                    Fixture.sighting("Old Name <anna@example.org>", day: 1),
                ], in: Fixture.home))
        try await store.commit(
            .countContacts([Fixture.sighting("anna@example.org", day: 0)], in: Fixture.home))
        let expected = Contact(
            email: "anna@example.org", name: "Anna", frequency: 4, lastSeenAt: Fixture.day(3))
        try await expectEqual(store.backend.contacts(matching: "anna", limit: 9), [expected], "contacts")
    },
    storageCase("contactsMatchNameAndAddress", "The beginning of a word, or any part of the address.") {
        store in
        try await store.commit(
            .countContacts(
                [
                    Fixture.sighting("Anna Schmidt <anna@example.org>"),
                    Fixture.sighting("Émile O'Neil <emile@post.test>"),
                    Fixture.sighting("joanna@example.org"),
                    Fixture.sighting("Müller, Jürgen <jm@firma.test>"),
                ], in: Fixture.home))
        let table = [
            ("anna", ["anna@example.org", "joanna@example.org"]), ("schm", ["anna@example.org"]),
            ("midt", []),
            ("ANNA S", ["anna@example.org"]), ("anna schmidt", ["anna@example.org"]),
            ("emile", ["emile@post.test"]),
            ("ÉMI", ["emile@post.test"]), ("neil", ["emile@post.test"]), ("jurgen", ["jm@firma.test"]),
            ("mull", ["jm@firma.test"]), ("firma", ["jm@firma.test"]), ("@post", ["emile@post.test"]),
            ("%", []), ("_", []),
        ]
        for (text, expected) in table {
            let found = try await store.backend.contacts(matching: text, limit: 9).map(\.email).sorted()
            try expectEqual(found, expected, "contacts that match \"\(text)\"")
        }
        try await expectEqual(
            store.backend.contacts(matching: "", limit: 9).count, 4, "contacts that match nothing")
    },
    storageCase("contactsAreRanked", "The most frequent first; among equals, the most recent.") { store in
        let sightings = [("a", 1, 1), ("b", 3, 0), ("c", 1, 2), ("d", 2, 0)].flatMap { name, times, day in
            (0..<times).map { _ in Fixture.sighting("\(name)@example.org", day: Double(day)) }
        }
        try await store.commit(.countContacts(sightings, in: Fixture.home))
        let ranked = try await store.backend.contacts(matching: "example", limit: 9).map(\.email.first)
        try expectEqual(ranked, ["b", "d", "c", "a"], "contacts, best first")
        let two = try await store.backend.contacts(matching: "example", limit: 2).map(\.email.first)
        try expectEqual(two, ["b", "d"], "the two best")
        try await expectEqual(store.backend.contacts(matching: "example", limit: 0), [], "none of them")
    },
    storageCase("contactsOfAccountsMerge", "The highest frequency, the latest name.") { store in
        try await store.commit(Fixture.changes(toAdd: Fixture.work))
        try await store.commit(
            .countContacts(
                (0..<3).map { _ in Fixture.sighting("Old <x@example.org>", day: 1) }, in: Fixture.home),
            .countContacts(
                (0..<2).map { _ in Fixture.sighting("New <x@example.org>", day: 2) }, in: Fixture.work))
        let expected = Contact(email: "x@example.org", name: "New", frequency: 3, lastSeenAt: Fixture.day(2))
        try await expectEqual(store.backend.contacts(matching: "x@", limit: 9), [expected], "contacts")
        try await store.backend.removeAccount(Fixture.home)
        let left = Contact(email: "x@example.org", name: "New", frequency: 2, lastSeenAt: Fixture.day(2))
        try await expectEqual(
            store.backend.contacts(matching: "x@", limit: 9), [left], "once an account was removed")
    },
    storageCase(
        "tenThousandContactsAreKept",
        "Beyond that the least frequent is removed; among equals, the oldest."
    ) { store in
        let many = (0..<10_000).map { Fixture.sighting("c\($0)@example.org", day: $0 == 4_321 ? -5 : 0) }
        try await store.commit(
            .countContacts(many + many.filter { $0.seenAt == Fixture.start }, in: Fixture.home))
        try await expectEqual(found("c4321@", store), 1, "frequency of the rarest while there is room")
        try await store.commit(
            .countContacts([Fixture.sighting("new@example.org", day: 1)], in: Fixture.home))
        try await expectEqual(
            found("c4321@", store), nil, "the rarest, not seen for longest, when one more came")
        try await expectEqual(found("new@", store), 1, "the new one, seen later")
        try await expectEqual(found("c9999@", store), 2, "a more frequent one")
        let rare = (0..<3).map { Fixture.sighting("rare\($0)@example.org", day: Double(2 + $0)) }
        try await store.commit(.countContacts(rare, in: Fixture.home))
        let left = ["new@", "rare0@", "rare1@", "rare2@"]
        var frequencies: [Int?] = []
        for text in left { frequencies.append(try await found(text, store)) }
        try expectEqual(frequencies, [nil, nil, nil, 1], "frequencies of \(left): only the latest has room")
        try await expectEqual(
            store.backend.contacts(matching: "", limit: 20_000).count, 10_000, "contacts in all")
    },
    storageCase("anAccountEvictsItsOwnContacts", "Other accounts' contacts do not count.") { store in
        try await store.commit(Fixture.changes(toAdd: Fixture.work))
        try await store.commit(
            .countContacts([Fixture.sighting("rare@example.org", day: -99)], in: Fixture.work))
        let many = (0..<10_000).map { Fixture.sighting("c\($0)@example.org") }
        try await store.commit(.countContacts(many, in: Fixture.home))
        try await expectEqual(found("rare@", store), 1, "a rare contact of another account")
    },
]

private func found(_ text: String, _ store: TestStore) async throws -> Int? {
    try await store.backend.contacts(matching: text, limit: 1).first?.frequency
}
