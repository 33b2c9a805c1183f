import MailKernelAPI

/// The id of a message in its feed: UIDVALIDITY and UID. So an id of an earlier life of the mailbox is
/// never taken for another message. In the order of their text they are in the order of their UIDs.
struct MessageUID: Hashable, Sendable {
    let validity: UInt32
    let uid: UInt32

    init(validity: UInt32, uid: UInt32) {
        self.validity = validity
        self.uid = uid
    }

    /// Nil for an id that was not made here.
    init?(_ id: RemoteMessageID) {
        let parts = id.rawValue.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 10, let validity = UInt32(parts[0]),
            let uid = UInt32(parts[1]), uid > 0
        else { return nil }
        self.init(validity: validity, uid: uid)
    }

    var id: RemoteMessageID {
        let digits = "\(uid)"
        return RemoteMessageID(
            "\(validity)-\(String(repeating: "0", count: 10 - digits.utf8.count))\(digits)")
    }
}
