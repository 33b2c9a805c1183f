import FoundationEssentials
import MailKernelAPI
import MessageFormat

extension EmailBodyPart {
    /// What the parser calls a part of this structure in the message itself. Two plugins name parts differently, and can
    /// nest them differently: the part of the same type and name counts, and of several the one in the same order.
    func nameOfSame(_ id: String, in message: Data) -> String? {
        let own = leaves
        guard let part = own.first(where: { $0.partID == id }) else { return nil }
        let place = own.filter(part.isLike).firstIndex { $0.partID == id }
        let read = MessageParser().parse(message) { _ in Id("") }.body.structure.leaves.filter(part.isLike)
        guard let place, read.count == own.filter(part.isLike).count else { return nil }
        return read[place].partID
    }

    private func isLike(_ other: EmailBodyPart) -> Bool {
        type.lowercased() == other.type.lowercased() && name == other.name
    }

    private var leaves: [EmailBodyPart] { subParts.isEmpty ? [self] : subParts.flatMap(\.leaves) }
}
