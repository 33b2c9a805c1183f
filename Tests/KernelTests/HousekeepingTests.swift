import Foundation
import Kernel
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@Suite("What nobody needs any more goes") struct HousekeepingTests {
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
}
