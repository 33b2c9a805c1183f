import Foundation
import MailKernelAPI
import Testing

@testable import IMAP

/// What is noted of messages on their way through Trash is all that finds them again.
@Suite("Messages that are being deleted for good") struct LeavingMailTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "leaving-\(UUID())")
    private let address = RemoteAddress(feed: FeedID("all"), id: RemoteMessageID("7-1"))

    private func leaving() -> LeavingMail { LeavingMail(user: "ada", host: "imap.test", folder: folder) }

    @Test func areNotForgottenBecauseTheNoteCannotBeRead() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        var first = leaving()
        try first.note([LeavingMail.Entry(address: address, number: 5)])
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first)
        let note = folder.appending(path: name)
        let aside = folder.appending(path: "aside")
        try FileManager.default.moveItem(at: note, to: aside)
        // A folder in its place cannot be read, not even by root.
        try FileManager.default.createDirectory(at: note, withIntermediateDirectories: false)
        var second = leaving()
        #expect(throws: AccountError.self) { _ = try second.of([address]) }
        #expect(throws: AccountError.self) {
            try second.note([LeavingMail.Entry(address: address, number: 6)])
        }
        try FileManager.default.removeItem(at: note)
        try FileManager.default.moveItem(at: aside, to: note)
        #expect(try second.of([address]).map(\.number) == [5])
    }
}
