public import IMAP
import MailKernelAPI

/// Everything that an account is, as values.
public struct POP3Configuration: Sendable {
    public var server: MailServer
    /// Nil for an account that only receives.
    public var submission: MailServer?
    public var login: IMAPLogin
    public var leave: LeaveOnServer
    /// What the ledger of connections says.
    public var purpose = "mail"
    /// A larger message stays on the server. Everything that arrives counts, whatever size the server stated.
    public var largestMessage = 200 << 20

    public init(
        server: MailServer, submission: MailServer?, login: IMAPLogin, leave: LeaveOnServer = .always
    ) {
        self.server = server
        self.submission = submission
        self.login = login
        self.leave = leave
    }

    /// For what is the same as in accounts with IMAP: sending.
    var sending: IMAPConfiguration {
        var sending = IMAPConfiguration(imap: server, submission: submission, login: login)
        sending.purpose = purpose
        return sending
    }
}

/// How long messages that are stored here stay on the server.
public enum LeaveOnServer: Sendable, Hashable {
    case always
    /// For so many days after they were fetched.
    case days(Int)
    /// Until they are deleted here, or moved to the trash here.
    case untilDeleted
    /// They are removed as soon as they are stored here.
    case never

    /// As settings and forms have it: `always`, `untilDeleted`, `never`, or a number of days.
    public init?(_ text: String) {
        switch text {
        case "always": self = .always
        case "untilDeleted": self = .untilDeleted
        case "never": self = .never
        default:
            guard let days = Int(text), (1...3_650).contains(days) else { return nil }
            self = .days(days)
        }
    }

    public var text: String {
        switch self {
        case .always: "always"
        case .days(let days): "\(days)"
        case .untilDeleted: "untilDeleted"
        case .never: "never"
        }
    }
}
