/// A rule as people see it: if these conditions hold, do this.
public struct SieveRule: Sendable, Equatable {
    public enum Joining: Sendable, Equatable {
        case all
        case any
    }

    public var name: String
    public var isOn: Bool
    public var joining: Joining
    /// Without conditions the rule is about every message.
    public var conditions: [SieveRuleCondition]
    public var actions: [SieveRuleAction]

    public init(
        name: String, isOn: Bool = true, joining: Joining = .all, conditions: [SieveRuleCondition],
        actions: [SieveRuleAction]
    ) {
        self.name = name
        self.isOn = isOn
        self.joining = joining
        self.conditions = conditions
        self.actions = actions
    }
}

/// Something that a message must, or must not, be.
public struct SieveRuleCondition: Sendable, Equatable {
    public enum Subject: Sendable, Equatable {
        /// The sender's name or address contains this.
        case from(String)
        /// The sender's address is this.
        case sender(String)
        /// The sender's address is of this domain.
        case domain(String)
        /// The names or addresses of recipients contain this.
        case toOrCc(String)
        case subject(String)
        /// The id of the mailing list contains this.
        case list(String)
        /// The subject or the text contains this.
        case words(String)
        /// Bytes.
        case largerThan(Int)
        case smallerThan(Int)
        case hasAttachment
        /// The message matches the saved search with this id.
        case savedSearch(String)
    }

    public var subject: Subject
    public var isNegated: Bool

    public init(_ subject: Subject, isNegated: Bool = false) {
        self.subject = subject
        self.isNegated = isNegated
    }
}

/// What a rule does.
public enum SieveRuleAction: Sendable, Equatable {
    case move(to: String)
    /// Adds a label; the message also stays where it is.
    case label(String)
    case archive
    case star
    case markRead
    case trash
    /// Sends the message on; it also stays.
    case forward(to: String)
    /// Shows a notification on the screen.
    case notify
    /// Later rules do not look at the message.
    case stop
}

/// What an account calls the mailboxes that rules name by their purpose.
public struct SieveRulePlaces: Sendable, Equatable {
    public var archive: String
    public var trash: String

    public init(archive: String = "Archive", trash: String = "Trash") {
        self.archive = archive
        self.trash = trash
    }
}
