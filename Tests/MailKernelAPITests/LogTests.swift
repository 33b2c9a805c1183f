import MailKernelAPI
import Synchronization
import Testing

@Suite("A plugin's log keeps private things private") struct LogTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
        func log(_ least: PluginLog.Level) -> PluginLog {
            PluginLog(least: least) { level, text in self.all.withLock { $0.append("\(level) \(text)") } }
        }
        var text: [String] { all.withLock { $0 } }
    }

    @Test func textIsMaskedAndNumbersAreNot() {
        let lines = Lines()
        let address = "ana@example.org"
        let mailbox = Mailbox(id: Id("m1"), accountID: Id("a"), name: "Divorce")
        lines.log(.info).info("moved \(3) to \(address), \(mailbox), \(mailbox.id), \(true), \(0.5)")
        #expect(lines.text == ["info moved 3 to <private>, <private>, <private>, true, 0.5"])
    }

    @Test func anOptionalAnErrorAndASecretAreMaskedToo() {
        let lines = Lines()
        let name: String? = "Ana"
        let error: any Error = AccountError.refused("no such user ana@example.org")
        lines.log(.info).error("\(name as Any) \(error) \(Secret("ya29.token"))")
        #expect(lines.text == ["error <private> <private> <private>"])
    }

    @Test func whatIsMarkedAsPublicIsShownWithoutControlCharacters() {
        let lines = Lines()
        lines.log(.info).warning("answered \(public: "NO\r\n2026 error forged: \u{1b}[2Jline")")
        #expect(lines.text == ["warning answered NO\u{FFFD}\u{FFFD}2026 error forged: \u{FFFD}[2Jline"])
    }

    @Test func whatIsNotUrgentEnoughIsNotEvenMade() {
        let lines = Lines()
        func expensive() -> LogMessage {
            Issue.record("the text was made")
            return ""
        }
        lines.log(.warning).info(expensive())
        #expect(lines.text.isEmpty)
    }

    @Test func aSecretShowsItselfToNobody() {
        let secret = Secret("ya29.token")
        var dumped = ""
        dump(secret, to: &dumped)
        for text in [
            "\(secret)", String(describing: secret), String(reflecting: secret), dumped, "\([secret])",
        ] {
            #expect(!text.contains("ya29"))
        }
    }
}
