import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Compose
@testable import Mail
@testable import Store

/// ORG-95: values become documents, and documents values, as JSONEncoder and JSONDecoder do it, only faster.
@Suite("Documents as values") struct DocumentValueTests {
    private static func foundation(_ value: some Encodable) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
    }

    private static func foundation<Value: Decodable>(_ type: Value.Type, _ value: JSONValue) throws -> Value {
        try JSONDecoder().decode(type, from: JSONEncoder().encode(value))
    }

    private func check<Value: Codable & Equatable>(
        _ value: Value, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let encoded = try JSONValue(encoding: value)
        #expect(try encoded == Self.foundation(value), sourceLocation: location)
        #expect(try encoded.decoded(as: Value.self) == value, sourceLocation: location)
        #expect(try Self.foundation(Value.self, encoded) == value, sourceLocation: location)
    }

    private struct Everything: Codable, Equatable {
        enum Choice: Codable, Equatable {
            case none
            case one(Int)
            case named(first: String, Date)
            indirect case inside(Choice)
        }

        enum Raw: String, Codable { case a, b }

        var text = "é “quoted” \\ \u{0}"
        var numbers: [Double] = [0, -0.5, 0.1, 1e300, Double.leastNonzeroMagnitude]
        var small: [Float] = [0.1, 3.4e38, -1.5]
        var whole: [Int64] = [.min, .max, 0, 9_007_199_254_740_991]
        var unsigned: UInt8? = 255
        var none: Int?
        var maybe: [Int?] = [1, nil, 3]
        var flag = true
        var date = Date(timeIntervalSinceReferenceDate: 123_456_789.123456)
        var data = Data([0, 1, 254, 255])
        var chunks: [Data?] = [Data(), nil]
        var url = URL(string: "https://example.org/a?b=c#d")
        var choices: [Choice] = [.none, .one(1), .named(first: "x", .distantPast), .inside(.inside(.none))]
        var raw: [Raw: Int] = [.a: 1]
        var byName: [String: [Raw]] = ["x": [.a, .b], "": []]
        var byNumber: [Int: String] = [1: "one", -2: "two"]
        var json: JSONValue = ["a": [1, nil, 2.5, ["b": true]]]
        var nestedOptional: JSONValue? = "x"
        var keyword = Keyword("$seen")
        var id = Id<Email>("M1")
    }

    @Test func everyKindOfValueIsTheSame() throws {
        var all = Everything()
        // As numbers of JSON, the largest integers are rounded: they are not the same in either way.
        all.whole = [-9_007_199_254_740_991, 9_007_199_254_740_991, 0]
        #expect(try JSONValue(encoding: Everything()) == Self.foundation(Everything()))
        try check(all)
        try check([all, all])
        try check("text")
        try check(5)
        try check([Int?.none])
        try check(JSONValue.null)
        #expect(try JSONValue(encoding: Int?.none) == .null)
    }

    @Test func documentsOfTheKernelAreTheSame() throws {
        let (account, email, mailbox) = (Id<Account>("A"), Id<Email>("M1"), Id<Mailbox>("X1"))
        let update = EmailUpdate(
            email, in: account, addKeywords: [.seen, .flagged], removeMailboxes: [mailbox, Id("X2")])
        var action = MailAction(
            id: Id("A1"), accountID: account, verb: .move(mailbox), client: "page", createdAt: Date(),
            total: 7)
        action.refusal = "Messages cannot be added to “Old”."
        try check(action)
        action.verb = .snooze(until: Date())
        try check(action)
        try check(update)
        var change = PendingChange(.update([update]))
        (change.nextTryAt, change.named, change.follows) = (Date(), [email], "P0")
        try check(change)
        try check(PendingChange(.destroy([RemoteAddress(feed: Id("F"), id: Id("1/é"))])))
        let old = Mailbox(id: mailbox, accountID: account, name: "Old")
        try check(PendingChange(.renameMailbox(mailbox, old: old)))
        try check(PendingChange(.append(email)))
        try check(
            Snooze(
                emailID: email, accountID: account, until: Date(), mailboxID: mailbox, newest: .distantPast))
        var map = RemoteMap()
        map.features = [.labels, .mailboxChanges]
        map.mailboxes = [Id("INBOX"): mailbox, Id("Old"): Id("X2")]
        try check(map)
    }

    @Test func whatJSONCannotExpressIsRefused() {
        #expect(throws: EncodingError.self) { try JSONValue(encoding: Double.nan) }
        #expect(throws: EncodingError.self) { try JSONValue(encoding: [Float.infinity]) }
        #expect(throws: EncodingError.self) { try JSONValue(encoding: ["a": JSONValue.number(.nan)]) }
    }

    @Test func whatDoesNotFitIsRefused() {
        #expect(throws: DecodingError.self) { try JSONValue.number(256).decoded(as: UInt8.self) }
        #expect(throws: DecodingError.self) { try JSONValue.number(1.5).decoded(as: Int.self) }
        #expect(throws: DecodingError.self) { try JSONValue.number(1e300).decoded(as: Float.self) }
        #expect(throws: DecodingError.self) { try JSONValue.null.decoded(as: String.self) }
        #expect(throws: DecodingError.self) { try JSONValue.string("?").decoded(as: Data.self) }
        #expect(throws: DecodingError.self) { try JSONValue.bool(true).decoded(as: Int.self) }
        #expect(throws: DecodingError.self) { try JSONValue.number(1).decoded(as: Bool.self) }
        #expect(throws: DecodingError.self) { try JSONValue.object([:]).decoded(as: Everything.self) }
        #expect(throws: DecodingError.self) { try JSONValue.array([1, "2"]).decoded(as: [Int].self) }
    }

    /// A document that nests more deeply than a store keeps is refused, as before, and exhausts no stack.
    @Test func nestingIsBounded() throws {
        indirect enum Chain: Codable, Equatable {
            case end
            case link(Chain)
        }
        func nested(_ levels: Int) -> JSONValue { (0..<levels).reduce(1) { value, _ in [value] } }
        #expect(try JSONValue(encoding: nested(512)) == nested(512))
        #expect(throws: (any Error).self) { try Self.foundation(nested(513)) }
        #expect(throws: EncodingError.self) { try JSONValue(encoding: nested(513)) }
        let chain = (0..<400).reduce(Chain.end) { chain, _ in .link(chain) }
        #expect(throws: EncodingError.self) { try JSONValue(encoding: chain) }
        let deep = (0..<2_000).reduce(JSONValue.object(["end": [:]])) { value, _ in ["link": ["_0": value]] }
        #expect(throws: DecodingError.self) { try deep.decoded(as: Chain.self) }
    }

    /// The same change to many messages is stored once, with their ids.
    @Test func equalUpdatesAreStoredTogether() throws {
        let account = Id<Account>("A")
        let equal = (0..<500).map { EmailUpdate(Id("M\($0)"), in: account, addMailboxes: [Id("X")]) }
        let others = (500..<505).map { EmailUpdate(Id("M\($0)"), in: account, removeKeywords: [.seen]) }
        let change = PendingChange(.update(equal + others))
        let stored = try JSONValue(encoding: change)
        #expect(try JSONEncoder().encode(stored).count < 505 * 12)
        #expect(try stored.decoded(as: PendingChange.self) == change)
        // Few, or different ones, or several of one email stay as they were, for older programs and in their order.
        for updates in [Array(equal.prefix(5)), equal + equal] {
            let plain = PendingChange(.update(updates))
            #expect(try JSONValue(encoding: plain)["kind"]?["update"] != nil)
            #expect(try JSONValue(encoding: plain).decoded(as: PendingChange.self) == plain)
        }
    }
}
