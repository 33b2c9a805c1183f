import Foundation
import MailKernelAPI
import Testing

@testable import MessageFormat

@Suite(
    "Mail that others collected",
    .enabled(if: Corpora.areHere, "The collections of mail beside the checkout are not there."))
struct CorpusTests {
    /// Every leaf has an id by which its content is found, as large as was said.
    @Test func everyPartIsFoundAgain() throws {
        try #require(Corpora.mail.count > 1000)
        let parser = MessageParser()
        for file in Corpora.mail {
            let data = try Data(contentsOf: file)
            let message = parse(data)
            for part in message.body.structure.all {
                #expect((part.partID == nil) == part.type.hasPrefix("multipart/"), "\(file.path)")
                guard let partID = part.partID else { continue }
                let content = parser.content(of: partID, in: data)
                #expect(content?.decoded.count == part.size, "\(file.path) \(partID)")
                #expect(content?.type == part.type)
            }
            #expect(message.preview.unicodeScalars.count <= 256)
            #expect(message.preview.allSatisfy { !$0.isNewline })
        }
    }

    @Test func htmlBecomesInert() throws {
        for file in Corpora.mail {
            let message = parse(try Data(contentsOf: file))
            for (partID, value) in message.body.values where value.value.contains("<") {
                let safe = HTMLSanitizer(remoteURL: { $0 }).sanitize(value.value) { "/blob/\($0)" }
                #expect(InertHTML(safe.html, allowsRemote: true).problems == [], "\(file.path) \(partID)")
            }
        }
    }

    /// NFR of the frame: nothing in it runs or loads.
    @Test(arguments: ["h5sc-vectors.txt", "xss-payload-list.txt"])
    func everyVectorComesOutInert(_ name: String) throws {
        let text = try String(contentsOf: Corpora.root.appending(path: "xss/\(name)"), encoding: .utf8)
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.count > 50)
        let pieces = text.components(separatedBy: "<div id=").map { "<div id=" + $0 }
        for vector in [text] + lines + pieces {
            for remote in [false, true] {
                let safe = HTMLSanitizer(showsRemote: remote).sanitize(vector) { "/blob/\($0)" }
                let problems = InertHTML(safe.html, allowsRemote: remote).problems
                #expect(problems == [], "\(vector.prefix(200))")
                let again = HTMLSanitizer(showsRemote: remote).sanitize(safe.html) { "/blob/\($0)" }
                #expect(InertHTML(again.html, allowsRemote: remote).problems == [], "\(vector.prefix(200))")
            }
        }
    }
}
