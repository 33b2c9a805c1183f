import Foundation
import MailKernelAPI
import TestSupport
import Testing

@testable import MessageFormat

@Suite("Broken messages are read as far as they go", .timeLimit(.minutes(10))) struct BrokenMessageTests {
    @Test func anEmptyMessage() {
        let message = parse(Data())
        #expect(message.body.structure.type == "text/plain")
        #expect(message.body.values["1"]?.value == "")
        #expect(message.header == EmailHeader())
        #expect(message.preview == "")
    }

    @Test func noHeaderAtAll() {
        let message = parse("Hello there,\n\nthis is only text.\n")
        #expect(message.body.values["1"]?.value == "Hello there,\n\nthis is only text.\n")
    }

    @Test func aBoundaryThatNeverComes() {
        let message = parse(
            "Subject: x\nContent-Type: multipart/mixed; boundary=abc\n\nHello\nthere\n--other\n\nmore\n")
        #expect(message.body.structure.partID == "1")
        #expect(message.body.values["1"]?.value == "Hello\nthere\n--other\n\nmore\n")
    }

    @Test func aMultipartWithoutABoundary() {
        let message = parse("Content-Type: multipart/alternative\nSubject: x\n\nHello\n")
        #expect(message.body.values["1"]?.value == "Hello\n")
        #expect(message.body.headers.first?.value == " multipart/alternative")
    }

    @Test func aMultipartWithoutABoundaryWithinAnother() {
        let message = parse(
            """
            Content-Type: multipart/mixed; boundary=a

            --a
            Content-Type: multipart/alternative

            Inner text
            --a
            Content-Type: text/plain

            Last
            --a--
            """)
        #expect(message.body.structure.subParts.map(\.type) == ["text/plain", "text/plain"])
        #expect(message.body.values["1"]?.value.hasPrefix("Inner text") ?? false)
        #expect(message.body.values["2"]?.value.utf8.map { $0 } == Array("Last".utf8))
    }

    @Test func nestedFiveThousandTimes() {
        let open = (0..<5000).map { "Content-Type: multipart/mixed; boundary=b\($0)\n\n--b\($0)\n" }
        let message = parse("Subject: deep\n" + open.joined() + "Content-Type: text/plain\n\nhi\n")
        #expect(message.header.subject == "deep")
        #expect(depth(message.body.structure) <= 66)
        #expect(throws: Never.self) { try JSONEncoder().encode(message.body) }
    }

    @Test func tenThousandParts() {
        let parts = (0..<10_000).map { "--b\n\npart \($0)\n" }.joined()
        let message = parse("Content-Type: multipart/mixed; boundary=b\n\n\(parts)--b--\n")
        #expect(message.body.structure.subParts.count == 1999)
        #expect(message.body.values["1999"]?.value == "part 1998")
    }

    @Test func zeroBytesEverywhere() {
        let message = parse(
            Data("Subject: a\0b\r\nFrom: x\0@y.example\r\n\r\nbo\0dy\0".utf8))
        #expect(message.header.subject == "a\u{FFFD}b")
        #expect(message.body.headers.map(\.value) == [" a\u{FFFD}b", " x\u{FFFD}@y.example"])
        #expect(message.body.values["1"]?.value == "body")
    }

    @Test func aSubjectOfAMegabyte() {
        let subject = String(repeating: "word ", count: 200_000)
        let message = parse("Subject: \(subject)\n\nx")
        #expect(message.header.subject?.utf8.count == 1_000_000)
    }

    /// Neither many words that never end nor many that do take more than a moment.
    @Test(arguments: ["=?utf-8?Q?abc", "=?utf-8?Q?abc?= ", "=?", "\"", "(", "<", "\\", "a,", "a:", ";", "@"])
    func aHeaderOfOddPieces(_ piece: String) {
        let odd = String(repeating: piece, count: 20_000)
        let taken = processorTime {
            _ = parse("Subject: \(odd)\nFrom: \(odd)\nTo: \(odd)\nReferences: \(odd)\nDate: \(odd)\n\nx")
        }
        #expect(taken < .seconds(30))
    }

    @Test func tenThousandRecipients() {
        let to = (0..<10_000).map { "\"User \($0)\" <user\($0)@example.com>" }.joined(separator: ",\n ")
        let message = parse("To: \(to)\n\nx")
        #expect(message.header.to.count == 10_000)
        #expect(message.header.to.last == EmailAddress(name: "User 9999", email: "user9999@example.com"))
    }

    @Test func aHundredThousandFields() {
        let fields = (0..<100_000).map { "X-\($0): y\n" }.joined()
        #expect(parse(fields + "\nx").body.headers.count == 10_000)
    }

    @Test func linesThatAreNoHeader() {
        let message = parse(
            "From someone@example.com Sat Jan 1\nSubject: x\nthis is no field\nTo: you@example.com\n\nbody")
        #expect(message.header.subject == "x")
        #expect(message.header.to.map(\.email) == ["you@example.com"])
        #expect(message.body.values["1"]?.value == "body")
    }

    @Test func textThatIsLongerThanTheLimitIsCut() {
        var parser = MessageParser()
        parser.limits.text = 10
        let text = parser.parse(Data("Content-Type: text/plain; charset=utf-8\r\n\r\n123456789äöü".utf8)) {
            Id($0)
        }
        #expect(text.body.values["1"] == EmailBodyValue("123456789", isTruncated: true))
        #expect(text.body.structure.size == 15)
        let base64 = parser.parse(
            Data("Content-Transfer-Encoding: base64\r\n\r\nMTIzNDU2Nzg5MDEyMzQ1Njc4OTA=".utf8)
        ) { Id($0) }
        #expect(base64.body.values["1"] == EmailBodyValue("1234567890", isTruncated: true))
        #expect(base64.body.structure.size == 20)
    }

    /// Many tasks parse at once, and all read the same.
    @Test func manyTasksParseAtOnce() async {
        let data = Data(
            """
            From: =?iso-2022-jp?B?GyRCJCIkJBsoQg==?= <a@example.com>
            Content-Type: text/plain; charset=koi8-r

            \u{1}
            """.utf8)
        let first = parse(data)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 {
                group.addTask { (0..<200).allSatisfy { _ in parse(data) == first } }
            }
            for await isSame in group { #expect(isSame) }
        }
    }

    private func depth(_ part: EmailBodyPart) -> Int {
        1 + (part.subParts.map(depth).max() ?? 0)
    }
}
