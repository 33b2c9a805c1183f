/// The texts, by language and category: four of each. Marks in braces are filled from `slots`.
enum LabeledTexts {
    static let slots: [(mark: String, choices: [String])] = [
        ("{n}", ["12", "20", "35", "48", "7", "60"]),
        ("{price}", ["19,90 €", "49.00", "12,50 €", "230 €", "8.99"]),
        ("{code}", ["A-20391", "88213", "QX-7741", "2023-114"]),
        ("{name}", ["Anna", "Paul", "Lea", "Marco", "Inés", "Hugo"]),
    ]

    static let all: [LabeledText] = [
        ("en", english), ("de", german), ("fr", french), ("es", spanish), ("it", italian),
    ].flatMap { language, kinds in
        kinds.flatMap { category, texts in
            texts.map {
                LabeledText(language: language, category: category, subject: $0.0, body: $0.1)
            }
        }
    }

    private typealias Kinds = [(String, [(String, String)])]

    private static let english: Kinds = [
        (
            "primary",
            [
                (
                    "Saturday",
                    "Hey Ada, we are going hiking with {name} on Saturday. Do you want to come along? The weather looks fine."
                ),
                (
                    "Your thesis, chapter {n}",
                    "I read the chapter on the train. The middle part is strong, the ending comes too early. Shall we talk about it after the seminar?"
                ),
                (
                    "Keys",
                    "I left the keys with the neighbor. The boiler makes a strange noise again, could you ring the plumber? Love, mum"
                ),
                (
                    "Minutes of yesterday",
                    "Attached are my notes. {name} wanted to add a paragraph about the budget before we send it to the others."
                ),
            ]
        ),
        (
            "social",
            [
                (
                    "{name} mentioned you in a comment",
                    "{name} wrote: what do you say to this, Ada? See the comment and {n} other replies."
                ),
                (
                    "You have {n} new followers",
                    "People have started to follow your profile. See who they are and follow them back."
                ),
                (
                    "{name} would like to connect",
                    "You have an invitation waiting. View the profile and accept to add {name} to your network."
                ),
                (
                    "Your memories from five years ago",
                    "You shared {n} photos with {name} on this day. Look back and share them with your friends."
                ),
            ]
        ),
        (
            "promotions",
            [
                (
                    "{n} % off everything, this weekend only",
                    "Treat yourself: our biggest event of the year ends on Sunday. Use {code} at the checkout. Free returns."
                ),
                (
                    "New in: the winter edit",
                    "Cosy knits, warm boots, and coats that last. Discover what our stylists love, from {price}."
                ),
                (
                    "We miss you, Ada",
                    "It has been a while. Come back and enjoy a little something on us: a voucher worth {price} is in your basket."
                ),
                (
                    "Your weekend getaway from {price}",
                    "Spa hotels by the sea at member prices. Book by Friday and get the second night for half."
                ),
            ]
        ),
        (
            "updates",
            [
                (
                    "Your parcel is on its way",
                    "Order {code} left our warehouse. It will arrive between 10 and 14. You can follow it with the number below."
                ),
                (
                    "Statement for October",
                    "Your new account statement is available in online banking. Amount due: {price}."
                ),
                (
                    "Sign-in from a new device",
                    "Somebody signed in to your account with Firefox on Linux. If this was you there is nothing to do; else change the password."
                ),
                (
                    "Your reservation {code}",
                    "Thank you for booking. Check-in is from 15:00, and breakfast is served until 10. You can cancel free of charge until Monday."
                ),
            ]
        ),
        (
            "forums",
            [
                (
                    "[talk] Re: Which backup tool do you use?",
                    "On my machine the other one is twice as fast. Did anybody here try it with encryption? > I would stay with what works"
                ),
                (
                    "Re: [members] Agenda for the annual meeting",
                    "+1 for moving the vote to the end. As {name} wrote to the list, we need a quorum first."
                ),
                (
                    "[talk] Crash when opening large files",
                    "Hello list, since version {n} it crashes on files over 2 GB. Steps to reproduce are below. Has anyone a workaround?"
                ),
                (
                    "New posts in: balcony gardens",
                    "{name} replied to the topic you are watching: tomatoes want more sun than that. Read the {n} new posts in the thread."
                ),
            ]
        ),
    ]

