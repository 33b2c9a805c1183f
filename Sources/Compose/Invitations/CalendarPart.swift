import FoundationEssentials
import Invitations
import Mail
import MailKernelAPI
import MessageFormat

/// The part of a message that is an invitation.
struct CalendarPart {
    let part: EmailBodyPart
    let blobID: Id<Blob>

    /// The part that names a method is meant for programs; others are files.
    init?(of body: EmailBody) {
        let parts = body.structure.all.filter(Self.isCalendar)
        let chosen =
            parts.first { $0.type == "text/calendar" && Self.method(of: $0) != nil }
            ?? parts.first { $0.type == "text/calendar" } ?? parts.first
        guard let chosen, let blobID = chosen.blobID, chosen.size <= InvitationReader.mostBytes * 2 else {
            return nil
        }
        (part, self.blobID) = (chosen, blobID)
    }

    private static func isCalendar(_ part: EmailBodyPart) -> Bool {
        part.type == "text/calendar" || part.type == "application/ics"
            || part.type == "application/octet-stream" && part.name?.lowercased().hasSuffix(".ics") == true
    }

    /// As `Content-Type` names it.
    private static func method(of part: EmailBodyPart) -> String? {
        let type = part.headers.last { $0.name.lowercased() == "content-type" }?.value.lowercased() ?? ""
        guard let place = type.firstRange(of: "method=") else { return nil }
        let word = type[place.upperBound...].drop { $0 == "\"" }.prefix { $0.isLetter || $0 == "-" }
        return word.isEmpty ? nil : String(word)
    }

    /// - Parameter now: nil if no occurrences are to be listed.
    func invitation(from blobs: Blobs, in accountID: Id<Account>, now: Date?) async throws -> Invitation? {
        let source = try await blobs.content(blobID, in: accountID).bytes
        guard source.size <= InvitationReader.mostBytes else { return nil }
        let bytes = try await source.data(limit: InvitationReader.mostBytes)
        let charset = part.charset?.lowercased() ?? ""
        // Two bytes for each character: lines are to be unfolded afterwards.
        if charset.hasPrefix("utf-16") || charset.hasPrefix("utf-32") {
            let text = ForeignText.read(bytes, charset: charset) ?? ""
            return InvitationReader.read(Data(text.utf8), method: Self.method(of: part), now: now)
        }
        return InvitationReader.read(bytes, method: Self.method(of: part), now: now) { bytes in
            // What says nothing else is UTF-8 (RFC 5545, section 3.1.4), whatever mail takes it for.
            let isPlain = charset.isEmpty || charset == "us-ascii" || charset == "utf-8"
            let text =
                isPlain ? String(validating: bytes, as: UTF8.self) : ForeignText.read(bytes, charset: charset)
            return text ?? ForeignText.read(bytes, charset: nil) ?? String(decoding: bytes, as: UTF8.self)
        }
    }
}
