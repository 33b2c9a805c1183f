/// The state of the mailbox selected on a connection.
struct SelectedMailbox: Equatable, Sendable {
    let name: MailboxName
    var exists: UInt32 = 0
    /// A server without UIDVALIDITY promises nothing about UIDs; one number is as good as any.
    var validity: UInt32 = 1
    var uidNext: UInt32?
    /// Nil where the server does not keep mod-sequences for this mailbox.
    var highestModSeq: UInt64?
    var permanentFlags: [String]?
    /// Messages came since it was selected.
    var hasNewMessages = false

    init(name: MailboxName) {
        self.name = name
    }

    /// - Parameter isOpening: the answer to `SELECT` is still coming in.
    mutating func take(_ response: Untagged, isOpening: Bool) {
        switch response {
        case .exists(let count):
            if !isOpening, count > exists { hasNewMessages = true }
            exists = count
        case .expunge: exists -= exists > 0 ? 1 : 0
        case .vanished(let uids, earlier: false):
            exists -= UInt32(min(UInt64(exists), UInt64(uids.count)))
        case .status(let status): take(status.code)
        default: break
        }
    }

    private mutating func take(_ code: ResponseCode?) {
        switch code {
        case .uidValidity(let number): validity = number
        case .uidNext(let number): uidNext = number
        case .highestModSeq(let number): highestModSeq = number == 0 ? nil : number
        case .permanentFlags(let flags): permanentFlags = flags
        default: break
        }
    }
}
