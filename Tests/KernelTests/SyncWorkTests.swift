import Foundation
import MailKernelAPI
import Testing

@testable import Sync

@Suite("An account rests, reads, and is over")
struct SyncWorkTests {
    private let now = Date(timeIntervalSince1970: 1_000)

    @Test func aRequestDuringARoundLeadsToAnother() {
        var work = SyncWork.round(.none)
        work.request(.change)
        work.end()
        #expect(work.isDue(at: now))
    }

    @Test func aHoldDelaysAChangeButNotForEver() {
        var work = SyncWork.round(.change)
        work.end(.until(now + 5))
        work.request(.user)
        #expect(!work.isDue(at: now))
        #expect(work.isDue(at: now + 5))
    }

    @Test func onlyTheUserEndsAPauseThatWaitsForThem() {
        var work = SyncWork.rest(.none, .unlocking(until: now + 3_600))
        work.request(.change)
        #expect(!work.isDue(at: now))
        work.request(.user)
        #expect(work.isDue(at: now))
    }

    @Test func nothingIsDueWhenItIsOver() {
        var work = SyncWork.over
        work.request(.user)
        work.end()
        #expect(work.isOver)
        #expect(!work.isDue(at: now))
    }

    @Test func aRefusedSignInIsTriedThreeMoreTimes() {
        var failures = RoundFailures()
        let refused = AccountError.authenticationRequired(reason: "No.")
        let pauses = (0..<4).map { _ in
            failures.next(after: refused, isAsked: false, pushAt: nil, at: now)?.seconds
        }
        #expect(pauses == [5, 15, 45, nil])
    }

    /// The rest was read, so the sign-in was accepted.
    @Test func anUnreadableMailboxIsNoRefusedSignIn() {
        var failures = RoundFailures()
        let refused = AccountError.authenticationRequired(reason: "No.")
        let unread = UnreadFeed(feed: FeedID("f"), mailbox: nil, error: .refused("No."))
        for _ in 0..<3 { _ = failures.next(after: refused, isAsked: false, pushAt: nil, at: now) }
        #expect(failures.next(after: unread, isAsked: false, pushAt: nil, at: now)?.seconds == 5)
        #expect(failures.next(after: refused, isAsked: false, pushAt: nil, at: now)?.seconds == 5)
    }

    @Test func noServiceCanAskForMoreThanAnHour() {
        var failures = RoundFailures()
        let busy = AccountError.throttled(until: now + 90_000)
        #expect(failures.next(after: busy, isAsked: false, pushAt: nil, at: now)?.seconds == 3_600)
    }
}
