import MailKernelAPI
import PluginCalls

extension ContainedSession {
    func vacation() async throws(AccountError) -> RemoteVacation {
        let found = try await call(.vacation) { [inner] _ throws(AccountError) in try await inner.vacation() }
        let texts = [found.subject, found.text, found.html].compactMap(\.self)
        guard texts.allSatisfy({ $0.utf8.count <= AnswerLimits.vacationBytes }) else {
            throw .badAnswer("a vacation reply of more than \(AnswerLimits.vacationBytes >> 10) KB")
        }
        return found
    }

    func setVacation(_ vacation: RemoteVacation) async throws(AccountError) {
        try await call(.setVacation) { [inner] _ throws(AccountError) in
            try await inner.setVacation(vacation)
        }
    }
}
