import Foundation
import MailKernelAPI
import TestSupport
import Testing

@testable import Rules

/// Rules of which a service is given as many as mean the same there.
struct ServedRules: Sendable, CustomTestStringConvertible {
    /// As Pigeonhole offers without further settings.
    static let offer = ServiceOffer(
        extensions: [
            "fileinto", "reject", "envelope", "encoded-character", "vacation", "subaddress",
            "comparator-i;ascii-numeric", "relational", "regex", "imap4flags", "copy", "include", "variables",
            "body", "enotify", "environment", "mailbox", "date", "index", "ihave", "duplicate", "mime",
            "foreverypart", "extracttext",
        ],
        folders: [
            "bills": "INBOX.Bills", "lists/swift": "INBOX.Lists.Swift", "trash": "INBOX.Trash",
            "grüße": "INBOX.Grüße",
        ],
        addresses: [RuleScene.ada])

    /// By which the reply below is remembered.
    static let handle = "Away\nI am away."

    let testDescription: String
    let mark: ServiceMark
    /// The rules that run here.
    let stay: [String]
    let text: String

    init(_ name: String, _ mark: ServiceMark, stay: [String] = [], _ rules: String) {
        (testDescription, self.mark, self.stay) = (name, mark, stay)
        let extensions =
            ["fileinto", "imap4flags", "vacation", "body", "copy", "mime", "date", "relational", "mailbox"]
            + (rules.contains("savedsearch") ? ["vnd.mailkernel.savedsearch"] : [])
            + (rules.contains("ascii-numeric") ? ["comparator-i;ascii-numeric"] : [])
        text = "require [\(extensions.map { "\"\($0)\"" }.joined(separator: ", "))];\n\(rules)\n"
    }

    static let all = [
        ServedRules(
            "folders and stars", .one, stay: ["Bills", "Paid"],
            #"""
            # rule:[Star]
            if anyof (header :contains "subject" "urgent", not exists "message-id") { addflag "\\Flagged"; }
            # rule:[Swift]
            if address :domain :is "from" "swift.example" { fileinto :create "Lists/Swift"; stop; }
            # rule:[Bills]
            if allof (header :matches "subject" "*bill*", size :under 1M) { fileinto :create "Bills"; }
            # rule:[Paid]
            if header :contains "subject" "bill" { addflag "$paid"; fileinto :create "Lists/Swift"; }
            """#),
        ServedRules(
            "two that file", .fourth,
            """
            # rule:[Bills]
            if allof (header :matches "subject" "*bill*", size :under 1M) { fileinto :create "Bills"; }
            # rule:[Bills too]
            if header :contains "subject" "bill" { fileinto :create "Lists/Swift"; }
            """),
        ServedRules(
            "keywords, and the end", .other,
            #"""
            # rule:[Read]
            if header :is "subject" "Lunch" { addflag ["\\Seen", "$work"]; stop; }
            # rule:[Else]
            if size :over 200 { addflag "$large"; } elsif true { addflag "$small"; } else { stop; }
            # rule:[All]
            if true { addflag "\\Answered"; }
            """#),
        ServedRules(
            "a blocked sender", .third,
            """
            # rule:[Block bob@example.net]
            if allof (address :all :is "from" "bob@example.net") { fileinto "Trash"; stop; }
            # rule:[Block a domain]
            if allof (address :domain :contains "from" "SWIFT") { fileinto "Trash"; stop; }
            """),
        ServedRules(
            "an answer", .fourth,
            """
            # rule:[Away]
            if not header :contains "subject" "lunch" { vacation :days 3 :subject "Away" "I am away."; }
            # rule:[Bills]
            if header :contains "subject" "bill" { fileinto :create "Bills"; stop; }
            """),
        ServedRules(
            "a saved search and what follows stay", .one, stay: ["Search", "Bills", "Drop"],
            #"""
            # rule:[Star]
            if header :contains "subject" ["urgent", "lunch"] { addflag "\\Flagged"; }
            # rule:[Swift]
            if address :localpart :is "from" "list" { fileinto :create "Lists/Swift"; stop; }
            # rule:[Search]
            if savedsearch "V1" { addflag "$found"; }
            # rule:[Bills]
            if header :contains "subject" "bill" { fileinto :create "Bills"; stop; }
            # rule:[Drop]
            if address :is "from" "bob@example.net" { discard; }
            """#),
        ServedRules(
            "discarding stays", .other, stay: ["Drop", "Star"],
            #"""
            # rule:[Off]
            if allof (false, true) { addflag "$never"; }
            # rule:[Work]
            if header :contains ["subject", "cc"] "lunch" { addflag "$work"; }
            # rule:[Drop]
            if header :contains "subject" "bill" { discard; }
            # rule:[Star]
            if true { addflag "\\Flagged"; }
            """#),
        ServedRules(
            "letters, texts and parts", .third,
            #"""
            # rule:[Letters]
            if header :contains "subject" ["grüße", "Grüße", "日本", "Köln"] { addflag "$letters"; }
            # rule:[Stars]
            if header :matches "from" ["*Ana*", "*örg*", "*\\**"] { addflag "$name"; }
            # rule:[Text]
            if body :text :contains ["lunch", "invoice"] { addflag "$text"; }
            # rule:[Parts]
            if header :mime :anychild :contains "content-type" "text/calendar" { addflag "$calendar"; }
            # rule:[List]
            if anyof (exists "list-id", address :all :contains "to" "single@") { addflag "$list"; }
            # rule:[Date]
            if currentdate :zone "+0000" :value "ge" "year" "2001" { addflag "$now"; }
            # rule:[Order]
            if header :comparator "i;octet" :is "subject" "LUNCH" { addflag "$loud"; }
            # rule:[Place]
            if header :contains "subject" "Grüße" { fileinto :create "Grüße"; }
            """#),
    ]
}

/// A message as it arrives, with what a service has put on it.
struct ServedMessage: Sendable {
    let name: String
    let sender: String
    let bytes: Data
    var keywords: Set<Keyword> = []

    var messageID: String { "\(name)@served.example" }
    /// A person has written to the user.
    var mayBeAnswered: Bool { !["loud", "robot", "bulk"].contains(name) && !name.hasPrefix("file") }

    func with(_ keywords: Set<Keyword>) -> ServedMessage {
        var message = self
        message.keywords = keywords
        return message
    }

    /// The lines have no Message-ID of their own.
    private init(_ name: String, from sender: String, _ lines: [Substring]) {
        (self.name, self.sender) = (name, sender)
        let head = ["Return-Path: <\(sender)>", "Message-ID: <\(name)@served.example>"]
        let text = (head + lines.map(String.init)).joined(separator: "\r\n")
        bytes = text.data(using: .isoLatin1) ?? Data()
    }

    private static func made(_ name: String, from: String, _ subject: String, _ more: String...) -> Self {
        let fields = ["From: \(from)", "To: ada@example.org", "Subject: \(subject)"] + more
        return file(name, from: from, Data((fields + ["", "The text.", ""]).joined(separator: "\n").utf8))
    }

    private static func file(_ name: String, from sender: String, _ bytes: Data) -> Self {
        let lines = String(bytes.map { Character(Unicode.Scalar($0)) }).replacing("\r\n", with: "\n")
            .split(separator: "\n", omittingEmptySubsequences: false)
        let end = lines.firstIndex(of: "") ?? lines.endIndex
        var kept: [Substring] = []
        var isID = false
        for line in lines[..<end] {
            if !(line.hasPrefix(" ") || line.hasPrefix("\t")) {
                isID = line.lowercased().hasPrefix("message-id:")
            }
            if !isID { kept.append(line) }
        }
        return Self(name, from: sender, kept + lines[end...])
    }

    private static let files = [
        "headers/utf8-everywhere", "headers/folded-everywhere", "headers/groups-and-comments",
        "headers/padded-words-in-a-row", "structure/alternative-in-related-in-mixed",
        "structure/attached-message", "structure/calendar", "text/iso-2022-jp",
    ]

    /// Each from a sender of its own: a sender is answered once.
    static func all() throws -> [ServedMessage] {
        let made = [
            made("bill", from: "bob@example.net", "Your bill"),
            made("urgent", from: "list@swift.example", "Urgent bill"),
            made("lunch", from: "eve@example.com", "Lunch"),
            made("loud", from: "eva@example.com", "LUNCH", "List-Id: <l.example.org>"),
            made("greeting", from: "joe@example.com", "=?utf-8?Q?Gr=C3=BC=C3=9Fe?="),
            made("robot", from: "robot@example.com", "A bill", "Auto-Submitted: auto-generated"),
            made("bulk", from: "bulk@example.com", "News", "Precedence: bulk"),
            made("plain", from: "zoe@example.com", "Hello", "X-Long: \(String(repeating: "x", count: 300))"),
        ]
        let folder = Checkout.root.appending(path: "Tests/Fixtures/eml")
        return try made
            + files.enumerated().map { number, path in
                let bytes = try Data(contentsOf: folder.appending(path: "\(path).eml"))
                return file("file\(number)", from: "sender\(number)@example.com", bytes)
            }
    }
}
