/// What may follow the name of a command or test.
struct Shape: Sendable {
    enum Kind: Sendable {
        case number
        case string
        case strings
    }

    struct Tag: Sendable {
        /// What follows the tag; nil if nothing does.
        var value: Kind?
        /// The extension that the tag is part of.
        var needs: String?
        /// At most one tag of a group may be there.
        var group: String?
    }

    enum Tests: Sendable {
        case none
        case one
        case several
    }

    /// One of these extensions must be required.
    var needs: [String] = []
    var tags: [String: Tag] = [:]
    var arguments: [Kind] = []
    /// How many of the first arguments may be missing.
    var optional = 0
    var tests = Tests.none
    var hasBlock = false
}

extension Shape {
    private static let matching: [String: Tag] = [
        "is": Tag(group: "match"), "contains": Tag(group: "match"), "matches": Tag(group: "match"),
        "regex": Tag(needs: "regex", group: "match"),
        "value": Tag(value: .string, needs: "relational", group: "match"),
        "count": Tag(value: .string, needs: "relational", group: "match"), "comparator": Tag(value: .string),
    ]
    private static let indexing: [String: Tag] = [
        "index": Tag(value: .number, needs: "index"), "last": Tag(needs: "index"),
    ]
    private static let addressing: [String: Tag] = [
        "all": Tag(group: "address part"), "localpart": Tag(group: "address part"),
        "domain": Tag(group: "address part"), "user": Tag(needs: "subaddress", group: "address part"),
        "detail": Tag(needs: "subaddress", group: "address part"),
    ]
    private static let parts: [String: Tag] = ["mime": Tag(needs: "mime"), "anychild": Tag(needs: "mime")]
    private static let fields: [String: Tag] = [
        "type": Tag(needs: "mime", group: "part of a field"),
        "subtype": Tag(needs: "mime", group: "part of a field"),
        "contenttype": Tag(needs: "mime", group: "part of a field"),
        "param": Tag(value: .strings, needs: "mime", group: "part of a field"),
    ]
    private static let flags: [String: Tag] = ["flags": Tag(value: .strings, needs: "imap4flags")]
    private static let copy: [String: Tag] = ["copy": Tag(needs: "copy")]
    /// In the order in which they are applied.
    static let modifiers = [
        "lower": 40, "upper": 40, "lowerfirst": 30, "upperfirst": 30, "quotewildcard": 20, "quoteregex": 20,
        "encodeurl": 15, "length": 10,
    ]
    private static let modifying: [String: Tag] = Dictionary(
        uniqueKeysWithValues: modifiers.map { name, precedence in
            let needs = ["quoteregex": "regex", "encodeurl": "enotify"][name]
            return (name, Tag(needs: needs, group: "modifiers of precedence \(precedence)"))
        })
    private static let changingFlags = Shape(
        needs: ["imap4flags"], arguments: [.string, .strings], optional: 1)

    private static func merged(_ tags: [String: Tag]...) -> [String: Tag] {
        tags.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
    }

    static let commands: [String: Shape] = [
        "require": Shape(arguments: [.strings]),
        "if": Shape(tests: .one, hasBlock: true),
        "elsif": Shape(tests: .one, hasBlock: true),
        "else": Shape(hasBlock: true),
        "stop": Shape(),
        "keep": Shape(tags: flags),
        "discard": Shape(),
        "fileinto": Shape(
            needs: ["fileinto"], tags: merged(copy, flags, ["create": Tag(needs: "mailbox")]),
            arguments: [.string]),
        "redirect": Shape(tags: copy, arguments: [.string]),
        "reject": Shape(needs: ["reject"], arguments: [.string]),
        "ereject": Shape(needs: ["ereject"], arguments: [.string]),
        "set": Shape(needs: ["variables"], tags: modifying, arguments: [.string, .string]),
        "setflag": changingFlags,
        "addflag": changingFlags,
        "removeflag": changingFlags,
        "vacation": Shape(
            needs: ["vacation"],
            tags: [
                "days": Tag(value: .number, group: "period"),
                "seconds": Tag(value: .number, needs: "vacation-seconds", group: "period"),
                "subject": Tag(value: .string), "from": Tag(value: .string),
                "addresses": Tag(value: .strings),
                "mime": Tag(), "handle": Tag(value: .string),
            ], arguments: [.string]),
        "notify": Shape(
            needs: ["enotify"],
            tags: [
                "from": Tag(value: .string), "importance": Tag(value: .string),
                "options": Tag(value: .strings),
                "message": Tag(value: .string),
            ], arguments: [.string]),
        "foreverypart": Shape(needs: ["foreverypart"], tags: ["name": Tag(value: .string)], hasBlock: true),
        "break": Shape(needs: ["foreverypart"], tags: ["name": Tag(value: .string)]),
        "extracttext": Shape(
            needs: ["extracttext"], tags: merged(modifying, ["first": Tag(value: .number)]),
            arguments: [.string]),
        "error": Shape(needs: ["ihave"], arguments: [.string]),
    ]

    static let tests: [String: Shape] = [
        "true": Shape(),
        "false": Shape(),
        "not": Shape(tests: .one),
        "allof": Shape(tests: .several),
        "anyof": Shape(tests: .several),
        "header": Shape(tags: merged(matching, indexing, parts, fields), arguments: [.strings, .strings]),
        "address": Shape(
            tags: merged(matching, indexing, addressing, parts), arguments: [.strings, .strings]),
        "envelope": Shape(
            needs: ["envelope"], tags: merged(matching, addressing), arguments: [.strings, .strings]),
        "exists": Shape(tags: parts, arguments: [.strings]),
        "size": Shape(
            tags: ["over": Tag(group: "limit"), "under": Tag(group: "limit")], arguments: [.number]),
        "body": Shape(
            needs: ["body"],
            tags: merged(
                matching,
                [
                    "raw": Tag(group: "body part"), "text": Tag(group: "body part"),
                    "content": Tag(value: .strings, group: "body part"),
                ]), arguments: [.strings]),
        "string": Shape(needs: ["variables"], tags: matching, arguments: [.strings, .strings]),
        "hasflag": Shape(
            needs: ["imap4flags"], tags: matching, arguments: [.strings, .strings], optional: 1),
        "date": Shape(
            needs: ["date"],
            tags: merged(
                matching, indexing,
                ["zone": Tag(value: .string, group: "zone"), "originalzone": Tag(group: "zone")]),
            arguments: [.string, .string, .strings]),
        "currentdate": Shape(
            needs: ["date"], tags: merged(matching, ["zone": Tag(value: .string)]),
            arguments: [.string, .strings]),
        "mailboxexists": Shape(needs: ["mailbox"], arguments: [.strings]),
        "duplicate": Shape(
            needs: ["duplicate"],
            tags: [
                "handle": Tag(value: .string), "header": Tag(value: .string, group: "id"),
                "uniqueid": Tag(value: .string, group: "id"), "seconds": Tag(value: .number), "last": Tag(),
            ]),
        "environment": Shape(needs: ["environment"], tags: matching, arguments: [.string, .strings]),
        "valid_notify_method": Shape(needs: ["enotify"], arguments: [.strings]),
        "notify_method_capability": Shape(
            needs: ["enotify"], tags: matching, arguments: [.string, .string, .strings]),
        "ihave": Shape(needs: ["ihave"], arguments: [.strings]),
        "savedsearch": Shape(needs: [Extensions.savedSearch], arguments: [.string]),
    ]
}
