import FoundationEssentials
import Kernel
import MailKernelAPI
import Rules

extension RecordType {
    /// The vacation reply (RFC 8621, section 8): the service's own, or a part of the active script.
    static let vacationResponse = RecordType(
        "VacationResponse", .vacation, .storedIn([UserScripts.dataType, Vacations.dataType]),
        ["id", "isEnabled", "fromDate", "toDate", "subject", "textBody", "htmlBody", "isAtService"])
}

extension Method {
    static let vacation: [Method] = [
        .get(.vacationResponse) { context, accountID, _ async throws(MethodError) in
            do {
                return [(singletonID, try await context.kernel.rulebook.vacations.reply(in: accountID).json)]
            } catch let error as StorageError {
                throw MethodError(error)
            } catch {
                throw MethodError("serverUnavailable", (error as? AccountError)?.sentence ?? "\(error)")
            }
        },
        .set(.vacationResponse, with: VacationSetter()),
    ]
}

extension AccountVacation {
    /// A VacationResponse object. The last member is this program's own.
    fileprivate var json: [String: JSONValue] {
        [
            "id": .string(singletonID), "isEnabled": .bool(rule.isOn),
            "fromDate": rule.from.map { .string(JMAPDate.write($0)) } ?? .null,
            "toDate": rule.to.map { .string(JMAPDate.write($0)) } ?? .null,
            "subject": rule.subject.map { .string($0) } ?? .null, "textBody": .string(rule.text),
            "htmlBody": html.map { .string($0) } ?? .null, "isAtService": .bool(isAtService),
        ]
    }

    fileprivate mutating func take(_ key: String, _ value: JSONValue) throws(SetError) {
        let isNull = value == .null
        switch key {
        case "isEnabled":
            guard let isOn = value.boolValue else { throw .invalidProperty(key, "must be a boolean") }
            rule.isOn = isOn
        case "fromDate": rule.from = try Self.date(key, value)
        case "toDate": rule.to = try Self.date(key, value)
        case "subject":
            guard isNull || value.stringValue != nil else { throw .invalidProperty(key, "must be a string") }
            rule.subject = value.stringValue
        case "textBody":
            guard isNull || value.stringValue != nil else { throw .invalidProperty(key, "must be a string") }
            rule.text = value.stringValue ?? ""
        case "htmlBody":
            guard isNull || value.stringValue != nil && isAtService else {
                throw .invalidProperty(key, "is not supported: replies are plain text")
            }
            html = value.stringValue
        case "isAtService" where value == .bool(isAtService): break
        case "id" where value.stringValue == singletonID: break
        default: throw .invalidProperty(key, "cannot be set")
        }
    }

    private static func date(_ key: String, _ value: JSONValue) throws(SetError) -> Date? {
        guard value != .null else { return nil }
        guard let date = value.stringValue.flatMap(JMAPDate.readUTC) else {
            throw .invalidProperty(key, "must be a date in UTC")
        }
        return date
    }
}

private struct VacationSetter: SoleRecordSetter {
    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        guard id == singletonID else { throw .notFound }
        let vacations = context.kernel.rulebook.vacations
        return try await SetError.wrapping {
            do {
                try await vacations.change(in: accountID) { reply in
                    for (key, value) in patch.sorted(by: { $0.key < $1.key }) { try reply.take(key, value) }
                }
                return JSONValue.null
            } catch let problem as ScriptProblem {
                throw SetError("invalidProperties", problem.sentence)
            }
        }
    }
}
