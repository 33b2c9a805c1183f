import FoundationEssentials

/// The commands that are used here, with their arguments.
extension Command {
    static let capability = Command("CAPABILITY")
    static let noop = Command("NOOP")
    static let startTLS = Command("STARTTLS")
    static let compress = Command("COMPRESS").raw("DEFLATE")
    static let logout = Command("LOGOUT")
    static let idle = Command("IDLE").withEffect(.waits)
    /// Makes the server report changes in all of the user's mailboxes during IDLE (RFC 5465).
    static let notify = Command("NOTIFY SET").raw(
        "(selected (MessageNew MessageExpunge FlagChange)) "
            + "(personal (MessageNew MessageExpunge FlagChange MailboxName))")
    static let namespace = Command("NAMESPACE")
    static let expunge = Command("EXPUNGE")
    static let quotas = Command("GETQUOTAROOT").mailbox(.inbox)
    static let jmapAccess = Command("GETJMAPACCESS")

    static func enable(_ names: [String]) -> Command {
        Command("ENABLE").raw(names.joined(separator: " "))
    }

    /// Gmail and others ask clients to say who they are.
    static func id(name: String) -> Command {
        Command("ID").raw("(\"name\" \(quoted(name)))")
    }

    // MARK: Mailboxes

    /// - Parameter knows: the remembered state of the mailbox: with QRESYNC, the response contains the
    ///   changes since then.
    static func select(
        _ mailbox: MailboxName, condStore: Bool = false, knows: (validity: UInt32, modSeq: UInt64)? = nil
    ) -> Command {
        var command = Command("SELECT").mailbox(mailbox)
        if let knows {
            command = command.raw("(QRESYNC (\(knows.validity) \(knows.modSeq)))")
        } else if condStore {
            command = command.raw("(CONDSTORE)")
        }
        return command.withEffect(.select(mailbox))
    }

    static let unselect = Command("UNSELECT").withEffect(.unselect)

    static func list(specialUse: Bool, status: [String]?) -> Command {
        let command = Command("LIST").raw("\"\" \"*\"")
        var options: [String] = []
        if specialUse { options.append("SPECIAL-USE") }
        if let status { options.append("STATUS (\(status.joined(separator: " ")))") }
        return options.isEmpty ? command : command.raw("RETURN (\(options.joined(separator: " ")))")
    }

    static func create(_ mailbox: MailboxName) -> Command { Command("CREATE").mailbox(mailbox) }
    static func delete(_ mailbox: MailboxName) -> Command { Command("DELETE").mailbox(mailbox) }
    static func subscribe(_ mailbox: MailboxName) -> Command { Command("SUBSCRIBE").mailbox(mailbox) }
    static func unsubscribe(_ mailbox: MailboxName) -> Command { Command("UNSUBSCRIBE").mailbox(mailbox) }

    static func rename(_ mailbox: MailboxName, to name: MailboxName) -> Command {
        Command("RENAME").mailbox(mailbox).mailbox(name)
    }

    // MARK: Messages, always by UID

    static func fetch(_ uids: UIDSet, _ items: String, changedSince: UInt64? = nil) -> Command {
        let command = Command("UID FETCH").raw(uids.wire).raw("(\(items))")
        return changedSince.map { command.raw("(CHANGEDSINCE \($0))") } ?? command
    }

    /// The range of UIDs that the newest messages have, so many of them. Servers refuse less than 500.
    static func newestBatch(of count: Int) -> Command { Command("UIDBATCHES").raw("\(count)").raw("1:1") }

    /// - Parameter adds: whether the flags are added or taken away.
    static func store(_ uids: UIDSet, adds: Bool, flags: [String], item: String = "FLAGS") -> Command {
        Command("UID STORE").raw(uids.wire).raw("\(adds ? "+" : "-")\(item).SILENT")
            .raw("(\(flags.joined(separator: " ")))")
    }

    static func copy(_ uids: UIDSet, to mailbox: MailboxName) -> Command {
        Command("UID COPY").raw(uids.wire).mailbox(mailbox)
    }

    static func move(_ uids: UIDSet, to mailbox: MailboxName) -> Command {
        Command("UID MOVE").raw(uids.wire).mailbox(mailbox)
    }

    static func expunge(_ uids: UIDSet) -> Command { Command("UID EXPUNGE").raw(uids.wire) }

    static func append(
        to mailbox: MailboxName, flags: [String], receivedAt: Date, size: Int, replacing uid: UInt32? = nil
    ) -> Command {
        let command = uid.map { Command("UID REPLACE").raw("\($0)") } ?? Command("APPEND")
        return command.mailbox(mailbox).raw("(\(flags.joined(separator: " ")))")
            .raw(quoted(IMAPDate.dateTime(receivedAt))).streamed(size: size)
    }

    /// - Parameters:
    ///   - newest: only so many, from the newest on (RFC 9394).
    ///   - criteria: appends the search criteria.
    static func search(
        extended: Bool, newest: Int? = nil, isASCII: Bool = true, _ criteria: (Command) -> Command
    ) -> Command {
        var command = Command("UID SEARCH")
        if let newest {
            command = command.raw("RETURN (PARTIAL -1:-\(newest))")
        } else if extended {
            command = command.raw("RETURN (ALL)")
        }
        if !isASCII { command = command.raw("CHARSET UTF-8") }
        return criteria(command)
    }
}
