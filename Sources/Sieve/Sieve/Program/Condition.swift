/// A test, ready to run.
indirect enum Condition: Sendable {
    case constant(Bool)
    case not(Condition)
    case all([Condition])
    case any([Condition])
    case header(HeaderCondition)
    case address(AddressCondition)
    case envelope([StringTemplate], AddressCondition.Part, KeyList)
    case exists([StringTemplate], PartChoice?)
    case size(isOver: Bool, Int)
    case body(BodyCondition)
    case string([StringTemplate], KeyList)
    case hasFlag([StringTemplate], KeyList)
    case date(DateCondition)
    case currentDate(part: String, zone: StringTemplate?, KeyList)
    case mailboxExists([StringTemplate])
    case duplicate(DuplicateCondition)
    case environment(StringTemplate, KeyList)
    case validMethod([StringTemplate])
    case methodCapability(StringTemplate, StringTemplate, KeyList)
    /// The id or name of a saved search.
    case search(String, SievePosition?)
}

/// The keys of a test, with how they are compared.
struct KeyList {
    var matcher: Matcher
    /// Keys without variables are made ready once, when the script is read.
    var keys: [(template: StringTemplate, ready: Matcher.Key?)]
    var position: SievePosition?
}

/// Which of several fields with one name: 1 is the first, or the last one if they are counted from there.
struct FieldIndex {
    var number: Int
    var isFromLast: Bool

    func choose<Value>(_ values: [Value]) -> [Value] {
        let place = isFromLast ? values.count - number : number - 1
        return values.indices.contains(place) ? [values[place]] : []
    }
}

/// The current part, or all below it as well (RFC 5703).
struct PartChoice {
    var includesChildren: Bool
}

struct HeaderCondition {
    enum Aspect {
        case whole
        case type
        case subtype
        case contentType
        case parameters([StringTemplate])
    }

    var names: [StringTemplate]
    var keys: KeyList
    var index: FieldIndex?
    var part: PartChoice?
    var aspect = Aspect.whole
}

struct AddressCondition {
    enum Part: String {
        case all
        case localpart
        case domain
        case user
        case detail
    }

    var names: [StringTemplate]
    var keys: KeyList
    var addressPart: Part
    var index: FieldIndex?
    var part: PartChoice?
}

struct BodyCondition {
    enum Content {
        case raw
        case text
        case types([StringTemplate])
    }

    var content: Content
    var keys: KeyList
}

struct DateCondition {
    enum Zone {
        case local
        case original
        case given(StringTemplate)
    }

    var header: StringTemplate
    var datePart: String
    var keys: KeyList
    var zone: Zone
    var index: FieldIndex?
}

struct DuplicateCondition {
    enum Identity {
        case messageID
        case header(StringTemplate)
        case given(StringTemplate)
    }

    var handle: StringTemplate?
    var identity: Identity
    var seconds: Int?
    var isExtended: Bool
}
