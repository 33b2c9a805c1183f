/// The actions that a script has chosen so far.
struct ActionList {
    private(set) var actions: [SieveAction] = []
    /// What in the script led to each of them.
    private(set) var origins: [[SievePosition]] = []
    /// Whether the message is kept if the script says no more.
    private(set) var keepsImplicitly = true
    private var redirects = 0

    mutating func cancelKeep() { keepsImplicitly = false }

    /// Adds an action; two that would do the same are one.
    mutating func add(
        _ action: SieveAction, from origin: [SievePosition], limits: SieveLimits
    ) throws(SieveError) {
        if let same = actions.firstIndex(where: { Self.isSame($0, action) }) {
            actions[same] = try Self.merged(actions[same], action)
            let known = origins[same]
            origins[same] = known + origin.filter { !known.contains($0) }
            return
        }
        try checkConflicts(with: action)
        guard actions.count < limits.actions else {
            throw SieveError("The script takes more than \(limits.actions) actions on this message.")
        }
        if case .redirect = action {
            redirects += 1
            guard redirects <= limits.redirects else {
                throw SieveError("The script redirects this message more than \(limits.redirects) times.")
            }
        }
        actions.append(action)
        origins.append(origin)
    }

    private static func isSame(_ one: SieveAction, _ other: SieveAction) -> Bool {
        switch (one, other) {
        case (.keep, .keep), (.discard, .discard): true
        case (.fileInto(let mailbox, _, _), .fileInto(let another, _, _)):
            mailbox == another || isInbox(mailbox) && isInbox(another)
        case (.keep, .fileInto(let mailbox, _, _)), (.fileInto(let mailbox, _, _), .keep): isInbox(mailbox)
        case (.redirect(let address), .redirect(let another)): address == another
        case (.notify(let one), .notify(let other)): one == other
        default: false
        }
    }

    private static func isInbox(_ mailbox: String) -> Bool { mailbox.lowered == "inbox" }

    private static func merged(_ one: SieveAction, _ other: SieveAction) throws(SieveError) -> SieveAction {
        switch (one, other) {
        case (.keep, .keep(let flags, let isImplicit)): .keep(flags: flags, isImplicit: isImplicit)
        case (.keep, .fileInto(_, let flags, _)): .keep(flags: flags, isImplicit: false)
        case (.fileInto(let mailbox, _, let create), .keep(let flags, _)):
            .fileInto(mailbox: mailbox, flags: flags, create: create)
        case (.fileInto(let mailbox, _, let create), .fileInto(_, let flags, let creates)):
            .fileInto(mailbox: mailbox, flags: flags, create: create || creates)
        default: one
        }
    }

    private func checkConflicts(with action: SieveAction) throws(SieveError) {
        for other in actions {
            switch (other, action) {
            case (.vacation, .vacation): throw SieveError("Only one vacation reply can be sent.")
            case (.reject, .reject): throw SieveError("A message can be rejected only once.")
            case (.reject, .vacation), (.vacation, .reject):
                throw SieveError("A message that is rejected cannot get a vacation reply.")
            case (.reject, .keep), (.reject, .fileInto), (.reject, .redirect), (.keep, .reject),
                (.fileInto, .reject), (.redirect, .reject):
                throw SieveError("A message that is rejected cannot be delivered.")
            default: continue
            }
        }
    }
}
