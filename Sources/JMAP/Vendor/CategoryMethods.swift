import Intelligence
import Kernel
import MailKernelAPI

extension RecordType {
    /// The category of each email, as a model found it or as the user says: one object per email, with its id.
    static let category = RecordType(
        "Category", .models,
        .running(Categories.dataType) { kernel, accountID in
            kernel.intelligence.categories.state(in: accountID)
        },
        ["id", "category", "isCorrected"])
}

extension Method {
    static let categories: [Method] = [
        Method(.category, "get") { context, arguments async throws(MethodError) in
            var answer = try await context.get(.category, &arguments, CategorySetter.records)
            answer["pausedBy"] =
                await context.kernel.intelligence.categories.pause.map { .string($0.rawValue) } ?? .null
            return answer
        },
        .set(.category, with: CategorySetter()),
    ]
}

private struct CategorySetter: RecordSetter {
    static func records(
        _ context: inout RequestContext, _ accountID: Id<Account>, _ asked: GetArguments
    ) async throws(MethodError) -> [Record] {
        guard let ids = asked.ids(of: Email.self) else {
            throw .invalidArguments("ids", "must contain ids of emails")
        }
        let categories = context.kernel.intelligence.categories
        let emails = try await context.reading { store throws(StorageError) in
            try await store.emails(ids, in: accountID).map(\.email.id)
        }
        let found = try await context.reading { _ throws(StorageError) in
            try await categories.categories(of: emails, in: accountID)
        }
        return emails.map { id in
            let (category, isCorrected) = found[id] ?? (.uncategorized, false)
            return (
                id.rawValue,
                [
                    "id": .string(id.rawValue), "category": .string(category.rawValue),
                    "isCorrected": .bool(isCorrected),
                ]
            )
        }
    }

    func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record {
        throw SetError("forbidden", "An email has its category from the beginning.")
    }

    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        guard Set(patch.keys) == ["category"] else {
            throw .invalidProperty("category", "is all that can be set")
        }
        let category = try Self.category(patch["category"])
        let categories = context.kernel.intelligence.categories
        try await SetError.wrapping { try await categories.correct(Id(id), to: category, in: accountID) }
        return .null
    }

    func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        throw SetError("forbidden", "A category goes with its email.")
    }

    private static func category(_ value: JSONValue?) throws(SetError) -> EmailCategory {
        let name = value?.stringValue ?? ""
        guard let category = EmailCategory(rawValue: name), category != .uncategorized else {
            throw .invalidProperty(
                "category", "must be one of primary, social, promotions, updates, forums")
        }
        return category
    }
}
