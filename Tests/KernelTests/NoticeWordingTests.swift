import Foundation
import MailKernelAPI
import Testing

@testable import Kernel

@Suite("What a notification says of a sender") struct NoticeWordingTests {
    private func title(_ from: [EmailAddress], sender: [EmailAddress] = []) -> String {
        let email = Email(
            id: Id("M1"), accountID: Id("A1"), blobID: Id("BM1"), mailboxIDs: [Id("X1")], size: 1,
            receivedAt: Date(timeIntervalSince1970: 0),
            header: EmailHeader(sender: sender, from: from, subject: "Hi"))
        return NoticeWording.one(email, Id("N1"), canArchive: true).title
    }

    private let bank = EmailAddress(name: "Bank", email: "service@bank.example")
    private let stranger = EmailAddress(email: "x@evil.example")

    @Test func oneHonestSenderIsNamed() {
        #expect(title([bank]) == "Bank")
        #expect(title([bank], sender: [EmailAddress(email: "Service@Bank.example")]) == "Bank")
        #expect(
            title([]) == "Unknown sender" && title([EmailAddress(email: "a@PaypaI.com")]) == "a@paypai.com")
    }

    @Test func aSecondSenderDoesNotHideBehindTheFirst() {
        #expect(title([bank, stranger]) == "service@bank.example (Bank), x@evil.example")
        #expect(title([bank, EmailAddress(name: "Ana", email: "ana@bank.example")]) == "Bank, Ana")
    }

    @Test func whoSentItForTheAuthorIsNamed() {
        #expect(title([bank], sender: [stranger]) == "Bank (sent by x@evil.example)")
        let long = EmailAddress(name: String(repeating: "n", count: 500), email: "a@bank.example")
        #expect(title([long], sender: [stranger]).hasSuffix("… (sent by x@evil.example)"))
        #expect(title([], sender: [stranger]) == "x@evil.example")
    }

    @Test func aNameThatClaimsToBeAnAddressFollowsTheRealOne() {
        let claims = EmailAddress(name: "service@bank·example", email: "x@evil.example")
        #expect(title([claims]) == "x@evil.example (service@bank·example)")
    }
}
