import MailKernelAPI
import MailKernelConformance
import Testing

@Suite("The reference store keeps every promise of a store") struct MemoryStorageTests {
    @Test(arguments: ConformanceCase.all(.storage))
    func keepsThePromise(_ promise: ConformanceCase) async throws {
        let verdict = try await promise.check(ConformanceSubject(MemoryStoragePlugin.self))
        #expect(verdict == .kept)
    }

    @Test(
        "FR-SYNC-06: threads are what the mail says, whatever order it comes in",
        arguments: [
            "answersJoinTheThread", "aMissingParentConnects", "orderDoesNotMatter",
            "orderDoesNotMatterForMany",
            "aSubjectConnectsWithinThirtyDays", "aSubjectAloneConnectsNothing",
            "aStrangersReplyConnectsNothing",
            "theUsersOwnAddressConnectsNothing", "aReplyBringsItsOriginalsTogether",
            "manyReferencesAreBounded",
            "aSubjectIsNoLinkForAnswers", "accountsHaveThreadsOfTheirOwn",
        ])
    func keepsThreads(_ name: String) async throws { try await keepsThePromise(try promise(name)) }

    @Test(
        "FR-COMP-04: contacts are counted, ranked, merged over accounts and limited to 10,000",
        arguments: [
            "contactsAreCounted", "contactsAreRanked", "contactsOfAccountsMerge",
            "tenThousandContactsAreKept",
        ])
    func keepsContacts(_ name: String) async throws { try await keepsThePromise(try promise(name)) }

    @Test(
        "FR-SET-03: room is told per account, the cache has a limit and can be cleared, all data wiped",
        arguments: [
            "usageSaysWhatTakesRoom", "theCacheHasALimit", "clearingFreesTheCache",
            "clearingInsightsSparesCorrections", "aWipedStoreIsClosedAndEmpty",
        ])
    func keepsHouse(_ name: String) async throws { try await keepsThePromise(try promise(name)) }

    @Test("FR-ACCT-05: removing an account removes everything of it")
    func removesAccounts() async throws {
        try await keepsThePromise(try promise("aRemovedAccountLeavesNothing"))
    }

    private func promise(_ name: String) throws -> ConformanceCase {
        try #require(ConformanceCase.all(.storage).first { $0.name == name }, "no promise is called \(name)")
    }

    /// A part that a store leaves out is no broken promise, and the promises of the core are tested all the same.
    @Test(arguments: ConformanceCase.all(.storage))
    func aStoreWithoutPartsKeepsThePromise(_ promise: ConformanceCase) async throws {
        let bare = BrokenStore("offers no part", make: BareStorage.init)
        let verdict = try await promise.check(bare.subject)
        let parts: Set = [
            "filtersByCategory", "anInsightIsReplaced", "whatTheUserCorrectedStays",
            "emailsWithoutInsightAreNewestFirst", "nearestEmailsAreBestFirst", "usageSaysWhatTakesRoom",
            "usageFallsWithTheMail", "clearingFreesTheCache", "clearingInsightsSparesCorrections",
            "purgingRemovesOldMail", "purgingSparesWhatIsHereAlone", "theIndexCanBeMadeAnew",
            "aStoreInUseIsSound", "aLeaseHasOneHolder", "aLostLeaseStopsTheCommit", "closingReleasesLeases",
            "kernelsHearOfEachOther",
        ]
        #expect((verdict == .kept) == !parts.contains(promise.name), "\(promise): \(verdict)")
    }

    @Test func everyPromiseHasANameOfItsOwn() {
        let names = ConformanceCase.all(.storage).map(\.name)
        #expect(Set(names).count == names.count)
    }
}

@Suite("The suite finds what is wrong with a store") struct BrokenStorageTests {
    @Test("A fault is found by the promise that names it", arguments: BrokenStore.all)
    func findsTheFault(_ broken: BrokenStore) async throws {
        for name in broken.breaks {
            let promise = try #require(
                ConformanceCase.all(.storage).first { $0.name == name }, "no promise is called \(name)")
            await #expect(
                throws: ConformanceFailure.self, "\(name) did not notice that the store \(broken.fault)"
            ) {
                _ = try await promise.check(broken.subject)
            }
        }
    }

    @Test func aFailureSaysWhatWasExpectedAndWhatCame() async throws {
        let broken = try #require(BrokenStore.all.first { $0.breaks.contains("threadsCollapse") })
        let promise = try #require(ConformanceCase.all(.storage).first { $0.name == "threadsCollapse" })
        let failure = await #expect(throws: ConformanceFailure.self) {
            _ = try await promise.check(broken.subject)
        }
        #expect(failure?.description == "newest first: expected d c b, found d c b a")
    }
}