    private static let german: Kinds = [
        (
            "primary",
            [
                (
                    "Samstag",
                    "Hallo Ada, wir gehen am Samstag mit {name} wandern. Magst du mitkommen? Das Wetter soll schön werden."
                ),
                (
                    "Ihre Unterlagen",
                    "Sehr geehrte Frau Lovelace, ich habe alles durchgesehen. Eine Seite fehlt noch, könnten Sie mir die bis Mittwoch nachreichen?"
                ),
                (
                    "Schlüssel",
                    "Ich habe den Schlüssel bei der Nachbarin gelassen. Die Heizung klopft wieder, rufst du den Installateur an? Kuss, Mama"
                ),
                (
                    "Protokoll von gestern",
                    "Anbei meine Mitschrift. {name} wollte noch einen Absatz zum Haushalt ergänzen, bevor wir es den anderen schicken."
                ),
            ]
        ),
        (
            "social",
            [
                (
                    "{name} hat dich in einem Kommentar erwähnt",
                    "{name} schrieb: Was meinst du dazu, Ada? Sieh dir den Kommentar und {n} weitere Antworten an."
                ),
                (
                    "Du hast {n} neue Follower",
                    "Einige Leute folgen jetzt deinem Profil. Schau, wer sie sind."
                ),
                (
                    "{name} möchte Sie als Kontakt hinzufügen",
                    "Eine Einladung wartet auf Sie. Sehen Sie sich das Profil an und nehmen Sie sie an."
                ),
                (
                    "Deine Erinnerungen",
                    "Vor fünf Jahren hast du {n} Fotos mit {name} geteilt. Sieh sie dir an und teile sie mit deinen Freunden."
                ),
            ]
        ),
        (
            "promotions",
            [
                (
                    "{n} % auf alles, nur dieses Wochenende",
                    "Gönnen Sie sich etwas: Unser größter Schlussverkauf endet am Sonntag. Code {code} an der Kasse eingeben."
                ),
                (
                    "Neu: die Wintermode ist da",
                    "Warme Stiefel, weiche Pullover, Mäntel, die halten. Jetzt entdecken, schon ab {price}."
                ),
                (
                    "Wir vermissen dich, Ada",
                    "Lange nicht gesehen. Komm zurück: Ein Gutschein über {price} liegt in deinem Warenkorb."
                ),
                (
                    "Wellness am Meer ab {price}",
                    "Hotels zum Mitgliederpreis. Bis Freitag buchen und die zweite Nacht zum halben Preis bekommen."
                ),
            ]
        ),
        (
            "updates",
            [
                (
                    "Ihr Paket ist unterwegs",
                    "Die Bestellung {code} hat unser Lager verlassen und kommt zwischen 10 und 14 Uhr an."
                ),
                (
                    "Ihr Kontoauszug für Oktober",
                    "Ein neuer Auszug liegt in Ihrem Postfach im Online-Banking. Fälliger Betrag: {price}."
                ),
                (
                    "Anmeldung von einem neuen Gerät",
                    "Jemand hat sich mit Firefox bei Ihrem Konto angemeldet. Waren Sie das, ist nichts zu tun; sonst ändern Sie das Passwort."
                ),
                (
                    "Ihre Reservierung {code}",
                    "Vielen Dank für Ihre Buchung. Anreise ab 15 Uhr, Frühstück bis 10 Uhr. Bis Montag können Sie kostenlos stornieren."
                ),
            ]
        ),
        (
            "forums",
            [
                (
                    "[talk] Re: Welches Programm für Sicherungen?",
                    "Bei mir ist das andere doppelt so schnell. Hat das hier jemand mit Verschlüsselung probiert? > Ich bliebe bei dem, was geht"
                ),
                (
                    "Re: [mitglieder] Tagesordnung der Versammlung",
                    "Auch ich bin dafür, die Abstimmung ans Ende zu legen. Wie {name} an die Liste schrieb, brauchen wir erst genug Stimmen."
                ),
                (
                    "[talk] Absturz bei großen Dateien",
                    "Hallo Liste, seit Version {n} stürzt es bei Dateien über 2 GB ab. Die Schritte stehen unten. Kennt jemand einen Ausweg?"
                ),
                (
                    "Neue Beiträge: Balkongärten",
                    "{name} hat im Thema geantwortet, das du beobachtest: Tomaten wollen mehr Sonne. Lies die {n} neuen Beiträge."
                ),
            ]
        ),
    ]

