import MailKernelAPI

/// Hints in addresses about the kind of sender.
enum SenderNames {
    static func isNoReply(_ local: Substring) -> Bool {
        let plain = local.filter { $0 != "-" && $0 != "_" && $0 != "." }
        return noReply.contains { plain.hasPrefix($0) || plain.hasSuffix($0) }
    }

    /// What the part before the @ says that the mail is for.
    static func role(_ local: Substring) -> EmailCategory? {
        for word in local.split(whereSeparator: { !$0.isLetter }) {
            if promotions.contains(word) { return .promotions }
            if updates.contains(word) { return .updates }
        }
        return nil
    }

    static func isSocial(_ domain: Substring) -> Bool {
        var rest = domain
        while true {
            if social.contains(rest) { return true }
            guard let dot = rest.firstIndex(of: ".") else { return false }
            rest = rest[rest.index(after: dot)...]
        }
    }

    private static let noReply = [
        "noreply", "donotreply", "nepasrepondre", "noresponder", "nichtantworten", "nonrispondere",
        "naoresponda",
        "mailerdaemon", "postmaster",
    ]

    private static let promotions: Set<Substring> = [
        "newsletter", "newsletters", "news", "marketing", "offers", "offer", "deals", "promo", "promos",
        "promotions", "sale", "sales", "shop", "store", "club", "angebote", "werbung", "offres", "ofertas",
        "offerte", "promociones", "promozioni", "actus", "novedades", "magazine", "digest",
    ]

    private static let updates: Set<Substring> = [
        "billing", "invoice", "invoices", "invoicing", "orders", "order", "shipping", "shipment", "delivery",
        "tracking", "security", "alert", "alerts", "notification", "notifications", "notify", "receipt",
        "receipts", "payments", "payment", "statements", "account", "accounts", "booking", "bookings",
        "reservations", "confirm", "confirmation", "verify", "service", "support", "rechnung", "versand",
        "bestellung", "buchung", "konto", "facture", "factures", "commande", "commandes", "livraison",
        "factura", "facturas", "pedidos", "envios", "fattura", "fatture", "ordini", "spedizioni", "avvisi",
        "jira", "builds", "ci", "monitoring",
    ]

    private static let social: Set<Substring> = [
        "facebookmail.com", "facebook.com", "instagram.com", "linkedin.com", "twitter.com", "x.com",
        "pinterest.com", "redditmail.com", "reddit.com", "tiktok.com", "youtube.com", "snapchat.com",
        "tumblr.com", "meetup.com", "nextdoor.com", "quora.com", "strava.com", "discord.com",
        "discordapp.com", "goodreads.com", "vk.com", "xing.com", "viadeo.com", "flickr.com", "twitch.tv",
        "mastodon.social", "bsky.app", "bsky.social", "threads.net", "badoo.com", "tinder.com", "bumble.com",
        "couchsurfing.com", "researchgate.net", "academia.edu", "nebenan.de", "copainsdavant.com",
        "tuenti.com", "medium.com", "substack.com", "patreon.com", "letterboxd.com", "last.fm",
    ]

    static let freemail: Set<Substring> = [
        "gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "live.com", "msn.com", "yahoo.com",
        "yahoo.fr", "yahoo.de", "yahoo.es", "yahoo.it", "icloud.com", "me.com", "mac.com", "gmx.de",
        "gmx.net",
        "gmx.at", "web.de", "t-online.de", "freenet.de", "posteo.de", "mailbox.org", "orange.fr",
        "wanadoo.fr",
        "free.fr", "laposte.net", "sfr.fr", "libero.it", "virgilio.it", "tiscali.it", "alice.it",
        "hotmail.es",
        "telefonica.net", "terra.es", "proton.me", "protonmail.com", "fastmail.com", "aol.com", "yandex.ru",
        "mail.ru", "hotmail.fr", "hotmail.it", "outlook.de", "outlook.fr", "outlook.es", "outlook.it",
    ]
}
