extension Runner {
    func act(_ operation: Operation) throws(SieveError) {
        switch operation {
        case .keep(let flags):
            try add(
                .keep(flags: try flagTexts(flags), isImplicit: false), takesFlags: flags == nil,
                cancelsKeep: true)
        case .discard: try add(.discard, cancelsKeep: true)
        case .fileInto(let filing):
            let mailbox = try text(filing.mailbox).text
            guard !mailbox.isEmpty else { throw SieveError("`fileinto` needs the name of a mailbox.") }
            let flags = try flagTexts(filing.flags)
            try add(
                .fileInto(mailbox: mailbox, flags: flags, create: filing.creates),
                takesFlags: filing.flags == nil, cancelsKeep: !filing.isCopy)
        case .redirect(let template, let isCopy):
            guard let address = AddressParser.single(try text(template)) else {
                throw SieveError("What `redirect` got is not an address.")
            }
            try add(.redirect(to: address.whole.text), cancelsKeep: !isCopy)
        case .reject(let reason, _):
            try add(.reject(reason: try text(reason).text), cancelsKeep: true)
        case .vacation(let vacation): try reply(vacation)
        case .notify(let notify): try self.notify(notify)
        case .choose, .stop, .leave, .forEveryPart, .set, .changeFlags, .extractText, .fail: break
        }
    }

    private func add(
        _ action: SieveAction, takesFlags: Bool = false, cancelsKeep: Bool
    ) throws(SieveError) {
        try actions.add(action, from: origin(withFlags: takesFlags), limits: limits)
        if cancelsKeep { actions.cancelKeep() }
    }

    private func flagTexts(_ templates: [StringTemplate]?) throws(SieveError) -> [String] {
        guard let templates else { return flags.map(\.text) }
        return FlagList.flags(in: try texts(templates)).map(\.text)
    }

    private func optional(_ template: StringTemplate?) throws(SieveError) -> String? {
        guard let template else { return nil }
        return try text(template).text
    }

    private func reply(_ vacation: VacationOperation) throws(SieveError) {
        try actions.add(
            .vacation(
                SieveVacation(
                    seconds: vacation.seconds, subject: try optional(vacation.subject),
                    from: try optional(vacation.from), addresses: try texts(vacation.addresses).map(\.text),
                    isMIME: vacation.isMIME, handle: try optional(vacation.handle),
                    reason: try text(vacation.reason).text)),
            from: origin(), limits: limits)
    }

    private func notify(_ notify: NotifyOperation) throws(SieveError) {
        let method = try text(notify.method)
        guard NotifyMethod.isSupported(method, limits) else {
            throw SieveError("What `notify` got is not a way to notify that is supported.")
        }
        try actions.add(
            .notify(
                SieveNotification(
                    method: method.text, from: try optional(notify.from),
                    importance: try optional(notify.importance).flatMap { Int($0) }.map { min(max($0, 1), 3) }
                        ?? 2,
                    options: try texts(notify.options).map(\.text), message: try optional(notify.message))),
            from: origin(), limits: limits)
    }
}
