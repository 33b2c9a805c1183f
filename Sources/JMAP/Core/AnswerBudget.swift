import MailKernelAPI

/// Limits the total size of the responses to one request, including data copied by references: a copy of a
/// copy doubles with each call.
struct AnswerBudget {
    /// About what a value costs besides its text.
    private static let step = 32

    private let limit: Int
    private var left: Int

    init(limit: Int) {
        self.limit = limit
        left = limit
    }

    var isSpent: Bool { left <= 0 }

    var error: MethodError {
        MethodError(
            "requestTooLarge",
            "The responses to one request are limited to about \(limit) bytes. Request less, or use several requests."
        )
    }

    mutating func takeStep() throws(MethodError) {
        left -= Self.step
        guard left >= 0 else { throw error }
    }

    /// For bytes that are about to be read, and will be written as text.
    mutating func take(bytes count: Int) throws(MethodError) {
        try takeStep()
        left -= count
        guard left >= 0 else { throw error }
    }

    mutating func take(_ object: [String: JSONValue]) throws(MethodError) {
        try take(.object(object))
    }

    /// - Throws: as soon as the limit is exceeded; the rest of the value is not counted.
    mutating func take(_ value: JSONValue) throws(MethodError) {
        try takeStep()
        switch value {
        case .null, .bool, .number: break
        case .string(let text): left -= text.utf8.count
        case .array(let elements):
            for element in elements { try take(element) }
        case .object(let members):
            for (key, member) in members {
                left -= Self.step + key.utf8.count
                try take(member)
            }
        }
        guard left >= 0 else { throw error }
    }
}
