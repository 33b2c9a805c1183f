import CGMime
public import MailKernelAPI

extension HeaderForm {
    /// The mailboxes, those in groups too. Half-written ones are kept as they are.
    public static func addresses(of raw: String) -> [EmailAddress] {
        groups(of: raw).flatMap(\.addresses)
    }

    /// The same, with the groups that they are in.
    public static func groups(of raw: String) -> [EmailAddressGroup] {
        GMime.start
        var groups: [EmailAddressGroup] = []
        var isOpen = false
        for piece in AddressPieces.of(EncodedWordReader.joined(unfolded(raw))) {
            add(piece, to: &groups, &isOpen)
        }
        return groups
    }

    private static func add(_ text: String, to groups: inout [EmailAddressGroup], _ isOpen: inout Bool) {
        guard text.utf8.contains(where: { $0 > 0x20 }), let list = Owned(cgmime_addresses(nil, text)) else {
            return
        }
        for index in 0..<cgmime_address_count(list.pointer) {
            guard let address = cgmime_address(list.pointer, index) else { continue }
            if cgmime_is_group(address) {
                groups.append(
                    EmailAddressGroup(name: name(of: address) ?? "", addresses: members(of: address)))
                isOpen = false
            } else if let mailbox = mailbox(address) {
                if !isOpen { groups.append(EmailAddressGroup(addresses: [])) }
                groups[groups.count - 1].addresses.append(mailbox)
                isOpen = true
            }
        }
    }

    private static func members(of group: UnsafeMutableRawPointer) -> [EmailAddress] {
        guard let list = cgmime_group_members(group) else { return [] }
        return (0..<cgmime_address_count(list)).compactMap { index in
            cgmime_address(list, index).flatMap(mailbox)
        }
    }

    private static func mailbox(_ address: UnsafeMutableRawPointer) -> EmailAddress? {
        let email = GMime.text(cgmime_mailbox(address)).map(clean) ?? ""
        let name = name(of: address)
        return email.isEmpty && name == nil ? nil : EmailAddress(name: name, email: email)
    }

    private static func name(of address: UnsafeMutableRawPointer) -> String? {
        GMime.text(cgmime_address_name(address)).flatMap { clean($0).nonEmpty }
    }
}
