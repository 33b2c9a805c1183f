import Foundation
import MailKernelAPI
import Testing

@testable import Sync

@Suite("A failed call is classified once, and retried on one schedule")
struct RetryTests {
    @Test(
        arguments: [
            (RetrySchedule.account, [5, 15, 45, 120, 120, 120]),
            (.mailbox, [5, 15, 45, 120, 240, 480, 960, 1800, 1800]),
            (.signIn, [5, 15, 45, nil, nil]),
            (.change, [5, 15, 45, nil]),
            (.naming, [0, 5, 15, 45, 45]),
            (.sending, [30, 120, 480, nil]),
            (.store, [30, 30]),
            (.attachment, [30, 30]),
            (.copy, [60, 120, 240, 480, 960, 1920, 3840, 3840]),
        ] as [(RetrySchedule, [Double?])])
    func pausesGrow(_ schedule: RetrySchedule, _ expected: [Double?]) {
        #expect(expected.indices.map { schedule.pause(after: $0 + 1) } == expected)
        #expect(schedule.longest == expected.compactMap { $0 }.max())
    }

    @Test(arguments: [RetrySchedule.account, .mailbox, .naming, .copy])
    func noNumberOfFailuresIsTooLarge(_ schedule: RetrySchedule) {
        #expect(schedule.pause(after: .max) == schedule.longest)
        #expect(schedule.pause(after: 0) == schedule.pause(after: 1))
    }

    @Test(
        arguments: [
            (.offline, .network, .onSchedule),
            (.unreachable(host: "h", reason: "r"), .server, .onSchedule),
            (.insecure(host: "h", reason: "r"), .server, .onSchedule),
            (.authenticationRequired(reason: "r"), .account, .afterSignIn),
            (
                .throttled(until: Date(timeIntervalSince1970: 9)), .account,
                .notBefore(Date(timeIntervalSince1970: 9))
            ),
            (.throttled(until: nil), .account, .onSchedule),
            (.secrets(.locked), .account, .afterUnlocking),
            (.secrets(.unavailable(reason: "r")), .account, .onSchedule),
            (.cursorExpired, .mailbox, .onSchedule),
            (.refused("no"), .call, .onSchedule),
            (.notFound, .call, .never),
        ] as [(AccountError, FailureScope, FailureRetry)])
    func aCauseHasOneMeaning(_ error: AccountError, _ scope: FailureScope, _ retry: FailureRetry) {
        #expect(error.scope == scope)
        #expect(error.retry == retry)
        #expect(error.concernsWholeAccount == [.server, .account, .network].contains(scope))
    }

    /// A service that could take the message later says so in a `SubmissionOutcome`.
    @Test func aRefusedSubmissionIsFinal() {
        #expect(AccountError.refused("no").retryOfSubmission == .never)
        #expect(AccountError.offline.retryOfSubmission == .onSchedule)
    }

    @Test(
        arguments: [
            (.offline, .offline, true),
            (.closed(host: "h"), .unreachable(host: "h", reason: "The connection was closed."), true),
            (.insecure(host: "h", reason: "r"), .insecure(host: "h", reason: "r"), false),
            (.badAnswer(host: "h", reason: "r"), .badAnswer("r"), false),
            (.loginRefused(host: "h", reply: "no"), .authenticationRequired(reason: "no"), false),
        ] as [(NetworkError, AccountError, Bool)])
    func aFailedConnectionMeansTheSameEverywhere(
        _ error: NetworkError, _ meaning: AccountError, _ isPassing: Bool
    ) {
        #expect(AccountError(error) == meaning)
        #expect(error.isPassing == isPassing)
    }
}
