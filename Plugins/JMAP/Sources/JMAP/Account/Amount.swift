import MailKernelAPI

/// What is asked for at once of the messages of an account.
struct Amount: Sendable {
    var size: Int
    /// One message can be too large, or nested too deeply, to be read at all.
    var hasTexts = true

    /// Nil if there is no less.
    var less: Amount? {
        if size > 1 { return Amount(size: max(1, size / 4), hasTexts: hasTexts) }
        return hasTexts ? Amount(size: 1, hasTexts: false) : nil
    }
}

extension JMAPAccountSession {
    private static let largestBatch = 500

    /// Asks for less while the service or this program finds the answer too large, in the end for one message without
    /// its texts, so that the others can be read.
    func smaller<Value: Sendable>(
        _ resource: Resource, _ body: (_ amount: Amount) async throws -> Value
    ) async throws -> Value {
        var amount = Amount(size: min(batchSize, resource.objectsInGet))
        while true {
            do {
                let value = try await body(amount)
                batchSize = min(amount.size * 2, Self.largestBatch)
                return value
            } catch {
                guard let less = amount.less, Self.isTooLarge(error) else { throw error }
                amount = less
            }
        }
    }

    private static func isTooLarge(_ error: any Error) -> Bool {
        switch error {
        case WireFailure.tooLarge, WireFailure.unreadable: true
        case let error as MethodError: error.type == "requestTooLarge" || error.type == "tooLarge"
        default: false
        }
    }
}
