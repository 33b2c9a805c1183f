public import MailKernelAPI
import SigningIn

/// The field for the ID of a client that the user brings, in a `ClientForm`.
public enum ClientIDField {
    public static let name = "clientId"

    /// - Parameter hint: what the service's IDs look like, and where to get one.
    public static func field(initialID: String, isRequired: Bool, hint: String) -> FormField {
        FormField(
            name: name, label: "Client ID", kind: .text, initialValue: initialID, isRequired: isRequired,
            hint: (isRequired ? "" : "Leave this empty to use the last one. ") + hint)
    }

    /// Empty if there is none.
    public static func text(in answers: [String: Secret]) -> String { answers.trimmed(name) }

    /// - Parameters:
    ///   - isUsual: whether an ID has the form of the service's IDs.
    ///   - sentence: how they look, for a user who typed something else.
    /// - Throws: `.invalid`, also for an ID that could end a line or a parameter.
    public static func id(
        in answers: [String: Secret], isUsual: (String) -> Bool, orSay sentence: String
    ) throws(AccountError) -> String {
        let id = text(in: answers)
        guard !id.isEmpty else { throw .invalid(field: name, reason: "Please enter the client ID.") }
        let isPlain = id.utf8.count <= 500 && id.utf8.allSatisfy { (0x21...0x7e).contains($0) }
        guard isPlain, isUsual(id) else { throw .invalid(field: name, reason: sentence) }
        return id
    }
}
