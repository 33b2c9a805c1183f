import Foundation
import Kernel
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@Suite("Data that is no longer needed is deleted") struct HousekeepingTests {
    @Test func anUploadThatNothingUsesGoesAfterADay() async throws {
        let test = try await TestKernel()
        let id = Id<Blob>(try await test.upload("text"))
        test.clock.advance(by: 80_000)
        #expect(try await test.storage.blobInfo(id, in: test.ada) != nil)
        try await test.wait(for: "its end") {
            test.clock.advance(by: 21_600)
            return try await test.storage.blobInfo(id, in: test.ada) == nil
        }
    }

    /// FR-SYNC-08: what is attached is fetched when it is asked for and not before; beyond the account's limit goes
    /// what was not used for longest, and can be had again.
    @Test func attachmentsComeWhenTheyAreAskedForWithinALimit() async throws {
        let test = try await TestKernel()
        var account = test.accounts[0]
        account.attachmentCacheLimit = 500_000
        try await test.kernel.store.commit([.putAccount(account)])
        var files: [String: Data] = [:]
        for (number, letter) in ["a", "b", "c"].enumerated() {
            files[letter] = Data(repeating: UInt8(number + 65), count: 150_000)
            test.server.deliver(message(letter, files[letter] ?? Data()), to: "ada@example.org")
        }
        try await test.wait(for: "the messages") { try await test.emailIDs().count == 3 }
        await test.settle()
        #expect(try await cached(test) == 0, "none was requested")
        var blobs: [String: String] = [:]
        for id in try await test.emailIDs() {
            let body = try #require(try await test.storage.body(of: id, in: test.ada))
            let part = try #require(body.structure.subParts.last)
            blobs[String((part.name ?? "").prefix(1))] = part.blobID?.rawValue
        }
        for letter in ["a", "b", "c", "a"] {
            #expect(try await test.download(try #require(blobs[letter])) == files[letter])
            let used = try await cached(test)
            #expect(used >= 150_000 && used <= 500_000, "\(used) bytes after \(letter)")
        }
    }

    private func cached(_ test: TestKernel) async throws -> Int {
        try await test.storage.usage().accounts.first { $0.accountID == test.ada }?.attachments ?? 0
    }

    private func message(_ name: String, _ file: Data) -> Data {
        let encoded = file.base64EncodedString(options: [
            .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
        ])
        return Data(
            """
            From: Grace <grace@example.org>\r
            Subject: With \(name)\r
            Message-ID: <\(name)@example.org>\r
            MIME-Version: 1.0\r
            Content-Type: multipart/mixed; boundary=b\r
            \r
            --b\r
            Content-Type: text/plain\r
            \r
            See it.\r
            --b\r
            Content-Type: application/octet-stream; name=\(name).bin\r
            Content-Transfer-Encoding: base64\r
            \r
            \(encoded)\r
            --b--\r

            """.utf8)
    }

    @Test func attachmentsOfMessagesThatCameWholeCanBeHad() async throws {
        let test = try await TestKernel()
        let message = """
            From: Grace <grace@example.org>\r
            Subject: With a file\r
            MIME-Version: 1.0\r
            Content-Type: multipart/mixed; boundary=b\r
            \r
            --b\r
            Content-Type: text/plain\r
            \r
            See it.\r
            --b\r
            Content-Type: application/octet-stream; name=x.bin\r
            Content-Transfer-Encoding: base64\r
            \r
            AAECAw==\r
            --b--\r

            """
        test.server.deliver(Data(message.utf8), to: "ada@example.org")
        try await test.wait(for: "the message") { try await test.emailIDs().count == 1 }
        let email = try await test.emailIDs()[0]
        let body = try #require(try await test.storage.body(of: email, in: test.ada))
        let blob = try #require(body.structure.subParts.last?.blobID)
        #expect(try await test.download(blob.rawValue) == Data([0, 1, 2, 3]))
    }

    @Test func aMessageIsReadToItsEndThoughItsCopyHereGoesMeanwhile() async throws {
        let test = try await TestKernel()
        let wire = message("a", Data(repeating: 65, count: 2_000_000))
        test.server.deliver(wire, to: "ada@example.org")
        try await test.wait(for: "the message") { try await test.emailIDs().count == 1 }
        await test.settle()
        let blob = try await test.email(test.emailIDs()[0]).blobID
        #expect(try await test.kernel.blobs.message(blob, in: test.ada) == wire)
        #expect(try await test.storage.blobInfo(blob, in: test.ada) != nil, "it is kept")

        let content = try await test.kernel.blobs.content(blob, in: test.ada)
        var read = try await content.bytes.read(at: 0, count: 1_000_000)
        try await test.storage.removeBlob(blob, in: test.ada)
        while read.count < content.bytes.size {
            let piece = try await content.bytes.read(at: read.count, count: 1_000_000)
            if piece.isEmpty { break }
            read.append(piece)
        }
        #expect(read == wire)
    }
}
