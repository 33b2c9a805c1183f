public import MailKernelAPI

extension HeaderForm {
    /// The mailboxes, those in groups too. Half-written ones are kept as they are.
    public static func addresses(of raw: String) -> [EmailAddress] {
        groups(of: raw).flatMap(\.addresses)
    }

    /// The same, with the groups that they are in.
    public static func groups(of raw: String) -> [EmailAddressGroup] {
        GMime.start
        return AddressListReader.groups(in: EncodedWordReader.joined(unfolded(raw)))
    }
}