    private static let french: Kinds = [
        (
            "primary",
            [
                (
                    "Samedi",
                    "Salut Ada, on part en randonnée avec {name} samedi. Tu viens avec nous ? Il devrait faire beau."
                ),
                (
                    "Votre dossier",
                    "Bonjour Madame, j'ai tout relu. Il manque encore une page, pourriez-vous me la transmettre avant mercredi ?"
                ),
                (
                    "Les clés",
                    "J'ai laissé les clés chez la voisine. La chaudière fait encore un drôle de bruit, tu appelles le plombier ? Bises, maman"
                ),
                (
                    "Notes d'hier",
                    "Voici mes notes. {name} voulait ajouter un paragraphe sur le budget avant l'envoi aux autres."
                ),
            ]
        ),
        (
            "social",
            [
                (
                    "{name} vous a mentionné dans un commentaire",
                    "{name} a écrit : qu'en dis-tu, Ada ? Voir le commentaire et {n} autres réponses."
                ),
                (
                    "Vous avez {n} nouveaux abonnés",
                    "Des personnes suivent maintenant votre profil. Découvrez qui elles sont."
                ),
                (
                    "{name} souhaite rejoindre votre réseau",
                    "Une invitation vous attend. Consultez le profil et acceptez-la."
                ),
                (
                    "Vos souvenirs d'il y a cinq ans",
                    "Ce jour-là vous avez partagé {n} photos avec {name}. Partagez-les avec vos amis."
                ),
            ]
        ),
        (
            "promotions",
            [
                (
                    "-{n} % sur tout, ce week-end seulement",
                    "Faites-vous plaisir : notre plus grand événement se termine dimanche. Code {code} à saisir au panier."
                ),
                (
                    "La collection d'hiver est arrivée",
                    "Bottes chaudes, pulls doux et manteaux qui durent. À découvrir dès {price}."
                ),
                (
                    "Vous nous manquez, Ada",
                    "Revenez nous voir : un bon d'achat de {price} vous attend dans votre panier."
                ),
                (
                    "Votre week-end à partir de {price}",
                    "Hôtels au bord de la mer au prix membre. Réservez avant vendredi, la deuxième nuit à moitié prix."
                ),
            ]
        ),
        (
            "updates",
            [
                (
                    "Votre colis est en route",
                    "La commande {code} a quitté notre entrepôt. Elle arrivera entre 10 h et 14 h."
                ),
                (
                    "Votre relevé d'octobre",
                    "Un nouveau relevé de compte est disponible dans votre espace. Montant dû : {price}."
                ),
                (
                    "Connexion depuis un nouvel appareil",
                    "Quelqu'un s'est connecté à votre compte avec Firefox. Si c'était vous, rien à faire ; sinon changez le mot de passe."
                ),
                (
                    "Votre réservation {code}",
                    "Merci de votre réservation. Arrivée dès 15 h, petit déjeuner jusqu'à 10 h. Annulation gratuite jusqu'à lundi."
                ),
            ]
        ),
        (
            "forums",
            [
                (
                    "[talk] Re: Quel outil de sauvegarde ?",
                    "Chez moi l'autre est deux fois plus rapide. Quelqu'un ici l'a-t-il essayé avec le chiffrement ? > Je garderais ce qui marche"
                ),
                (
                    "Re: [membres] Ordre du jour de l'assemblée",
                    "D'accord pour voter à la fin. Comme {name} l'a écrit à la liste, il faut d'abord le quorum."
                ),
                (
                    "[talk] Plantage avec de gros fichiers",
                    "Bonjour la liste, depuis la version {n} ça plante au-delà de 2 Go. Les étapes sont plus bas. Une solution ?"
                ),
                (
                    "Nouveaux messages : jardins de balcon",
                    "{name} a répondu au sujet que vous suivez : les tomates veulent plus de soleil. Lire les {n} nouveaux messages."
                ),
            ]
        ),
    ]
}
