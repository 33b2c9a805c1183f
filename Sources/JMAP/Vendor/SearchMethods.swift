import FoundationEssentials
import Kernel
import Mail
import MailKernelAPI
import Rules

extension RecordType {
    static let savedSearch = RecordType(
        "SavedSearch", .reading, of: .program, .stored(SavedSearches.dataType),
        ["id", "name", "text", "totalThreads", "unreadThreads"])
}

extension Method {
    /// Searches in the user's words.
    static let searches: [Method] = [
        Method("SearchText/parse", .reading, SearchMethods.parse),
        Method("SearchText/complete", .reading, SearchMethods.complete),
        .get(.savedSearch, SearchMethods.saved),
        .changes(of: .savedSearch),
        .set(.savedSearch, with: SavedSearchSetter()),
    ]
}

enum SearchMethods {
    /// What a text means to the filter `search`.
    @Sendable static func parse(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let text = try arguments.required(try arguments.string("text"), "text")
        try arguments.finish()
        let search = SearchText(text, at: context.kernel.clock.now)
        var places: [SearchPlaces] = []
        for account in try await context.accounts() {
            places.append(try await context.searchPlaces(of: account.id))
        }
        return [
            "accountId": .string(ProgramAccount.id.rawValue),
            "problem": search.problem.map { .string($0) } ?? .null,
            "chips": .array(search.chips.map(\.json)),
            "remarks": .array(search.remarks(in: places).map(\.json)),
            "marks": .array(search.marks.map(\.json)),
        ]
    }

    /// Ways to go on with a text that is being typed.
    @Sendable static func complete(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let text = try arguments.required(try arguments.string("text"), "text")
        let caret = try arguments.unsignedInt("caret") ?? text.utf16.count
        try arguments.finish()
        let hints = SearchHints(
            store: context.kernel.store, recent: context.kernel.reading.recentSearches)
        let found = try await context.reading { _ throws(StorageError) in
            try await hints.hints(for: text, at: caret)
        }
        return [
            "accountId": .string(ProgramAccount.id.rawValue),
            "list": .array(
                found.map {
                    [
                        "kind": .string($0.kind.rawValue), "title": .string($0.title),
                        "detail": .string($0.detail), "text": .string($0.text),
                        "caret": .number(Double($0.caret)),
                    ]
                }),
        ]
    }

    @Sendable static func saved(
        _ context: inout RequestContext, _ accountID: Id<Account>, _ asked: GetArguments
    ) async throws(MethodError) -> [Record] {
        let searches = SavedSearches(store: context.kernel.store)
        let all = try await context.reading { _ throws(StorageError) in try await searches.all() }
        var records: [Record] = []
        for search in all where asked.ids?.contains(search.id) ?? true {
            var object = search.json
            for (property, filter) in [("totalThreads", [:]), ("unreadThreads", ["notKeyword": "$seen"])]
                as [(String, [String: JSONValue])]
            where asked.properties.contains(property) {
                let count = try await count(search.text, filter, &context)
                object[property] = count.map { .number(Double($0)) } ?? .null
            }
            records.append((search.id, object))
        }
        return records
    }

    /// Conversations that it finds now, in all accounts; nil for a search that cannot be answered.
    private static func count(
        _ text: String, _ also: [String: JSONValue], _ context: inout RequestContext
    ) async throws(MethodError) -> Int? {
        let filter: [String: JSONValue] = [
            "operator": "AND", "conditions": [["search": .string(text)], .object(also)],
        ]
        var total = 0
        for account in try await context.accounts() {
            var query = EmailQuery(
                in: [account.id], collapseThreads: true, limit: 0, calculateTotal: true)
            do throws(MethodError) {
                let read = try await EmailFilterReader.read(filter, context, in: account.id)
                query.filter = read.stored()
                let asked = query
                if read.tests.isEmpty {
                    total += try await context.reading { store throws(StorageError) in
                        try await store.queryEmails(asked).total ?? 0
                    }
                } else {
                    total += try await context.hits(of: asked, read).count
                }
            } catch {
                guard error.type == "unsupportedFilter" else { throw error }
                return nil
            }
        }
        return total
    }
}

