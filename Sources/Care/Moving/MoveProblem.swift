/// Why mail cannot be moved from one store to another.
package enum MoveProblem: Error, Hashable, CustomStringConvertible {
    /// The new store holds accounts, and no move brought them.
    case notEmpty(id: String, name: String)
    /// The new store holds a part of another store.
    case otherMove(from: String, id: String)
    /// Another kernel works on the store.
    case inUse(name: String)
    /// The old store has changed since the move began.
    case changed(name: String)
    /// The store lists a record that it cannot read.
    case unreadable
    /// The system has no SHA-256.
    case noDigest

    package var description: String {
        switch self {
        case .notEmpty(let id, let name):
            "“\(name)” already holds mail, and only an empty store can take yours. If you do not need that mail, "
                + "delete it with “mailkernel storage delete --old \(id)”."
        case .otherMove(let source, let id):
            "A move from “\(source)” to this store was not finished. Finish that move, or delete what it brought with "
                + "“mailkernel storage delete --old \(id)”."
        case .inUse(let name):
            "Another computer is using “\(name)”. Stop mailkernel there, and run this command again."
        case .changed(let name):
            "“\(name)” was changed during the move, so another computer is using it. Stop mailkernel there, and run "
                + "this command again."
        case .unreadable:
            "A message or file cannot be read from the store. Run “mailkernel storage check”."
        case .noDigest: "This system has no SHA-256, so the stores cannot be compared."
        }
    }
}
