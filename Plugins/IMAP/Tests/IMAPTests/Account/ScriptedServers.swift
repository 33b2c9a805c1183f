import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import Synchronization

@testable import IMAP

/// A server that greets, and says OK to everything.
final class FixedServer: ServerSession {
    private let hello: String
    private let said = Mutex("")

    init(_ greeting: String) { hello = greeting }

    /// Everything that was said to it.
    var heard: String { said.withLock { $0 } }

    func greeting() -> Data { Data(hello.utf8) }
    func setPush(_ push: @escaping @Sendable (Data) -> Void) {}
    func end() {}

    func take(_ bytes: Data) -> Data? {
        let text = String(decoding: bytes, as: UTF8.self)
        said.withLock { $0 += text }
        let tags = text.split(separator: "\r\n").compactMap { $0.split(separator: " ").first }
        return Data(tags.map { "\($0) OK done\r\n" }.joined().utf8)
    }
}

extension ServerInMemory {
    /// Small messages, of which some are answered wrongly whenever bodies are asked for.
    ///
    /// - Parameters:
    ///   - refuses: the end of an answer that a wrong message was among.
    ///   - wrong: what is said instead of a message.
    static func scripted(
        messages: UInt32, refuses: String? = nil, _ wrong: @escaping @Sendable (UInt32) -> String?
    ) -> ServerInMemory {
        let capabilities = "IMAP4rev1 X-GM-EXT-1 SPECIAL-USE"
        var settings = GmailServer.Settings()
        settings.capabilities = capabilities
        settings.answersWithArguments = { verb, tag, arguments in
            guard verb == "UID FETCH", arguments.contains("BODY.PEEK[]") else { return nil }
            var answer = ""
            var isRefused = false
            for uid in 1...messages where Self.names(uid, arguments) {
                if let line = wrong(uid) {
                    answer += line
                    isRefused = true
                } else {
                    let text = ServerInMemory.message(Int(uid))
                    answer += "* \(uid) FETCH (UID \(uid) BODY[] {\(text.utf8.count)}\r\n\(text))\r\n"
                }
            }
            return answer + "\(tag) \(isRefused ? refuses ?? "OK Success" : "OK Success")\r\n"
        }
        let memory = ServerInMemory(settings)
        memory.fill(1...Int(messages))
        return memory
    }

    private static func names(_ uid: UInt32, _ arguments: String) -> Bool {
        var scanner = ByteScanner(arguments)
        return (try? scanner.uidSet().contains(uid)) ?? false
    }
}
