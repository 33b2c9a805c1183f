import Foundation
import MailKernelAPI
import MessageFormat
import Testing

@Suite("Messages are read as far as they go") struct ParserTests {
    @Test func aPlainMessage() throws {
        let message = parse(
            """
            From: =?utf-8?Q?J=C3=B6rg?= <joerg@example.com>
            To: a@example.com, "B, C" <bc@example.com>
            Subject: =?utf-8?B?R3LDvMOfZQ==?=
             from here
            Message-ID: <1@example.com>
            References: <0@example.com>
             <00@example.com>
            Date: Sat, 21 Nov 2026 13:00:00 +0100
            Content-Type: text/plain; charset=iso-8859-1
            Content-Transfer-Encoding: quoted-printable

            Gr=FC=DFe,
            J=F6rg
            """)
        #expect(message.header.subject == "Grüße from here")
        #expect(message.header.from == [EmailAddress(name: "Jörg", email: "joerg@example.com")])
        #expect(message.header.to.map(\.email) == ["a@example.com", "bc@example.com"])
        #expect(message.header.references == ["0@example.com", "00@example.com"])
        #expect(message.header.sentAt == Date(timeIntervalSince1970: 1_795_262_400))
        #expect(message.body.values["1"]?.value == "Grüße,\nJörg")
        #expect(message.body.structure.partID == "1")
        #expect(message.body.structure.blobID == Id("blob-1"))
        #expect(message.preview == "Grüße, Jörg")
        #expect(!message.hasAttachment)
        #expect(
            message.body.headers.first { $0.name == "Subject" }?.value
                == " =?utf-8?B?R3LDvMOfZQ==?=\r\n from here")
    }
}

func parse(_ text: String) -> ParsedMessage {
    parse(Data(text.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n").utf8))
}

func parse(_ message: Data) -> ParsedMessage {
    MessageParser().parse(message) { Id("blob-\($0)") }
}
