/// Where a value is inside of another. Its keys are collected only when an error names them.
final class CodingTrail: Sendable {
    static let start = CodingTrail(nil, above: nil, level: 0)

    /// The number of values around it.
    let level: Int
    private let key: (any CodingKey)?
    private let above: CodingTrail?

    private init(_ key: (any CodingKey)?, above: CodingTrail?, level: Int) {
        (self.key, self.above, self.level) = (key, above, level)
    }

    func inside(_ key: any CodingKey) -> CodingTrail { CodingTrail(key, above: self, level: level + 1) }

    func inside(_ index: Int) -> CodingTrail { inside(PlaceKey.index(index)) }

    var path: [any CodingKey] { (above?.path ?? []) + (key.map { [$0] } ?? []) }

    func refusal(of value: Any, _ reason: String) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: path, debugDescription: reason))
    }

    func context(_ reason: String) -> DecodingError.Context {
        DecodingError.Context(codingPath: path, debugDescription: reason)
    }
}

/// A name that no type declares, or the place of an element in a list.
enum PlaceKey: CodingKey {
    case name(String)
    case index(Int)

    static let parent = PlaceKey.name("super")

    init(stringValue: String) { self = .name(stringValue) }
    init(intValue: Int) { self = .index(intValue) }

    var stringValue: String {
        switch self {
        case .name(let name): name
        case .index(let index): "Index \(index)"
        }
    }

    var intValue: Int? { if case .index(let index) = self { index } else { nil } }
}
