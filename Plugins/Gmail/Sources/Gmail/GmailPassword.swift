import FoundationEssentials
import IMAP
import MailKernelAPI
import SigningIn

/// The way with an app password: 16 letters that Google gives to accounts with 2-Step Verification, for one
/// program.
struct GmailPassword: Sendable {
    static let setupID = "gmail-password"
    static let secretName = "appPassword"

    private enum Name {
        static let address = "address"
        static let password = "password"
    }

    let imap: MailServer

    func begin(again account: Account?) -> AuthorizationStep {
        let address = FormField(
            name: Name.address, label: "Your Gmail address", kind: .email,
            initialValue: account?.address ?? "")
        let password = FormField(
            name: Name.password, label: "App password", kind: .password,
            hint:
                "16 letters, with or without the spaces. Create one at "
                + "myaccount.google.com/apppasswords. Do not enter the password of your Google account.")
        return .form([address, password], memory: Secret(Self.memory(account?.address)))
    }

    func filledIn(_ answers: [String: Secret], _ memory: Secret) throws(AccountError) -> AccountCandidate {
        let address = try GmailForm.address(in: answers)
        if let known = Self.address(in: memory), known.lowercased() != address.lowercased() {
            throw .invalid(field: Name.address, reason: "This account's address is \(known).")
        }
        return GmailAccount.candidate(address, appPassword: try password(in: answers))
    }

    /// What is not an app password stays here: it may be the one of the whole Google account.
    private func password(in answers: [String: Secret]) throws(AccountError) -> Secret {
        let letters = (answers[Name.password]?.revealed ?? "").filter { !$0.isWhitespace }
        guard !letters.isEmpty else {
            throw .invalid(field: Name.password, reason: "Please enter the app password.")
        }
        guard imap.endpoint.host == GmailEndpoints.imapHost else { return Secret(letters) }
        guard letters.utf8.count == 16,
            letters.utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) })
        else {
            throw .invalid(
                field: Name.password,
                reason: "An app password has 16 letters and nothing else. This may be the password of your "
                    + "Google account, which mail programs cannot use.")
        }
        return Secret(letters.lowercased())
    }

    func login(_ address: String, _ secrets: any SecretStore) -> IMAPLogin {
        .password(user: address) { () throws(AccountError) in
            try await secrets.required(Self.secretName, "The app password")
        }
    }

    // MARK: Between the steps

    private static let mark = "app password "

    private static func memory(_ address: String?) -> String { mark + (address ?? "") }

    /// Whether the form was one of these.
    static func asked(_ memory: Secret) -> Bool { memory.revealed.hasPrefix(mark) }

    private static func address(in memory: Secret) -> String? {
        let address = memory.revealed.dropFirst(mark.count)
        return address.isEmpty ? nil : String(address)
    }
}

extension AccountError {
    /// What Google means when it refuses an app password, and the one thing to do.
    var explainedForAppPasswords: AccountError {
        let words: String
        switch self {
        case .authenticationRequired(let reason), .refused(let reason), .unreachable(_, let reason):
            words = reason
        case .offline, .insecure, .denied, .throttled, .notFound, .cursorExpired, .badAnswer, .unsupported,
            .invalid, .secrets, .cancelled, .local:
            return self
        }
        let text = words.lowercased()
        func says(_ part: String) -> Bool { text.contains(part) }
        if says("application-specific password required") {
            return .authenticationRequired(
                reason:
                    "Google expects an app password here, not the password of your account. "
                    + "Create one at myaccount.google.com/apppasswords.")
        }
        if says("not enabled for imap") || says("imap access is disabled") {
            return .authenticationRequired(
                reason: "Your administrator has turned off IMAP for this account. Ask them to allow it under "
                    + "Apps, Google Workspace, Gmail, End User Access.")
        }
        if says("web login required") || says("log in via your web browser")
            || says("login via your web browser")
        {
            return .authenticationRequired(
                reason:
                    "Google wants to see you in the browser first. Sign in at mail.google.com, "
                    + "confirm that it was you, and try again.")
        }
        guard case .authenticationRequired = self, says("invalid credentials") || says("not accepted") else {
            return self
        }
        return .authenticationRequired(
            reason:
                "Google did not accept this app password. Check the address. If you changed the password of "
                + "your Google account, all app passwords were revoked: create another.")
    }
}
