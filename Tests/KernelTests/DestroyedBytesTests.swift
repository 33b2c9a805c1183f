import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Kernel

/// The bytes of mail that was destroyed go too, be it later.
@Suite("What is destroyed leaves no bytes") struct DestroyedBytesTests {
    @Test func thatCannotBeRemovedNowGoLater() async throws {
        let isFailing = Watched(false)
        let test = try await TestKernel(wrapStorage: { storage in
            InterceptedStorage(storage) { (call) async throws(StorageError) in
                if call == "removeBlob", isFailing.value { throw .unwritable(reason: "A test has it so.") }
            }
        })
        let stored = try await test.kernel.mail.add(
            Data("Subject: Own\r\nMessage-ID: <own@example.org>\r\n\r\nText\r\n".utf8),
            to: [try await test.mailbox(.inbox)], keywords: [], receivedAt: test.clock.now, in: test.ada)
        await test.settle()
        let blob = stored.email.blobID
        // Where the service has it, its bytes may not be here any more.
        let upload = try await test.storage.writeBlob(
            BlobInfo(id: blob, accountID: test.ada, type: "message/rfc822", retention: .kept))
        try await upload.write(Data("Text".utf8))
        try await upload.finish()
        isFailing.withLock { $0 = true }
        try await test.kernel.mail.destroy([stored.email.id], in: test.ada)
        isFailing.withLock { $0 = false }
        #expect(try await test.storage.blobInfo(blob, in: test.ada) != nil)
        try await test.kernel.blobs.removeOldUploads(of: test.ada)
        #expect(try await test.storage.blobInfo(blob, in: test.ada) == nil)
        await test.kernel.stop()
    }
}
