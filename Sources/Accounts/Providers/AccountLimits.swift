import FoundationEssentials
import MailKernelAPI
import PluginCalls

// Checks what providers return about accounts and about changes.

extension AccountSetup {
    var isWithinLimits: Bool {
        (1...SyncLimits.idBytes).contains(id.utf8.count)
            && [title, serviceName, explanation].allSatisfy { $0.utf8.count <= AnswerLimits.textBytes }
            && services.count <= AnswerLimits.services && protocols.count <= MailProtocol.allCases.count
            && services.allSatisfy(\.isWithinLimits)
            // Without a scheme it is a page of the program's own documentation.
            && helpURL?.isLink(["https", "http", ""]) ?? true
    }
}

extension KnownService {
    fileprivate var isWithinLimits: Bool {
        domains.count + mailHosts.count <= AnswerLimits.services
            && ([id, name, refusal] + domains + mailHosts).allSatisfy {
                $0.utf8.count <= AnswerLimits.textBytes
            }
    }
}

extension AuthorizationStep {
    /// Checks the limits. Settings that exceed them are taken apart, because freeing very deep ones would overflow the
    /// stack.
    ///
    /// - Throws: `.badAnswer` if the step exceeds the limits.
    mutating func hold() throws(AccountError) {
        switch self {
        case .browser: return
        case .code(let code, _):
            guard code.isWithinLimits else { throw .badAnswer("a code or a page that cannot be shown") }
        case .form(let fields, _):
            guard fields.count <= AnswerLimits.fields, fields.allSatisfy(\.isWithinLimits) else {
                throw .badAnswer("a form with more than \(AnswerLimits.fields) fields, or with long texts")
            }
        case .finished(var candidates):
            self = .finished([])
            let isWithinLimits =
                candidates.count <= AnswerLimits.candidates && candidates.allSatisfy(\.isWithinLimits)
            guard isWithinLimits else {
                for index in candidates.indices { candidates[index].takeApart() }
                throw .badAnswer(
                    "more than \(AnswerLimits.candidates) accounts, or settings that are too large or nested "
                        + "more than \(AnswerLimits.settingsDepth) deep")
            }
            self = .finished(candidates)
        }
    }
}

extension FormField {
    fileprivate var isWithinLimits: Bool {
        let choices =
            if case .choice(let choices) = kind { choices.flatMap { [$0.value, $0.label] } } else {
                [String]()
            }
        return choices.count <= 2 * AnswerLimits.fields
            && ([name, label, initialValue, hint] + choices).allSatisfy {
                $0.utf8.count <= AnswerLimits.textBytes
            }
    }
}

extension SignInCode {
    private static let codeBytes = 100
    private static let pageBytes = 2_000

    fileprivate var isWithinLimits: Bool {
        let isPlain = code.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        let pages = [page, filledPage].compactMap(\.self)
        return isPlain && (1...Self.codeBytes).contains(code.utf8.count)
            && pages.allSatisfy { $0.isLink(["https"]) && $0.absoluteString.utf8.count <= Self.pageBytes }
    }
}

extension AccountCandidate {
    fileprivate var isWithinLimits: Bool {
        var level = Array(settings.values)
        var (depth, bytes) = (0, settings.keys.reduce(0) { $0 + $1.utf8.count })
        while !level.isEmpty {
            depth += 1
            for value in level { bytes += value.stringValue?.utf8.count ?? 8 }
            guard depth <= AnswerLimits.settingsDepth, bytes <= AnswerLimits.settingsBytes else {
                return false
            }
            // JSON has only finite numbers.
            guard level.allSatisfy({ $0.numberValue?.isFinite ?? true }) else { return false }
            bytes += level.reduce(0) { $0 + ($1.objectValue?.keys.reduce(0) { $0 + $1.utf8.count } ?? 0) }
            level = level.flatMap(\.children)
        }
        return true
    }

    /// Frees the settings level by level instead of recursively.
    fileprivate mutating func takeApart() {
        var values = Array(settings.values)
        settings = [:]
        while let value = values.popLast() { values += value.children }
    }
}

extension JSONValue {
    fileprivate var children: [JSONValue] { arrayValue ?? objectValue.map { Array($0.values) } ?? [] }
}

extension ValidatedAccount {
    func checkLimits() throws(AccountError) {
        let texts = [address, displayName] + identities.flatMap { [$0.email, $0.name ?? ""] }
        guard identities.count <= AnswerLimits.identities,
            texts.allSatisfy({ $0.utf8.count <= AnswerLimits.textBytes })
        else {
            throw .badAnswer(
                "more than \(AnswerLimits.identities) addresses, or texts longer than \(AnswerLimits.textBytes) bytes"
            )
        }
    }
}

extension MutationOutcome {
    /// The outcome without new ids of messages that the mutation did not name.
    ///
    /// - Throws: `.badAnswer` if an id cannot be stored.
    func held(for mutation: RemoteMutation) throws(AccountError) -> MutationOutcome {
        switch self {
        case .done(var newIDs, let mailbox):
            let asked = Set(mutation.addresses)
            newIDs = newIDs.filter { asked.contains($0.key) }
            guard newIDs.values.allSatisfy(\.isWithinLimits), mailbox?.isWithinLimits ?? true else {
                throw .badAnswer("an id that is empty or longer than \(SyncLimits.idBytes) bytes")
            }
            return .done(newIDs: newIDs, mailbox: mailbox)
        case .failed(let error): return .failed(error.held)
        case .refused(let error): return .refused(error.held)
        case .notTried: return .notTried
        }
    }
}

extension RemoteMutation {
    fileprivate var addresses: [RemoteAddress] {
        switch self {
        case .setKeywords(let addresses, _, _), .add(let addresses, _), .remove(let addresses, _),
            .move(let addresses, _, _), .destroy(let addresses):
            addresses
        case .createMailbox, .renameMailbox, .deleteMailbox: []
        }
    }
}

extension ImportOutcome {
    var held: ImportOutcome {
        if case .refused(let error) = self { .refused(error.held) } else { self }
    }
}
