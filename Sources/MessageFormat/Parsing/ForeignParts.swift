import FoundationEssentials
import MailKernelAPI

/// Takes over parts that a service has read, within the limits that hold for those read here.
struct ForeignParts {
    private let limits: MessageParser.Limits
    private var partCount = 0
    private var texts: [String] = []

    init(limits: MessageParser.Limits) {
        self.limits = limits
    }

    mutating func part(_ foreign: EmailBodyPart, depth: Int = 0, blobID: (String) -> Id<Blob>)
        -> EmailBodyPart
    {
        partCount += 1
        var part = foreign
        let words = foreign.type.lowercased().split(separator: "/", maxSplits: 1).map(String.init)
        part.type = MIMEReader.typeName(words.first ?? "", words.count > 1 ? words[1] : "")
        part.disposition = foreign.disposition?.lowercased().nonEmpty
        part.cid = foreign.cid?.trimmingBlanks(and: "<>").nonEmpty
        part.headers = Array(foreign.headers.prefix(limits.headerFields))
        part.subParts = []
        if part.type.hasPrefix("multipart/") {
            (part.partID, part.blobID) = (nil, nil)
            guard depth < limits.depth else { return part }
            for child in foreign.subParts where partCount < limits.parts {
                part.subParts.append(self.part(child, depth: depth + 1, blobID: blobID))
            }
            return part
        }
        // Without an id, its content can be neither shown nor fetched.
        part.blobID = foreign.partID.map(blobID)
        if part.type.hasPrefix("text/") {
            part.charset = foreign.charset ?? "us-ascii"
            if let id = foreign.partID { texts.append(id) }
        }
        return part
    }

    /// The texts of the parts, as far as they are kept.
    func values(_ foreign: [String: EmailBodyValue]) -> [String: EmailBodyValue] {
        var left = limits.text
        var values: [String: EmailBodyValue] = [:]
        for id in texts where values[id] == nil {
            guard var value = foreign[id] else { continue }
            if value.value.utf8.count > left {
                value.value = String(decoding: value.value.utf8.prefix(left), as: UTF8.self)
                value.isTruncated = true
            }
            left -= value.value.utf8.count
            values[id] = value
        }
        return values
    }
}
