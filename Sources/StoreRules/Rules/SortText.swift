public import MailKernelAPI

/// The texts that emails are sorted by. Compare them as text, by code point.
public enum SortText {
    /// For `.from` and `.to`: the name of the first address, or the address itself if it has no name.
    public static func name(of addresses: [EmailAddress]) -> String {
        guard let first = addresses.first else { return "" }
        let name = first.name ?? ""
        return TextFolding.fold(name.isEmpty ? first.email : name)
    }

    /// For `.subject`: the normalized subject.
    public static func subject(of header: EmailHeader) -> String {
        TextFolding.fold(Threading.normalizedSubject(header.subject ?? ""))
    }
}
