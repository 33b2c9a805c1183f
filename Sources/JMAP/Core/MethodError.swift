import MailKernelAPI

/// Why one method call failed (RFC 8620, section 3.6.2). Nothing of the call was then carried out.
struct MethodError: Error, Hashable {
    var type: String
    var description: String?
    /// Further members that some errors have.
    var details: [String: JSONValue] = [:]

    init(_ type: String, _ description: String? = nil, details: [String: JSONValue] = [:]) {
        self.type = type
        self.description = description
        self.details = details
    }

    static func invalidArguments(_ name: String, _ problem: String) -> MethodError {
        MethodError("invalidArguments", "“\(name)” \(problem).", details: ["arguments": [.string(name)]])
    }

    static func tooManyObjects(_ limit: Int) -> MethodError {
        MethodError("requestTooLarge", "At most \(limit) objects at a time.")
    }

    static let unknownMethod = MethodError("unknownMethod")
    static let accountNotFound = MethodError("accountNotFound")
    static let accountReadOnly = MethodError("accountReadOnly", "This client is read-only.")
    static let cannotCalculateChanges = MethodError("cannotCalculateChanges")
    static let stateMismatch = MethodError("stateMismatch")
    static let anchorNotFound = MethodError("anchorNotFound")

    var json: JSONValue {
        var object = details
        object["type"] = .string(type)
        if let description { object["description"] = .string(description) }
        return .object(object)
    }
}

extension MethodError {
    /// The error for a client if the store fails.
    init(_ error: StorageError) {
        self =
            switch error {
            case .stateMismatch: .stateMismatch
            case .cannotCalculateChanges: .cannotCalculateChanges
            case .anchorNotFound: .anchorNotFound
            case .closed, .cancelled: MethodError("serverUnavailable", "The program is stopping.")
            case .invalid(let reason): MethodError("invalidArguments", reason)
            case .full, .unwritable, .unreadable, .corrupt, .newerFormat, .inUse, .notFound, .unsupported,
                .unreachable, .leaseLost:
                MethodError("serverFail", error.sentence)
            }
    }
}

/// Why one object was not created, updated or destroyed (RFC 8620, section 5.3).
struct SetError: Error, Hashable {
    var type: String
    var description: String?
    var properties: [String] = []
    var details: [String: JSONValue] = [:]

    init(
        _ type: String, _ description: String? = nil, properties: [String] = [],
        details: [String: JSONValue] = [:]
    ) {
        self.type = type
        self.description = description
        self.properties = properties
        self.details = details
    }

    static let notFound = SetError("notFound")

    static func invalidProperty(_ name: String, _ problem: String) -> SetError {
        SetError("invalidProperties", "“\(name)” \(problem).", properties: [name])
    }

    var json: JSONValue {
        var object = details
        object["type"] = .string(type)
        if let description { object["description"] = .string(description) }
        if !properties.isEmpty { object["properties"] = .array(properties.map { .string($0) }) }
        return .object(object)
    }
}
