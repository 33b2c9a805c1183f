public import MailKernelAPI

extension EmailHeader {
    /// A warning about senders at several services: a service has checked one of them at most, and a reader may see
    /// another. It is about the first that differs from those before; nil for nearly all messages.
    public var severalSenders: (email: String, warning: String)? {
        let looks = from.prefix(10).map(\.look.email)
        func host(_ email: String) -> String { email.split(separator: "@").last?.lowercased() ?? "" }
        guard let first = looks.first, let other = looks.first(where: { host($0) != host(first) }) else {
            return nil
        }
        let warning =
            "This message names senders at different services: \(first) and \(other). "
            + "Only one of them can have sent it."
        return (other, warning)
    }
}
