import Kernel
import MailKernelAPI

extension Method {
    static let categories = [
        Method("Category/get", .models, CategoryMethods.get),
        Method("Category/set", .models, CategoryMethods.set),
    ]
}

/// The category of each email, as a model found it or as the user says.
enum CategoryMethods {
    static let properties = ["id", "category", "isCorrected"]

    /// One object per email, with the email's id.
    @Sendable static func get(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let asked = try GetArguments(&arguments, context, properties: properties)
        try arguments.finish()
        guard let ids = asked.ids else { throw .invalidArguments("ids", "must contain ids of emails") }
        let categories = context.kernel.intelligence.categories
        let state = categories.state(in: account.id)
        let emails = try await context.reading { store throws(StorageError) in
            try await store.emails(ids.map { Id($0) }, in: account.id)
        }
        let found = try await context.reading { _ throws(StorageError) in
            try await categories.categories(of: emails.map(\.email.id), in: account.id)
        }
        var answer = try asked.answer(
            in: account.id, state: state.rawValue,
            emails.map { stored in
                let id = stored.email.id
                let (category, isCorrected) = found[id] ?? (.uncategorized, false)
                return (
                    id.rawValue,
                    [
                        "id": .string(id.rawValue), "category": .string(category.rawValue),
                        "isCorrected": .bool(isCorrected),
                    ]
                )
            })
        answer["pausedBy"] = await categories.pause.map { .string($0.rawValue) } ?? .null
        return answer
    }

    /// `update` maps ids of emails to where they belong: the category, or an object with it.
    @Sendable static func set(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        try context.requireWriting()
        let update = try arguments.object("update") ?? [:]
        let expected = try arguments.name("ifInState")
        try arguments.finish()
        guard update.count <= context.limits.maxObjectsInSet else {
            throw .tooManyObjects(context.limits.maxObjectsInSet)
        }
        let categories = context.kernel.intelligence.categories
        let oldState = categories.state(in: account.id)
        if let expected, expected != oldState.rawValue { throw .stateMismatch }
        var answer = SetAnswer()
        for (id, value) in update.sorted(by: { $0.key < $1.key }) {
            do throws(SetError) {
                let category = try category(value)
                let emailID = Id<Email>(context.resolved(id) ?? id)
                let accountID = account.id
                try await SetError.wrapping {
                    try await categories.correct(emailID, to: category, in: accountID)
                }
                answer.updated[id] = .null
            } catch {
                answer.notUpdated[id] = error
            }
        }
        return answer.json(
            in: account.id, oldState: oldState.rawValue,
            newState: categories.state(in: account.id).rawValue)
    }

    private static func category(_ value: JSONValue) throws(SetError) -> EmailCategory {
        let name = value.stringValue ?? value["category"]?.stringValue ?? ""
        guard let category = EmailCategory(rawValue: name), category != .uncategorized else {
            throw .invalidProperty(
                "category", "must be one of primary, social, promotions, updates, forums")
        }
        return category
    }
}
