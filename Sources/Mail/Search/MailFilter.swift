import MailKernelAPI

/// A filter that the kernel can answer: those of the store, and tests of attachments, which the store does not know.
package indirect enum MailFilter: Sendable, Hashable {
    case all([MailFilter])
    case any([MailFilter])
    case none([MailFilter])
    case stored(EmailFilter)
    case attachment(AttachmentTest)

    /// The tests of attachments, each once.
    package var tests: [AttachmentTest] {
        var seen: Set<AttachmentTest> = []
        return allTests.filter { seen.insert($0).inserted }
    }

    private var allTests: [AttachmentTest] {
        switch self {
        case .all(let filters), .any(let filters), .none(let filters): filters.flatMap(\.allTests)
        case .stored: []
        case .attachment(let test): [test]
        }
    }

    /// The filter of the store for emails whose attachments pass exactly these tests.
    package func stored(passing passed: Set<AttachmentTest> = []) -> EmailFilter {
        switch self {
        case .all(let filters): Self.joined(filters.map { $0.stored(passing: passed) })
        case .any(let filters): Self.either(filters.map { $0.stored(passing: passed) })
        case .none(let filters): Self.without(Self.either(filters.map { $0.stored(passing: passed) }))
        case .stored(let filter): filter
        case .attachment(let test): passed.contains(test) ? .and([]) : .or([])
        }
    }

    private static let always = EmailFilter.and([])
    private static let never = EmailFilter.or([])

    /// Flat, and without what is always true: the store looks first for what it finds fastest.
    private static func joined(_ filters: [EmailFilter]) -> EmailFilter {
        guard !filters.contains(never) else { return never }
        let flat = filters.flatMap { filter in
            if case .and(let inner) = filter { return inner }
            return [filter]
        }
        return flat.count == 1 ? flat[0] : .and(flat)
    }

    private static func either(_ filters: [EmailFilter]) -> EmailFilter {
        guard !filters.contains(always) else { return always }
        let flat = filters.flatMap { filter in
            if case .or(let inner) = filter { return inner }
            return [filter]
        }
        return flat.count == 1 ? flat[0] : .or(flat)
    }

    private static func without(_ filter: EmailFilter) -> EmailFilter {
        switch filter {
        case always: never
        case never: always
        case .or(let filters): .not(filters)
        default: .not([filter])
        }
    }
}
