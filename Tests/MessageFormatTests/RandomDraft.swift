import Foundation
import MailKernelAPI
import MessageFormat
import TestSupport

/// Drafts with the odd things that people and programs write, the same for the same seed.
struct RandomDraft {
    private var random: SeededRandom
    private(set) var subject = ""
    private(set) var to: [EmailAddress] = []
    private(set) var leaves: [Leaf] = []

    /// What a reader has to find.
    struct Leaf: Equatable {
        var type: String
        var name: String?
        var content: Data
    }

    init(seed: UInt64) {
        random = SeededRandom(seed)
    }

    mutating func make() -> MessageDraft {
        subject = text(0...12, lines: false)
        to = (0..<pick(0...6)).map { EmailAddress(name: name(), email: "user\($0)@example.com") }
        let text = chance(4) ? nil : self.text(0...200, lines: true)
        let html = chance(2) ? nil : "<p>\(self.text(0...100, lines: true))</p>"
        let attachments = (0..<pick(0...3)).map { _ in attachment() }
        if let text { leaves.append(Leaf(type: "text/plain", content: Data(text.utf8))) }
        if let html { leaves.append(Leaf(type: "text/html", content: Data(html.utf8))) }
        if text == nil, html == nil, attachments.isEmpty {
            leaves.append(Leaf(type: "text/plain", content: Data()))
        }
        leaves += attachments.map(\.leaf)
        return MessageDraft(
            headers: [
                DraftHeader("From", .addresses([EmailAddress(name: name(), email: "me@example.com")])),
                DraftHeader("To", .addresses(to)), DraftHeader("Subject", .text(subject)),
            ], text: text, html: html, attachments: attachments.map(\.part))
    }

    private mutating func attachment() -> (part: DraftPart, leaf: Leaf) {
        let size = [0, 1, 2, 56, 57, 58, 1000, 58_368, 58_369][pick(0...8)]
        let content = Data((0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        let name = fileName()
        return (
            DraftPart(
                type: "application/pdf", .bytes(DataSource(content)), name: name, disposition: "attachment"),
            Leaf(type: "application/pdf", name: name, content: content)
        )
    }

    private mutating func fileName() -> String {
        let names = [
            "report.pdf", "a \"b\" \\c.pdf", "Übersicht 2026.pdf", "日本語のとても長い名前のファイルですからどうしますか.pdf",
            String(repeating: "long", count: 40) + ".pdf", "a;b=c'%20*.pdf", "=?utf-8?q?x?=.pdf", "🎉.pdf",
        ]
        return names[pick(0...names.count - 1)]
    }

    private mutating func name() -> String? {
        let names = [
            nil, "Ana", "Last, First", "Jörg Müller", "a \"b\" \\ c", "日本 太郎", "x@y.example", "(comment)",
            "Ŝarlatano 🎉 " + String(repeating: "very long ", count: 17) + "name", "=?x?=", "dot. dot",
            "two  spaces",
        ]
        return names[pick(0...names.count - 1)]
    }

    private mutating func text(_ words: ClosedRange<Int>, lines: Bool) -> String {
        let all = [
            "a", "word", "Grüße", "日本語", "🎉", "=3D", "=?utf-8?q?x?=", "--", ".", "From", ">", "e\u{301}",
            "https://example.com/" + String(repeating: "x", count: 90), "tab\there", "  ", "-- ", "ﬁ",
            "\u{200D}",
        ]
        var text = ""
        for _ in 0..<pick(words) {
            text += all[pick(0...all.count - 1)]
            text += lines && chance(5) ? (chance(3) ? "\n\n" : "\n") : " "
        }
        return lines ? text : text.trimmingCharacters(in: .whitespaces)
    }

    private mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private mutating func chance(_ one: Int) -> Bool { pick(1...one) == 1 }
}
