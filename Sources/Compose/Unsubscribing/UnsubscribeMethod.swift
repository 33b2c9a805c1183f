import FoundationEssentials
import Mail
import MailKernelAPI
import MessageFormat

/// A way to leave a mailing list.
package enum UnsubscribeMethod: Sendable, Hashable {
    package enum Kind: String, Codable, Sendable {
        case oneClick, mail, page
    }

    /// A POST to this address, and nothing else (RFC 8058).
    case oneClick(URL)
    /// A message.
    case mail(UnsubscribeMail)
    /// A page that the user opens in the browser.
    case page(URL)

    package var kind: Kind {
        switch self {
        case .oneClick: .oneClick
        case .mail: .mail
        case .page: .page
        }
    }

    /// The server that is asked or opened, or the address that gets a message.
    package var target: String {
        switch self {
        case .oneClick(let url), .page(let url): HostLook(url.host ?? "").shown
        case .mail(let mail): mail.to.look.email
        }
    }

    /// What is wrong with the target, as a sentence.
    package var warning: String? {
        switch self {
        case .oneClick(let url), .page(let url): HostLook(url.host ?? "").warning
        case .mail(let mail): mail.to.look.warning
        }
    }

    /// The ways that a header offers, at most one of each kind, the best first.
    ///
    /// - Parameter canSend: whether the account can send a message.
    package static func all(in header: UnsubscribeHeader, canSend: Bool) -> [UnsubscribeMethod] {
        let https = header.addresses.lazy.compactMap { PublicURL.read($0, schemes: ["https"]) }.first
        let page = https ?? header.addresses.lazy.compactMap { PublicURL.read($0, schemes: ["http"]) }.first
        let mail = header.addresses.lazy.compactMap(UnsubscribeMail.init).first
        // Without a valid signature, anyone on the way could have written the address.
        let oneClick = header.isOneClick && !header.isUnsigned ? https : nil
        return [
            oneClick.map { .oneClick($0) }, canSend ? mail.map { .mail($0) } : nil, page.map { .page($0) },
        ].compactMap(\.self)
    }
}

/// A message that asks to be taken off a list.
package struct UnsubscribeMail: Sendable, Hashable {
    package let to: EmailAddress
    package let subject: String
    package let body: String

    private static let longestSubject = 500
    private static let longestBody = 2000

    /// - Parameter address: a `mailto:` address. Of several recipients, only the first gets a message, and it has no
    ///   copies: a stranger chose them.
    init?(_ address: String) {
        guard let link = MailtoLink(address), let first = link.to.first else { return nil }
        let to = EmailAddress(email: first.email)
        let content = DraftContent(identityID: Id(""), to: [to])
        guard !content.problems.contains(where: \.blocksSending) else { return nil }
        self.to = to
        let subject = String(link.subject.prefix(Self.longestSubject))
        let body = String(link.body.prefix(Self.longestBody))
        let isEmpty = (subject + body).allSatisfy(\.isWhitespace)
        // A message with nothing in it may be refused.
        self.subject = isEmpty ? "unsubscribe" : subject
        self.body = isEmpty ? "unsubscribe" : body
    }
}
