@testable import Sieve

extension SieveVerdict {
    /// In the words of `PigeonholeReport`.
    var lines: [String] {
        actions.map { action in
            switch action {
            case .keep(let flags, let isImplicit):
                (isImplicit ? "keep implicitly" : "keep") + Self.text(flags)
            case .fileInto(let mailbox, let flags, let create):
                "file into \(Self.shown(mailbox))" + (create ? " create" : "") + Self.text(flags)
            case .redirect(let address): "redirect \(address)"
            case .discard: "discard"
            case .reject: "reject"
            case .vacation(let vacation): "vacation \(vacation.seconds)"
            case .notify(let notification): "notify \(notification.importance)"
            }
        }
    }

    /// Pigeonhole prints no more of a name.
    private static func shown(_ mailbox: String) -> String {
        mailbox.unicodeScalars.count > 128 ? String(mailbox.prefix(125)) + "..." : mailbox
    }

    private static func text(_ flags: [String]) -> String {
        flags.isEmpty ? "" : " flags " + flags.map { $0.lowercased() }.sorted().joined(separator: ",")
    }
}
