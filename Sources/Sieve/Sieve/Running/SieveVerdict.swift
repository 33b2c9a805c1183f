/// What a script decided about a message.
public struct SieveVerdict: Sendable, Equatable {
    /// To be carried out in this order.
    public var actions: [SieveAction] = []
    /// What in the script led to each of the actions: the commands that changed its flags, then those that ask for it.
    /// None for keeping a message that the script says nothing of.
    public var origins: [[SievePosition]] = []
    /// To be remembered once the actions are carried out.
    public var duplicateMarks: [SieveDuplicateMark] = []
}

/// Something to do with a message. It stays in the inbox only if there is `keep`.
public enum SieveAction: Sendable, Equatable {
    /// Leaves the message in the inbox with these flags: because the script says so, or since it says nothing else.
    case keep(flags: [String], isImplicit: Bool)
    /// Puts the message into a mailbox, which is created if it is missing and `create` is set.
    case fileInto(mailbox: String, flags: [String], create: Bool)
    /// Sends the message on to an address.
    case redirect(to: String)
    /// Drops the message.
    case discard
    /// Tells the sender that the message is refused, and drops it.
    case reject(reason: String)
    case vacation(SieveVacation)
    case notify(SieveNotification)
}

/// An automatic reply. Whether it may be sent is for the host to check (RFC 5230, section 4.5 and 4.6).
public struct SieveVacation: Sendable, Equatable {
    /// For so long a sender gets no second reply.
    public var seconds: Int
    /// Nil for the subject of the message after "Auto: ".
    public var subject: String?
    /// Nil for the address that the message was for.
    public var from: String?
    /// Further addresses of the user, to recognize messages that are for them.
    public var addresses: [String]
    /// Whether `reason` is a MIME entity with its own header.
    public var isMIME: Bool
    /// Replies with the same handle are one reply; nil if the script names none.
    public var handle: String?
    public var reason: String
}

/// A notification (RFC 5435).
public struct SieveNotification: Sendable, Equatable {
    /// The URI that asks for a notification on the screen of the user.
    public static let onScreen = "mailkernel:notify"

    /// A URI, such as `mailto:user@example.org`.
    public var method: String
    public var from: String?
    /// From 1, which is high, to 3.
    public var importance: Int
    public var options: [String]
    /// Nil for a text of the host.
    public var message: String?

    /// Whether it is a notification on the screen, not a message.
    public var isOnScreen: Bool { method.lowercased() == Self.onScreen }
}

extension SieveProgram {
    /// Runs the script on a message. If it throws, the message is to be kept, as if there were no script.
    public func verdict(on message: any SieveMessage, host: any SieveHost) throws(SieveError) -> SieveVerdict
    {
        let runner = Runner(message, host, limits: limits, remembersMatches: extensions.contains("variables"))
        return try runner.run(steps)
    }
}
