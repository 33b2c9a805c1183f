import MailKernelAPI

/// Several kernels on one store.
let storageSharingCases: [ConformanceCase] = [
    sharingCase("aLeaseHasOneHolder", "Until it is released; every new holder has a higher fence.") {
        store, first, other, second in
        let lease = try await first.takeLease(of: Fixture.home)
        try expectEqual(lease?.accountID, Fixture.home, "the account of the lease")
        try await expectEqual(second.takeLease(of: Fixture.home), nil, "the lease for another kernel")
        try await expectEqual(first.takeLease(of: Fixture.home), lease, "the lease for its holder")
        if let lease { try await first.releaseLease(lease) }
        let next = try await second.takeLease(of: Fixture.home)
        try expect(
            (next?.fence ?? 0) > (lease?.fence ?? 0),
            "after \(String(describing: lease)) came \(String(describing: next))")
        try await expectNotFound("the lease of no account") { try await first.takeLease(of: Id("nowhere")) }
    },
    sharingCase("aLostLeaseStopsTheCommit", "Nothing is changed, and the new holder can commit.") {
        store, first, other, second in
        guard let lost = try await first.takeLease(of: Fixture.home) else { return }
        let add = { (id: String, lease: StoreLease) in
            ChangeSet([.putEmail(Fixture.email(id), Fixture.body(""))], leases: [lease])
        }
        _ = try await store.backend.commit(add("a", lost))
        try await first.releaseLease(lost)
        guard let held = try await second.takeLease(of: Fixture.home) else {
            throw ConformanceFailure("a released lease cannot be taken")
        }
        try await expectStorageError(.leaseLost(lost), "a commit under a lost lease") {
            try await store.backend.commit(add("b", lost))
        }
        _ = try await other.commit(add("c", held))
        try await expectEqual(store.find(nil, sort: [EmailSort(.subject)]), "a c", "emails")
    },
    sharingCase("closingReleasesLeases", "So that another kernel takes over at once.") {
        store, first, other, second in
        guard let lease = try await second.takeLease(of: Fixture.home) else { return }
        await other.close()
        try await expectEqual(
            (first.takeLease(of: Fixture.home)?.fence ?? 0) > lease.fence, true, "another kernel takes over")
    },
    sharingCase("kernelsHearOfEachOther", "New states of one kernel reach the others, not itself.") {
        store, first, other, second in
        let (own, others) = (first.statesOfOthers(), second.statesOfOthers())
        let result = try await store.backend.commit(
            ChangeSet([.putEmail(Fixture.email("a"), Fixture.body("Hello"))]))
        let heard = try await next(of: others)
        try expectEqual(Set(heard), Set(result.states), "the states that another kernel heard of")
        try await expectEqual(
            other.state(of: .email, in: Fixture.home), store.state(.email), "the state in another kernel")
        let theirs = try await other.commit(
            ChangeSet([.putDocument(Document(DocumentKey("settings", "theme"), value: "dark"))]))
        try await expectEqual(next(of: own), theirs.states, "the states that the first kernel heard of")
    },
]

private func next(of states: AsyncStream<[CommitResult.StateChange]>) async throws -> [CommitResult
    .StateChange]
{
    try await within(5, "nothing was heard of another kernel's commit within 5 s") {
        for await changes in states { return changes }
        return []
    }
}

/// With the store open in a second kernel.
private func sharingCase(
    _ name: String, _ promise: String,
    _ body:
        @escaping @Sendable (
            _ store: TestStore, _ first: any StorageSharing, _ other: any StorageBackend,
            _ second: any StorageSharing
        ) async throws -> Void
) -> ConformanceCase {
    storageCase(name, promise) { store in
        let (first, other) = try await store.beside()
        guard let second = other.parts.sharing else {
            throw ConformanceFailure("a second provider of the store has no sharing")
        }
        do {
            try await body(store, first, other, second)
        } catch {
            await other.close()
            throw error
        }
        await other.close()
    }
}
