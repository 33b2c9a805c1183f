import Foundation
import KernelSupport
import MailKernelAPI

/// An account of folders whose inbox holds messages that are told apart by their numbers.
enum NumberedMail {
    static let address = "ada@example.org"

    static func message(_ number: Int) -> Data {
        Data("Subject: \(number)\r\nMessage-ID: <number-\(number)@example.org>\r\n\r\nText\r\n".utf8)
    }

    /// Once all of it was read.
    static func scene(_ count: Int) async throws -> (TestKernel, Script) {
        let script = Script()
        let test = try await TestKernel(layout: .folders, wrap: { ScriptedSession($0, script) })
        for number in 0..<count { test.server.deliver(message(number), to: address) }
        try await test.wait(for: "the mail") { try await test.emailIDs().count == count }
        await test.settle()
        return (test, script)
    }
}
