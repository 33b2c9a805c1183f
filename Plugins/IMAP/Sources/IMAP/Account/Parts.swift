import FoundationEssentials
import MailKernelAPI

extension RemoteBodyPart {
    init(_ structure: BodyStructure) {
        self.init(structure, path: [])
    }

    /// Numbered as IMAP does: the parts of a multipart from 1, and a message that is not one has part 1.
    private init(_ structure: BodyStructure, path: [Int]) {
        let isLeafRoot = path.isEmpty && !structure.isMultipart
        let ownPath = isLeafRoot ? [1] : path
        self.init(
            partID: ownPath.map { "\($0)" }.joined(separator: "."),
            type: "\(structure.type)/\(structure.subtype)", parameters: structure.parameters,
            disposition: structure.disposition, dispositionParameters: structure.dispositionParameters,
            cid: structure.contentID.map { String($0.trimming("<>")) }, encoding: structure.encoding,
            size: Int(clamping: structure.size))
        // A message within a message is an attachment, regardless of its content.
        guard structure.isMultipart else { return }
        subParts = structure.parts.enumerated().map { number, part in
            RemoteBodyPart(part, path: path + [number + 1])
        }
    }

    /// The parts that are the text of the message.
    var texts: [RemoteBodyPart] {
        if !subParts.isEmpty { return Array(subParts.flatMap(\.texts).prefix(50)) }
        let isText = type.hasPrefix("text/") && disposition != "attachment" && size > 0
        return isText ? [self] : []
    }

    /// - Parameter limit: more was not asked for.
    mutating func setBytes(_ bytes: Data, of partID: String, limit: Int) {
        if self.partID == partID, subParts.isEmpty {
            self.bytes = bytes
            isTruncated = size > limit && bytes.count >= limit
        }
        for index in subParts.indices { subParts[index].setBytes(bytes, of: partID, limit: limit) }
    }

    /// Marks a part as truncated.
    mutating func cut(_ partID: String) {
        if self.partID == partID, subParts.isEmpty { isTruncated = true }
        for index in subParts.indices { subParts[index].cut(partID) }
    }
}

extension BodyStructure {
    /// The part of this number, those of messages within the message included; nil if there is none.
    func part(_ partID: String) -> BodyStructure? {
        let numbers = partID.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        guard numbers.allSatisfy({ $0 > 0 }) else { return nil }
        return part(numbers[...])
    }

    private func part(_ numbers: ArraySlice<Int>) -> BodyStructure? {
        guard let number = numbers.first else { return self }
        let rest = numbers.dropFirst()
        if isMultipart {
            return parts.indices.contains(number - 1) ? parts[number - 1].descend(rest) : nil
        }
        return number == 1 ? descend(rest) : nil
    }

    /// Below a part that is a message, the numbers are those of that message.
    private func descend(_ numbers: ArraySlice<Int>) -> BodyStructure? {
        if numbers.isEmpty { return self }
        if isMultipart { return part(numbers) }
        return type == "message" ? parts.first?.part(numbers) : nil
    }
}

extension StringProtocol {
    fileprivate func trimming(_ characters: String) -> SubSequence {
        var text = self[...]
        while let first = text.first, characters.contains(first) { text.removeFirst() }
        while let last = text.last, characters.contains(last) { text.removeLast() }
        return text
    }
}
