import MailKernelAPI

/// Moves an account to another server while it is in use.
///
/// Its rows are copied, and then what has changed meanwhile, until that takes no time. For the last changes, commits to the
/// account wait: its row in `account` is locked, noted on the new server, and removed from the old one. From then on,
/// nothing can be written on the old server. The map follows, and then the row appears on the new server, where commits
/// go on. At last the old server's rows are deleted.
///
/// A kernel can be killed at any moment: what a move needs to go on is on the servers. If two kernels are at it, the row
/// of `arrival` lets the one work that came last.
struct AccountMove {
    let claim: MoveClaim
    let lanes: [String: Lane]
    let isOver: () -> Bool

    func advance(_ wish: PlaceWish) throws(StorageError) {
        guard wish.leaving.isEmpty else { return try settle(from: wish.leaving, at: wish.server) }
        if !wish.arriving.isEmpty {
            let copy = try copy(from: wish.server, to: wish.arriving)
            // What has left the old server can only go on.
            if wish.arriving != wish.wanted, try !copy.hasDeparted() {
                try copy.discard()
                return try claim.write("arriving = ''")
            }
            return try go(copy, wish.server, wish.arriving)
        }
        guard wish.wanted != wish.server else { return }
        let copy = try copy(from: wish.server, to: wish.wanted)
        try claim.write("arriving = $3", wish.wanted)
        try go(copy, wish.server, wish.wanted)
    }

    private func go(_ copy: AccountCopy, _ old: String, _ new: String) throws(StorageError) {
        if try !copy.begin() {
            try copy.copyAll()
            try copy.catchUp()
            try copy.depart()
        }
        try claim.write("server = $3, arriving = '', leaving = $4", new, old)
        try settle(from: old, at: new)
    }

    /// The account appears on the new server, and disappears from the old one.
    private func settle(from old: String, at new: String) throws(StorageError) {
        let copy = try copy(from: old, to: new)
        try copy.arrive()
        try copy.clearSource()
        try claim.write("leaving = ''")
    }

    private func copy(from old: String, to new: String) throws(StorageError) -> AccountCopy {
        AccountCopy(
            source: old, from: try lane(old), to: try lane(new), claim: claim, isOver: isOver)
    }

    private func lane(_ name: String) throws(StorageError) -> Lane {
        if let lane = lanes[name] { return lane }
        throw .unsupported(
            "There is no server “\(name)” in the settings of the computer that tried to move it.")
    }
}
