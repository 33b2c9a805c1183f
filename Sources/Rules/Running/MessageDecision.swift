import FoundationEssentials
import Mail
import MailKernelAPI
import Sieve
import Store

/// What the rules do with one message.
struct MessageDecision {
    let scene: DecisionScene
    let email: Email
    let body: EmailBody
    private(set) var targets: [Id<Mailbox>] = []
    private(set) var stays = false
    private var isDropped = false
    private(set) var keywords: Set<Keyword> = []
    private(set) var rules: [String] = []
    private(set) var mails: [AutomaticMail] = []
    /// A message has one notification, however many rules ask for it.
    private(set) var notice: RuleNotice?
    private(set) var marks: [StorageChange] = []
    private(set) var duplicates: [String] = []
    private(set) var replied: [DocumentKey] = []
    private(set) var missing: [String] = []
    /// What was left out because this account has folders, not labels.
    private(set) var leftOut: RuleFailure?

    init(_ scene: DecisionScene, _ email: Email, _ body: EmailBody) {
        (self.scene, self.email, self.body) = (scene, email, body)
    }

    /// The effect on the message here; nil if there is none.
    var effect: RuleEffect? {
        guard !targets.isEmpty || !keywords.isEmpty else { return nil }
        var effect = RuleEffect(email, rule: rules.joined(separator: ", "))
        (effect.targets, effect.stays, effect.keywords) = (targets, stays || targets.isEmpty, keywords)
        return effect
    }

    /// Whether the rules do anything at all.
    static func acts(_ verdict: SieveVerdict) -> Bool {
        verdict.actions != [.keep(flags: [], isImplicit: true)]
    }

    /// - Throws: `RuleFailure` if the message is to be kept as it is.
    mutating func decide() async throws {
        let script: LoadedScript
        let verdict: SieveVerdict
        do {
            script = try scene.script(for: email)
        } catch {
            throw RuleFailure(rule: "Rules", sentence: "\(error)")
        }
        do {
            verdict = try script.program.verdict(
                on: StoredMessage(email, body), host: scene.host(email, body))
        } catch {
            throw RuleFailure(rule: error.position.map(script.rule) ?? "Rules", sentence: "\(error)")
        }
        for (action, origins) in zip(verdict.actions, verdict.origins) {
            try await take(action, by: origins.map(script.rule))
        }
        let now = Int(scene.now.timeIntervalSince1970)
        marks += verdict.duplicateMarks.map { DuplicateMark.change($0, at: now, in: email.accountID) }
        duplicates = verdict.duplicateMarks.map(DuplicateMark.name)
        if isDropped || !stays && targets.isEmpty { try drop() }
        if !scene.hasLabels { fitIntoFolders() }
    }

    private mutating func take(_ action: SieveAction, by names: [String]) async throws {
        for name in names where !rules.contains(name) { rules.append(name) }
        let rule = names.last ?? "Rules"
        switch action {
        case .keep(let flags, _):
            stays = true
            keywords.formUnion(Self.keywords(flags))
        case .fileInto(let path, let flags, let create):
            try file(into: path, create: create, rule)
            keywords.formUnion(Self.keywords(flags))
        case .discard: isDropped = true
        case .redirect(let address): try redirect(to: address, rule)
        case .reject(let reason):
            isDropped = true
            try reply(.reject, reason, rule)
        case .vacation(let vacation): try await reply(vacation, rule)
        case .notify(let notification): try notify(notification, rule)
        }
    }

    private mutating func file(into path: String, create: Bool, _ rule: String) throws(RuleFailure) {
        guard !MailboxPaths.isInbox(path) else {
            stays = true
            return
        }
        if let mailbox = scene.paths[path] {
            if mailbox.role == .inbox { stays = true } else { targets.append(mailbox.id) }
        } else if let reason = scene.uncreatable[path] {
            throw RuleFailure(rule: rule, sentence: "“\(path)” could not be created. \(reason)")
        } else if create {
            missing.append(path)
        } else {
            throw RuleFailure(rule: rule, sentence: "There is no folder “\(path)” in this account.")
        }
    }

    /// A dropped message goes to Trash: a rule with a mistake must not lose mail for good.
    private mutating func drop() throws(RuleFailure) {
        guard targets.isEmpty, !stays, missing.isEmpty else { return }
        guard let trash = scene.paths.first(.trash) else {
            throw RuleFailure(rule: rules.first ?? "Rules", sentence: "There is no Trash in this account.")
        }
        targets = [trash.id]
    }

