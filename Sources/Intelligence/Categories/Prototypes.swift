import MailKernelAPI

/// Messages as each category has them, to compare others with before the user has corrected any.
enum Prototypes {
    static let labels: [ClassificationRequest.Label] = Evidence.categories.map { category in
        ClassificationRequest.Label(name: category.rawValue, examples: texts[category] ?? [])
    }

    static let texts: [EmailCategory: [String]] = [
        .primary: [
            "Lunch on Friday? Are you free, or shall we move it to next week? I would love to hear how you are.",
            "The draft of the contract. Could you have a look before our call and tell me what you think?",
            "Pictures of the children. Thank you for the lovely weekend, everybody here sends a hug.",
            "Re: Question about your application. I can meet you on Tuesday at ten in my office.",
            "Kaffee am Samstag? Hast du Zeit? Ich bringe Kuchen mit. Liebe Grüße",
            "Unterlagen für das Gespräch. Können Sie mir bitte bis morgen kurz Bescheid geben?",
            "On se voit demain ? Je passe te prendre vers huit heures, dis-moi si ça te va. Bises",
            "Le compte rendu de notre réunion. Pouvez-vous le relire et me dire ce que vous en pensez ?",
            "¿Comemos el jueves? Dime si puedes y reservo una mesa. Un abrazo",
            "El borrador del informe. ¿Podrías revisarlo y decirme qué te parece?",
            "Ci vediamo domani sera? Fammi sapere a che ora arrivi. Un abbraccio",
            "La bozza del progetto. Puoi darle un'occhiata prima della riunione?",
        ],
        .social: [
            "Maria commented on your photo. See what she wrote and reply to her comment.",
            "You have a new follower. People you may know are waiting for your invitation.",
            "Tom sent you a friend request. Accept it to see his profile and posts.",
            "You have 3 new notifications, 5 likes and a mention in a post.",
            "Anna hat dein Foto kommentiert. Du hast neue Benachrichtigungen und Freundschaftsanfragen.",
            "Neue Kontaktanfrage: Peter möchte sich mit Ihnen vernetzen. Profil ansehen",
            "Julie vous a identifié dans une publication. Vous avez de nouveaux abonnés.",
            "Nouvelle invitation à rejoindre le réseau de Paul. Voir son profil",
            "Carlos ha comentado tu publicación. Tienes nuevos seguidores y solicitudes de amistad.",
            "Marta quiere conectar contigo. Ver perfil y aceptar la invitación",
            "A Giulia piace la tua foto. Hai nuovi follower e richieste di amicizia.",
            "Luca vuole collegarsi con te. Guarda il profilo e accetta l'invito",
        ],
        .promotions: [
            "Final hours: 30 % off everything. Shop the sale now, with free shipping on all orders.",
            "Our autumn collection is here. Discover new arrivals and get an exclusive discount for members.",
            "A voucher just for you. Use the code at checkout before Sunday.",
            "Upgrade to premium and save: three months for the price of one. Offer ends soon.",
            "Nur heute: 20 % Rabatt auf alles. Jetzt sparen und Gutschein einlösen.",
            "Die neue Kollektion ist da. Entdecken Sie unsere Angebote im Online-Shop.",
            "Soldes : jusqu'à moins 50 % sur tout le site. Profitez-en vite, livraison offerte.",
            "Découvrez nos nouveautés et votre code promo exclusif.",
            "Rebajas: hasta un 40 % de descuento. Compra ahora con envío gratis.",
            "Descubre las ofertas de la semana y tu cupón exclusivo.",
            "Saldi: fino al 50 % di sconto su tutto. Acquista ora, spedizione gratuita.",
            "Scopri la nuova collezione e il tuo codice sconto esclusivo.",
        ],
        .updates: [
            "Your order has shipped and will be delivered on Thursday. Track your parcel.",
            "Your invoice for October is ready. The amount will be charged to your card.",
            "New sign-in to your account. Your verification code is 482913; do not share it.",
            "Your booking is confirmed. Check-in opens 24 hours before departure.",
            "Ihre Bestellung wurde versandt. Die Lieferung kommt am Donnerstag. Sendung verfolgen",
            "Ihre Rechnung ist da. Der Betrag wird von Ihrem Konto abgebucht.",
            "Votre commande a été expédiée. Suivez la livraison de votre colis.",
            "Votre facture est disponible dans votre espace client. Prélèvement le 5 du mois.",
            "Tu pedido ha sido enviado. Sigue la entrega de tu paquete.",
            "Tu factura ya está disponible. El importe se cargará en tu cuenta.",
            "Il tuo ordine è stato spedito. Segui la consegna del pacco.",
            "La tua fattura è disponibile. L'importo sarà addebitato sul tuo conto.",
        ],
        .forums: [
            "[dev] Re: Proposal to drop support for the old format. I agree with the previous poster, +1.",
            "[users] Segmentation fault after the update. Has anyone on this list seen this? Steps below.",
            "New reply in the topic you follow: which lens for portraits? Posted by member 42.",
            "[announce] Digest of the mailing list, volume 12, issue 3. Today's topics.",
            "[Liste] Re: Wer fährt zum Treffen? Antwort an alle Mitglieder der Mailingliste.",
            "Neuer Beitrag im Thema Heizung entlüften. Im Forum antworten",
            "[liste] Re: Assemblée des membres. Réponse à tous les abonnés de la liste de diffusion.",
            "Nouvelle réponse dans le sujet que vous suivez sur le forum.",
            "[lista] Re: Propuesta para la próxima reunión. Respuesta a todos los miembros de la lista.",
            "Nueva respuesta en el hilo que sigues en el foro.",
            "[lista] Re: Proposta per il prossimo incontro. Risposta a tutti gli iscritti.",
            "Nuova risposta nella discussione che segui sul forum.",
        ],
    ]
}
