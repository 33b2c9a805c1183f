import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Synchronization
import Testing

@testable import IMAP

/// P-07: no token and no password in an error text, whatever a server repeats.
@Suite("What a server repeats of a secret is not shown") struct DiscretionTests {
    private static let token = "ya29.a0AfB_byC-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP"

    @Test func inAnyFormAndInPart() {
        let credentials = IMAPCredentials.oauth(user: "me@gmail.test", token: Secret(Self.token))
        let blob = Authentication.xoauth2(user: "me@gmail.test", token: Secret(Self.token)).answer
        let discretion = Discretion(credentials)
        #expect(discretion.hide("You said \(Self.token), no") == "You said …, no")
        #expect(discretion.hide("You said \(blob)") == "You said …")
        #expect(discretion.hide("You said \(blob.dropFirst(7).prefix(40))…") == "You said ……")
        #expect(discretion.hide(String(Self.token.prefix(20))) == "…")
        let inside = Data("x=\(Self.token)".utf8).base64EncodedString()
        #expect(!discretion.hide(inside).contains(inside.dropFirst(8).prefix(20)))
        let plain = "[AUTHENTICATIONFAILED] Invalid credentials (Failure) ya29 äöü"
        #expect(discretion.hide(plain) == plain)
        #expect(discretion.hide("") == "")

        let password = Discretion(.password(user: "ada", password: Secret("hunter2")))
        #expect(password.hide("login: ada hunter2") == "login: ada …")
        #expect(password.hide("AGFkYQBodW50ZXIy is wrong") == "… is wrong")
        #expect(Discretion(.password(user: "a", password: Secret("no"))).hide("no, nobody") == "no, nobody")
    }

    @Test func anEchoOfTheSignInIsNotInItsError() async throws {
        var settings = GmailServer.Settings()
        settings.answersWithArguments = { verb, tag, arguments in
            verb == "AUTHENTICATE" ? "\(tag) NO [AUTHENTICATIONFAILED] You said \(arguments)\r\n" : nil
        }
        let memory = ServerInMemory(settings)
        let session = memory.session { _ in Secret(Self.token) }
        let error = await #expect(throws: AccountError.self) { try await session.mailboxes() }
        guard case .authenticationRequired(let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.hasPrefix("You said") && reason.contains("…"))
        let blob = Authentication.xoauth2(user: "me@gmail.test", token: Secret(Self.token)).answer
        for start in stride(from: 0, to: blob.count - 16, by: 8) {
            #expect(!reason.contains(blob.dropFirst(start).prefix(16)))
        }
        await session.close()
    }

    /// Old servers for sending know `AUTH LOGIN` alone.
    @Test(arguments: ["right", "wrong-password"])
    func whoWantsNameAndPasswordByTurnsGetsThem(_ password: String) async throws {
        let network = MemoryNetwork { TurnsServer() }
        let host = HostServices(
            pluginID: "test", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
            secrets: FixedSecrets(), dataFolder: URL(filePath: "/tmp"), clock: ManualClock(), network: network
        )
        let configuration = IMAPConfiguration(
            imap: MailServer("imap.x.test", port: 993), submission: MailServer("smtp.x.test", port: 465),
            login: .password(user: "ada") { Secret(password) })
        do throws(AccountError) {
            try await configuration.trySending(host: host)
            #expect(password == "right")
        } catch {
            #expect(password != "right" && error == .authenticationRequired(reason: "Not ada and …"))
        }
        #expect(network.open == 0)
    }
}

private final class TurnsServer: ServerSession {
    private let answers = Mutex<[String]>([])

    func greeting() -> Data { Data("220 old\r\n".utf8) }
    func setPush(_ push: @escaping @Sendable (Data) -> Void) {}
    func end() {}

    func take(_ bytes: Data) -> Data? {
        let line = String(decoding: bytes.dropLast(2), as: UTF8.self)
        let answer =
            switch line.split(separator: " ").first {
            case "EHLO": "250-old\r\n250 AUTH LOGIN"
            case "AUTH": line == "AUTH LOGIN" ? "334 VXNlcm5hbWU6" : "504 no"
            case "QUIT": "221 bye"
            default: turn(line)
            }
        return Data("\(answer)\r\n".utf8)
    }

    private func turn(_ line: String) -> String {
        let given = answers.withLock { answers in
            answers.append(Data(base64Encoded: line).map { String(decoding: $0, as: UTF8.self) } ?? "")
            return answers
        }
        if given.count < 2 { return "334 UGFzc3dvcmQ6" }
        return given == ["ada", "right"] ? "235 in" : "535 Not \(given.joined(separator: " and "))"
    }
}