    private mutating func fitIntoFolders() {
        guard targets.count > 1 || stays && !targets.isEmpty else { return }
        leftOut = RuleFailure(
            rule: rules.last ?? "Rules",
            sentence: "This account has folders: a message can be in only one of them, not in several.")
        if stays { targets = [] } else { targets = Array(targets.prefix(1)) }
    }

    /// Not allowed in keywords.
    private static let specials = Set(#"(){]%*"\"#.utf8)

    private static func keywords(_ flags: [String]) -> Set<Keyword> {
        let known = [
            "\\seen": Keyword.seen, "\\flagged": .flagged, "\\answered": .answered,
        ]
        return Set(
            flags.compactMap { flag in
                if flag.hasPrefix("\\") { return known[flag.lowercased()] }
                let isWord = flag.utf8.allSatisfy { (0x21...0x7e).contains($0) && !specials.contains($0) }
                return isWord && (1...255).contains(flag.utf8.count) ? Keyword(flag) : nil
            })
    }

    // MARK: What is sent

    private mutating func send(
        _ kind: AutomaticMail.Kind, to: [String], _ rule: String,
        _ fill: (inout AutomaticMail) -> Void = { _ in }
    ) throws(RuleFailure) {
        guard scene.canSend else {
            throw RuleFailure(rule: rule, sentence: "This account cannot send mail.")
        }
        let id: Id<EmailSubmission> = scene.ids.next("R")
        var mail = AutomaticMail(kind, id, about: email.id, to: to, rule: rule, at: scene.now)
        fill(&mail)
        mails.append(mail)
    }

    private var check: ReplyCheck { ReplyCheck(fields: body.headers, own: scene.own) }

    private mutating func redirect(to address: String, _ rule: String) throws(RuleFailure) {
        guard !scene.own.contains(address.lowercased()) else {
            throw RuleFailure(rule: rule, sentence: "It sends messages on to the account's own address.")
        }
        guard !check.loops else {
            throw RuleFailure(rule: rule, sentence: "A message came back that was already sent on from here.")
        }
        try send(.redirect, to: [address], rule)
    }

    /// Whom no reply may be sent to gets none.
    private mutating func reply(
        _ kind: AutomaticMail.Kind, _ text: String, _ rule: String
    ) throws(RuleFailure) {
        guard let sender = check.sender(returnPath: RuleHost.returnPath(body.headers)) else { return }
        try send(kind, to: [sender], rule) { $0.text = text }
    }

    private mutating func reply(_ vacation: SieveVacation, _ rule: String) async throws {
        let path = RuleHost.returnPath(body.headers)
        guard let sender = check.sender(returnPath: path, further: vacation.addresses) else { return }
        let handle = vacation.handle ?? "\(vacation.subject ?? "")\n\(vacation.reason)"
        let memory = VacationReply(to: sender, handle: handle, in: email.accountID)
        guard !scene.replied.contains(memory.key) else { return }
        guard try await !memory.isRemembered(at: scene.now, scene.store) else { return }
        try send(.vacation, to: [sender], rule) { mail in
            mail.text = vacation.isMIME ? ReplyText.text(ofEntity: vacation.reason) : vacation.reason
            (mail.subject, mail.from) = (vacation.subject, vacation.from)
        }
        replied.append(memory.key)
        marks.append(memory.change(at: scene.now, seconds: max(vacation.seconds, 60)))
    }

    private mutating func notify(_ notification: SieveNotification, _ rule: String) throws(RuleFailure) {
        guard !notification.isOnScreen else {
            // The first text counts.
            guard notice?.text == nil else { return }
            let text = notification.message
            notice = RuleNotice(about: email.id, rule: rule, text: text, at: scene.now)
            return
        }
        guard !check.loops, !body.headers.contains(where: { $0.name.lowercased() == "auto-submitted" }) else {
            return
        }
        let from = email.header.from.first.map { $0.name ?? $0.email } ?? "an unknown sender"
        try send(.notify, to: ReplyText.recipients(ofURI: notification.method), rule) { mail in
            mail.subject = notification.message.map { String($0.prefix(200)) }
            mail.text = notification.message ?? "A message from \(from) has arrived."
        }
    }
}
