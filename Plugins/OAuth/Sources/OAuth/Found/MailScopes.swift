/// What a sign-in asks to be allowed.
enum MailScopes {
    /// Mail over any protocol (draft-ietf-mailmaint-oauth-public).
    static let mail = "urn:ietf:params:oauth:scope:mail"
    /// Without it some servers give no refresh token.
    private static let staying = "offline_access"

    /// Other names for mail that are in use.
    private static let others = [
        "urn:ietf:params:jmap:core", "urn:ietf:params:jmap:mail", "urn:ietf:params:jmap:submission", "mail",
        "imap", "smtp",
    ]

    /// - Parameter offered: what the server knows; nil if it does not say. Servers refuse what they do not know.
    static func wanted(_ offered: [String]?) -> [String] {
        guard let offered = offered.map(Set.init) else { return [mail, staying] }
        var wanted = offered.contains(mail) ? [mail] : others.filter(offered.contains)
        // Some servers of mail have none for it, and OpenID Connect's is needed to stay signed in.
        if wanted.isEmpty, offered.contains("openid") { wanted = ["openid"] }
        return wanted + (offered.contains(staying) ? [staying] : [])
    }
}
