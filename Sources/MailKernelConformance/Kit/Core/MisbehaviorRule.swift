import FoundationEssentials
import MailKernelAPI
import Synchronization

/// One rule of `Misbehavior`, read from the settings, and how often it was followed.
final class MisbehaviorRule<Failure: Error & Codable>: Sendable {
    enum End: Sendable {
        case error(Failure)
        case hang, block, crash
    }

    let delay: Double
    let end: End
    let doesItsWorkFirst: Bool
    let answer: JSONValue?
    let isGarbage: Bool
    private let failFirst: Int?
    private let failEvery: Int?
    private let failAfter: Int?
    private let failsAlways: Bool
    private let calls = Mutex(0)

    init(_ rule: JSONValue, failure: Failure, log: PluginLog) {
        delay = rule["delaySeconds"]?.numberValue ?? 0
        doesItsWorkFirst = rule["afterwards"]?.boolValue ?? false
        answer = rule["answer"]
        isGarbage = rule["garbage"]?.boolValue ?? false
        failFirst = rule["failFirst"]?.intValue
        failEvery = rule["failEvery"]?.intValue
        failAfter = rule["failAfter"]?.intValue
        failsAlways = rule["error"] != nil && failFirst == nil && failEvery == nil && failAfter == nil
        end = Self.end(rule["error"], failure: failure, log: log)
    }

    /// Counts a call and says whether it fails.
    func countCall() -> Bool {
        let number = calls.withLock { calls in
            calls += 1
            return calls
        }
        if let failFirst, number <= failFirst { return true }
        if let failEvery, failEvery > 0, number.isMultiple(of: failEvery) { return true }
        if let failAfter, number > failAfter { return true }
        return failsAlways
    }

    private static func end(_ error: JSONValue?, failure: Failure, log: PluginLog) -> End {
        switch error {
        case nil: return .error(failure)
        case "hang": return .hang
        case "block": return .block
        case "crash": return .crash
        case .some(let named):
            // As Swift encodes an enum: a case without values is an object around an empty one.
            let encoded = named.stringValue.map { JSONValue.object([$0: .object([:])]) } ?? named
            if let error = MisbehaviorJSON.decode(Failure.self, from: encoded) { return .error(error) }
            log.warning("“error” names no case of \(public: "\(Failure.self)"); another one is used")
            return .error(failure)
        }
    }
}

enum MisbehaviorJSON {
    static func decode<Value: Decodable>(_ type: Value.Type, from json: JSONValue) -> Value? {
        (try? JSONEncoder().encode(json)).flatMap { try? JSONDecoder().decode(Value.self, from: $0) }
    }
}
