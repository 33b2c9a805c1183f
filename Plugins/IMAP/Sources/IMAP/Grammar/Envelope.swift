import FoundationEssentials

/// The header fields that a server parsed: undecoded, as they are in the message.
struct EnvelopeFields: Equatable, Sendable {
    struct Address: Equatable, Sendable {
        var name: String?
        var mailbox: String?
        var host: String?
    }

    var date: String?
    var subject: String?
    var from: [Address] = []
    var sender: [Address] = []
    var replyTo: [Address] = []
    var to: [Address] = []
    var cc: [Address] = []
    var bcc: [Address] = []
    var inReplyTo: String?
    var messageID: String?
}

extension ByteScanner {
    mutating func envelope() throws(ParseError) -> EnvelopeFields {
        var fields = EnvelopeFields()
        try expect("(", "an envelope")
        fields.date = try field()
        fields.subject = try field()
        fields.from = try addresses()
        fields.sender = try addresses()
        fields.replyTo = try addresses()
        fields.to = try addresses()
        fields.cc = try addresses()
        fields.bcc = try addresses()
        fields.inReplyTo = try field()
        fields.messageID = try field()
        skipSpaces()
        try expect(")", "the end of an envelope")
        return fields
    }

    private mutating func field() throws(ParseError) -> String? {
        skipSpaces()
        return try ntext()
    }

    private mutating func addresses() throws(ParseError) -> [EnvelopeFields.Address] {
        skipSpaces()
        guard isNext(UInt8(ascii: "(")) else {
            _ = try nstring()
            return []
        }
        return try list { scanner throws(ParseError) in
            try scanner.expect("(", "an address")
            var address = EnvelopeFields.Address()
            address.name = try scanner.field()
            _ = try scanner.field()
            address.mailbox = try scanner.field()
            address.host = try scanner.field()
            scanner.skipSpaces()
            try scanner.expect(")", "the end of an address")
            return address
        }
    }
}