private struct SavedSearchSetter: RecordSetter {
    private static let most = 200

    func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record {
        for key in ["name", "text"] where object[key] ?? .null == .null {
            throw .invalidProperty(key, "is missing")
        }
        let id = "V" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let search = try SavedSearch(id: id, name: "", text: "").patched(object, at: context.kernel.clock.now)
        let searches = SavedSearches(store: context.kernel.store)
        guard try await SetError.wrapping({ try await searches.all().count }) < Self.most else {
            throw SetError("overQuota", "There can be at most \(Self.most) saved searches.")
        }
        try await SetError.wrapping { try await searches.put(search) }
        return (id, search.json.filter { object[$0.key] != $0.value })
    }

    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        let searches = SavedSearches(store: context.kernel.store)
        guard let old = try await SetError.wrapping({ try await searches.search(id) }) else {
            throw .notFound
        }
        let search = try old.patched(patch, at: context.kernel.clock.now)
        let uses = context.kernel.rulebook.searches
        try await Self.unlessRefused { try await uses.change(old, to: search) }
        return .null
    }

    func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        let searches = SavedSearches(store: context.kernel.store)
        guard let search = try await SetError.wrapping({ try await searches.search(id) }) else {
            throw .notFound
        }
        let uses = context.kernel.rulebook.searches
        try await Self.unlessRefused { try await uses.remove(search) }
    }

    /// Rules may need a search as it is.
    private static func unlessRefused(
        _ change: @Sendable () async throws -> Void
    ) async throws(SetError) {
        try await SetError.wrapping {
            do {
                try await change()
            } catch let refusal as SearchUses.Refusal {
                throw SetError("forbidden", refusal.sentence)
            }
        }
    }
}

extension SavedSearch {
    fileprivate var json: [String: JSONValue] {
        ["id": .string(id), "name": .string(name), "text": .string(text)]
    }

    fileprivate func patched(_ patch: [String: JSONValue], at now: Date) throws(SetError) -> SavedSearch {
        var search = self
        let object = try Patch.apply(patch, to: json)
        for key in patch.keys.sorted() {
            let value = object[key] ?? .null
            switch key {
            case "name": search.name = try Self.line(value, key, 200)
            case "text":
                search.text = try Self.line(value, key, 4000)
                if let problem = SearchText(search.text, at: now).problem {
                    throw SetError("invalidProperties", problem, properties: [key])
                }
            default:
                guard json[key] == value else { throw .invalidProperty(key, "cannot be changed") }
            }
        }
        return search
    }

    private static func line(_ value: JSONValue, _ key: String, _ most: Int) throws(SetError) -> String {
        guard let text = value.stringValue, (1...most).contains(text.utf8.count),
            text.contains(where: { !$0.isWhitespace }), !text.contains(where: \.isNewline)
        else { throw .invalidProperty(key, "must be one line of at most \(most) bytes") }
        return text
    }
}

extension SearchText.Chip {
    fileprivate var json: JSONValue {
        [
            "label": .string(label), "start": .number(Double(range.lowerBound)),
            "end": .number(Double(range.upperBound)), "without": .string(without),
            "isPhrase": .bool(isPhrase),
        ]
    }
}

extension SearchText.Remark {
    fileprivate var json: JSONValue {
        [
            "sentence": .string(sentence), "start": .number(Double(range.lowerBound)),
            "end": .number(Double(range.upperBound)),
        ]
    }
}

extension SearchText.Mark {
    fileprivate var json: JSONValue {
        ["words": .array(words.map { .string($0) }), "isPrefix": .bool(isPrefix)]
    }
}
