import Foundation
import KernelSupport
import Mail
import MailKernelAPI
import Testing

@testable import Kernel

@Suite("The mark of an attachment stays when its bytes go") struct AttachmentNoteTests {
    private static func message(files: Int = 0, bytes: Int = 100) -> Data {
        let others = (0..<files).map {
            "--x\r\nContent-Type: text/plain; name=\($0).txt\r\n"
                + "Content-Disposition: attachment\r\n\r\n\(String(repeating: "a", count: bytes))\r\n"
        }
        let program = Data([0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0]).base64EncodedString()
        return Data(
            ("From: a@example.org\r\nMessage-ID: <elf@example.org>\r\nMIME-Version: 1.0\r\n"
                + "Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\nText\r\n\(others.joined())--x\r\n"
                + "Content-Type: application/pdf; name=invoice.pdf\r\nContent-Disposition: attachment\r\n"
                + "Content-Transfer-Encoding: base64\r\n\r\n\(program)\r\n--x--\r\n").utf8)
    }

    private func risks(_ id: Id<Email>, _ test: TestKernel) async throws -> [AttachmentRisk.Kind?] {
        let views = try await test.kernel.reading.views(of: [id], in: test.ada, loadsRemote: false) {
            _, _, _ in ""
        }
        return views.flatMap(\.risks).map(\.risk.kind)
    }

    @Test(arguments: [(0, 0), (60, 3000), (1, 3_000_000)])
    func afterTheServiceHasTheMessage(_ files: Int, _ bytes: Int) async throws {
        let test = try await TestKernel()
        let stored = try await test.kernel.mail.add(
            Self.message(files: files, bytes: bytes), to: [try await test.mailbox(.inbox)], keywords: [],
            receivedAt: test.clock.now, in: test.ada)
        #expect(try await risks(stored.email.id, test) == [.program])
        await test.settle()
        try await test.storage.removeBlob(stored.email.blobID, in: test.ada)
        #expect(try await risks(stored.email.id, test) == [.program])
        try await test.kernel.mail.destroy([stored.email.id], in: test.ada)
        try await AttachmentNotes(store: test.kernel.store, accountID: test.ada).removeOld()
        #expect(try await test.kernel.store.allDocuments(in: "attachment-risk", accountID: test.ada).isEmpty)
        await test.kernel.stop()
    }
}
