import FoundationEssentials
import MailKernelAPI
import PluginCalls

/// The parts of a message as a provider returns them, raw or read.
private protocol NestedPart {
    var size: Int { get }
    var subParts: [Self] { get }
    /// The bytes that the part itself holds.
    var heldBytes: Int { get }
}

extension RemoteBodyPart: NestedPart {
    fileprivate var heldBytes: Int { bytes?.count ?? 0 }
}

extension EmailBodyPart: NestedPart {
    fileprivate var heldBytes: Int { headers.heldBytes }
}

extension NestedPart {
    fileprivate var problem: String? {
        var level = [self]
        var (depth, count) = (0, 0)
        while !level.isEmpty {
            depth += 1
            count += level.count
            guard depth <= SyncLimits.partDepth else {
                return "its parts are nested more than \(SyncLimits.partDepth) deep"
            }
            guard count <= SyncLimits.parts else { return "it has more than \(SyncLimits.parts) parts" }
            guard level.allSatisfy({ (0...AnswerLimits.messageBytes).contains($0.size) }) else {
                return "the size of a part is negative or more than \(AnswerLimits.messageBytes) bytes"
            }
            level = level.flatMap(\.subParts)
        }
        return nil
    }

    /// All bytes that the parts hold, counted no further than a message may have. Check the depth first.
    fileprivate func heldBytes(after first: Int) -> Int {
        var (sum, level) = (first, [self])
        while !level.isEmpty, sum <= AnswerLimits.contentBytes {
            sum += level.reduce(0) { $0 + $1.heldBytes }
            level = level.flatMap(\.subParts)
        }
        return sum
    }

    /// All parts within, outer ones first.
    fileprivate var levels: [[Self]] {
        var levels = [subParts]
        var index = 0
        while index < levels.count {
            for part in levels[index] where !part.subParts.isEmpty { levels.append(part.subParts) }
            index += 1
        }
        return levels
    }
}

extension RemoteMessage.Content {
    /// Why its parts cannot be kept; nil if they can.
    var partProblem: String? {
        switch self {
        case .whole: nil
        case .parts(_, let structure): structure.problem
        case .parsed(let body): body.structure.problem
        }
    }

    /// The number of bytes in the content. Check the depth of its parts first.
    var size: Int {
        switch self {
        case .whole(let data): data.count
        case .parts(let header, let structure): structure.heldBytes(after: header.count)
        case .parsed(let body):
            body.structure.heldBytes(
                after: body.headers.heldBytes + body.values.values.reduce(0) { $0 + $1.value.utf8.count })
        }
    }

    /// Lets go of parts that may be nested without end. Freed as they are, each would free the next one within itself,
    /// and the stack would end before the parts do.
    mutating func takeApart() {
        Self.release(takeRawParts())
        Self.release(takeReadParts())
    }

    private mutating func takeRawParts() -> [[RemoteBodyPart]] {
        guard case .parts(_, let structure) = self else { return [] }
        self = .whole(Data())
        return structure.levels
    }

    private mutating func takeReadParts() -> [[EmailBodyPart]] {
        guard case .parsed(let body) = self else { return [] }
        self = .whole(Data())
        return body.structure.levels
    }

    /// That the inner parts are held here keeps them from going with the outer ones.
    private static func release<Part>(_ levels: consuming [[Part]]) {
        for index in levels.indices { levels[index] = [] }
    }
}

extension [HeaderField] {
    fileprivate var heldBytes: Int { reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } }
}
