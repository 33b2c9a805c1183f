import Foundation
import MailKernelAPI
import TestSupport
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

    /// Another parser sees the same parts where it finds nothing wrong with a message.
    @Test func pythonFindsTheSameParts() async throws {
        let place = try TemporaryFolder()
        let list = try place.write(Corpora.mail.map { $0.path + "\n" }.joined(), to: "list")
        let script = Checkout.root.appending(path: "Tests/MessageFormatTests/Support/read_structure.py").path
        let read = try await Command.run("sh", ["-c", "python3 '\(script)' < '\(list.path)'"])
        #expect(read.status == 0, "\(read.errors)")
        let theirs = try JSONDecoder().decode([PythonStructure].self, from: Data(read.output.utf8))
        try #require(theirs.count == Corpora.mail.count)
        var (compared, otherTypes, otherSizes): (Int, [String], [String]) = (0, [], [])
        for (file, their) in zip(Corpora.mail, theirs) where !their.isBroken {
            let parts = parse(try Data(contentsOf: file)).body.structure.all.filter { $0.partID != nil }
            compared += 1
            guard parts.map(\.type) == their.parts.map(\.type) else {
                otherTypes.append(file.path)
                continue
            }
            // The line end before a boundary is counted by some and not by others.
            let isAsLarge = zip(parts, their.parts).allSatisfy { part, other in
                other.size.map { abs($0 - part.size) <= 2 } ?? true
            }
            if !isAsLarge { otherSizes.append(file.path) }
        }
        try #require(compared > 1000)
        #expect(otherTypes.count * 200 <= compared, "\(otherTypes.joined(separator: "\n"))")
        #expect(otherSizes.count * 200 <= compared, "\(otherSizes.joined(separator: "\n"))")
    }

    private struct PythonStructure: Decodable {
        struct Part: Decodable {
            var type: String
            var size: Int?
        }

        var parts: [Part]
        var isBroken: Bool
    }

    /// What a preview reads of a page is what the whole page begins with, nearly always without making its tree.
    @Test func previewsOfPagesAreTheirBeginnings() throws {
        var (pages, read, other): (Int, Int, [String]) = (0, 0, [])
        for file in Corpora.mail {
            let message = parse(try Data(contentsOf: file))
            for part in message.body.structure.all where part.type == "text/html" {
                guard let page = part.partID.flatMap({ message.body.values[$0] })?.value else { continue }
                pages += 1
                guard let beginning = PageBeginning.text(of: page, enough: 1024) else { continue }
                read += 1
                let whole = PlainText.from(html: page, links: false)
                if Preview.of(text: beginning).text != Preview.of(text: whole).text {
                    other.append(file.path)
                }
            }
        }
        try #require(pages > 400)
        #expect(read * 100 > pages * 98, "\(read) of \(pages)")
        #expect(other.count * 200 <= pages, "\(other.joined(separator: "\n"))")
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
