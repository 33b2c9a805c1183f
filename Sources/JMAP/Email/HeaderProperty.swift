import FoundationEssentials
import MailKernelAPI
import MessageFormat

/// A property like `header:List-Unsubscribe:asURLs:all` (RFC 8621, section 4.1.3).
struct HeaderProperty: Hashable {
    let property: String
    let field: String
    let form: HeaderForm
    let isAll: Bool

    /// Nil if it is not such a property, or names a form that the field does not have.
    init?(_ property: String) {
        var parts = property.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count >= 2, parts.removeFirst() == "header" else { return nil }
        field = String(parts.removeFirst())
        guard !field.isEmpty, field.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x3A }) else {
            return nil
        }
        isAll = parts.last == "all"
        if isAll { parts.removeLast() }
        if let name = parts.first {
            guard parts.count == 1, let form = HeaderForm(rawValue: String(name)) else { return nil }
            self.form = form
        } else {
            form = .raw
        }
        guard form.isAllowed(for: field) else { return nil }
        self.property = property
    }

    func value(in headers: [HeaderField]) -> JSONValue {
        let name = ExactName.field(field)
        let values = headers.filter { ExactName.field($0.name) == name }.map { form.value(of: $0.value).json }
        if isAll { return .array(values) }
        // Of several fields the last one counts.
        return values.last ?? .null
    }
}

extension HeaderValue {
    var json: JSONValue {
        switch self {
        case .raw(let text): .string(text)
        case .text(let text): .string(text)
        case .addresses(let addresses): addresses.json
        case .groupedAddresses(let groups):
            .array(
                groups.map { group in
                    ["name": group.name.map { .string($0) } ?? .null, "addresses": group.addresses.json]
                })
        case .messageIDs(let ids): ids.map { .array($0.map { .string($0) }) } ?? .null
        case .date(let date): date.map { .string(JMAPDate.write($0.date, offset: $0.offset)) } ?? .null
        case .urls(let urls): urls.map { .array($0.map { .string($0) }) } ?? .null
        }
    }
}

extension [EmailAddress] {
    var json: JSONValue {
        .array(map { ["name": $0.name.map { .string($0) } ?? .null, "email": .string($0.look.email)] })
    }

    /// As the convenience properties give them: null where there is no such field.
    var jsonOrNull: JSONValue { isEmpty ? .null : json }
}
