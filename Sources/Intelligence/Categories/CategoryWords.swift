import MailKernelAPI

/// Words that tell what a message is for, in English, German, French, Spanish and Italian.
enum CategoryWords {
    /// However often a message repeats itself.
    private static let most = 3.2
    private static let longest = 1500

    static func add(subject: String, text: String, to evidence: inout Evidence) {
        var sums: [EmailCategory: Double] = [:]
        count(subject[...], weight: 1.3, &sums)
        count(text.prefix(longest), weight: 0.5, &sums)
        for (category, sum) in sums { evidence.add(min(sum, most), category) }
    }

    private static func count(
        _ text: Substring, weight: Double, _ sums: inout [EmailCategory: Double]
    ) {
        var seen: Set<Substring> = []
        let folded = Substring(text.lowercased())
        for word in folded.split(whereSeparator: { !$0.isLetter && $0 != "%" && $0 != "-" }) {
            guard let category = table[word], seen.insert(word).inserted else { continue }
            sums[category, default: 0] += weight
        }
    }

    private static let table: [Substring: EmailCategory] = {
        var table: [Substring: EmailCategory] = [:]
        for (category, words) in lists {
            for word in words.split(whereSeparator: \.isWhitespace) { table[word] = category }
        }
        return table
    }()

    private static let lists: [(EmailCategory, String)] = [
        (
            .promotions,
            """
            % sale discount discounts deal deals offer offers coupon voucher promo save savings clearance bargain
            exclusive unsubscribe newsletter giveaway bestseller bestsellers limited-time upgrade sponsor webinar
            rabatt rabatte angebot angebote gutschein aktion sonderangebot schnäppchen sparen gratis abmelden
            newsletter-abo abbestellen sommerschlussverkauf neuheiten
            promotion promotions soldes remise remises offre offres réduction réductions profitez désabonner
            désinscrire nouveautés bons-plans économisez
            oferta ofertas descuento descuentos rebajas cupón aprovecha ahorra novedades promoción suscripción
            offerta offerte sconto sconti saldi coupon risparmia approfitta promozione novità disiscriviti
            """
        ),
        (
            .updates,
            """
            invoice receipt payment paid order ordered shipped shipment delivery delivered tracking confirmation
            confirmed booking reservation itinerary statement balance transaction verification verify password
            login sign-in security alert renewal expires expired appointment policy scheduled maintenance ticket
            build deployed failed backup
            rechnung zahlung bestellung bestellt versandt versendet lieferung geliefert sendungsverfolgung
            bestätigung buchung kontoauszug bestätigungscode passwort anmeldung sicherheit termin kundennummer
            überweisung fällig abbuchung vertrag zugestellt
            facture paiement commande expédiée expédié livraison livré suivi réservation relevé virement
            vérification sécurité connexion rendez-vous échéance prélèvement confirmée colis
            factura pago pedido enviado envío entrega entregado seguimiento confirmación reserva extracto
            transferencia verificación contraseña seguridad cita vencimiento recibo
            fattura pagamento ordine spedito spedizione consegna consegnato tracciamento conferma prenotazione
            estratto bonifico verifica sicurezza accesso appuntamento scadenza ricevuta addebito
            """
        ),
        (
            .social,
            """
            follower followers followed follows liked likes tagged mentioned commented friend-request connection
            connections endorsed retweeted reposted poked friends profile
            follower folgt gefällt markiert erwähnt kommentiert freundschaftsanfrage kontaktanfrage profil
            abonné abonnés abonnée aimé identifié mentionné commenté relation
            seguidor seguidores sigue gusta etiquetado mencionó comentó solicitud perfil contactos
            segue piace taggato menzionato commentato richiesta-di-amicizia collegamento profilo
            """
        ),
        (
            .forums,
            """
            patch thread mailing-list list-admin moderator rfc bikeshed posting topic forum replied-to digest
            mailingliste beitrag thema forumsbeitrag moderatorin liste-de-diffusion sujet hilo foro tema
            mailing discussione argomento
            """
        ),
    ]
}
