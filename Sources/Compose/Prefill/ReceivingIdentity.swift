import Mail
import MailKernelAPI
import MessageFormat

/// Finds the identity to which a message was sent: the answer comes from there.
struct ReceivingIdentity {
    /// What servers write about the address that they delivered to, the original one first. It is the only trace of it
    /// in mail from a list and in blind copies.
    private static let deliveryFields = ["x-original-to", "envelope-to", "x-envelope-to", "delivered-to"]

    let identities: [Identity]

    /// - Parameter fields: the whole header.
    func identity(for header: EmailHeader, _ fields: [HeaderField]) -> Identity? {
        let named = header.to + header.cc
        // The user's own message is gone on with from the same address.
        let addresses = named + Self.delivered(fields) + header.from
        return identity(of: addresses.map(\.key)) ?? identity(
            of: addresses.compactMap(OwnAddresses.withoutDetail))
            ?? identities.first
    }

    private func identity(of keys: [String]) -> Identity? {
        for key in keys {
            if let found = identities.first(where: { EmailAddress(email: $0.email).key == key }) {
                return found
            }
        }
        return nil
    }

    private static func delivered(_ fields: [HeaderField]) -> [EmailAddress] {
        deliveryFields.flatMap { name in
            fields.filter { $0.name.lowercased() == name }.flatMap { HeaderForm.addresses(of: $0.value) }
        }
    }
}
