/// Prepared replies, by occasion and language. Each occasion has three: yes, no, and a question.
///
/// A small model cannot write them: its text is off topic or makes promises. It can recognize the occasion,
/// and these replies are always correct.
enum ReplyBank {
    struct Occasion: Sendable {
        /// Messages of this kind.
        let examples: [String]
        let replies: [String]
    }

    static let occasions: [MailLanguage: [Occasion]] = [
        .english: english, .german: german, .french: french, .spanish: spanish, .italian: italian,
    ]

    /// For a message that is like none of the occasions.
    static let general: [MailLanguage: [String]] = [
        .english: [
            "Thanks for your message, that works for me.", "Thanks, but I'm afraid I can't this time.",
            "Thanks. Could you tell me a little more?",
        ],
        .german: [
            "Danke für die Nachricht, das passt für mich.", "Danke, aber das geht diesmal leider nicht.",
            "Danke. Können Sie mir noch etwas mehr dazu sagen?",
        ],
        .french: [
            "Merci pour votre message, cela me convient.", "Merci, mais cette fois ce ne sera pas possible.",
            "Merci. Pourriez-vous m'en dire un peu plus ?",
        ],
        .spanish: [
            "Gracias por el mensaje, me parece bien.", "Gracias, pero esta vez no va a ser posible.",
            "Gracias. ¿Podría darme más detalles?",
        ],
        .italian: [
            "Grazie per il messaggio, per me va bene.", "Grazie, ma questa volta purtroppo non posso.",
            "Grazie. Potrebbe darmi qualche dettaglio in più?",
        ],
    ]

    private static let english: [Occasion] = [
        Occasion(
            examples: [
                "Can we meet on Tuesday at ten? Let me know which time suits you for a call.",
                "Shall we move our meeting to Thursday afternoon?",
            ],
            replies: [
                "That time works for me.", "I'm afraid I can't make it then.", "Could we find another time?",
            ]),
        Occasion(
            examples: [
                "You are invited to my birthday party on Saturday. Will you come?",
                "Would you like to have dinner with us on Friday?",
            ],
            replies: [
                "I'd love to come, thank you.", "Thank you, but I can't come this time.",
                "That sounds lovely. Shall I bring anything?",
            ]),
        Occasion(
            examples: [
                "Please send me the report by tomorrow. Could you share the file with me?",
                "Could you review the attached draft and send me your comments?",
            ],
            replies: [
                "Sure, I'll send it to you.", "I'm sorry, I can't get to it right now.",
                "Sure. By when do you need it?",
            ]),
        Occasion(
            examples: [
                "I have a question: do you know how this works? Any idea?",
                "Could you tell me where I can find this?",
            ],
            replies: [
                "Yes, happy to help. I'll get back to you.", "I'm sorry, I don't know that myself.",
                "Could you tell me exactly what you need?",
            ]),
        Occasion(
            examples: [
                "Thank you so much for your help, it was very kind of you.",
                "Many thanks for the lovely evening!",
            ],
            replies: ["You're very welcome.", "No need to thank me.", "How did it go in the end?"]),
        Occasion(
            examples: [
                "I'm sorry, I am running late. The work will take a few days longer.",
                "Apologies for the delay in answering.",
            ],
            replies: [
                "No problem, take your time.", "I'm afraid I can't wait much longer.",
                "When do you think it will be ready?",
            ]),
        Occasion(
            examples: [
                "Here is our quote. The price would be 400 euros. Do you accept the offer?",
                "Are you interested in buying it? I could give you a good price.",
            ],
            replies: [
                "I'm happy with that, please go ahead.", "Thank you, but I'll have to decline.",
                "Is there some room in the price?",
            ]),
        Occasion(
            examples: [
                "My train arrives at six. Can you pick me up at the station?",
                "I'm landing on Sunday evening, shall we meet at the airport?",
            ],
            replies: [
                "Yes, I'll be there.", "I'm sorry, I can't pick you up.", "Which platform or terminal is it?",
            ]),
        Occasion(
            examples: [
                "Good news: I got the job! We passed the exam.", "Our daughter was born yesterday.",
            ],
            replies: [
                "Congratulations, that's wonderful news!", "I'm so happy for you.",
                "How wonderful. When can we celebrate?",
            ]),
        Occasion(
            examples: [
                "I am ill and have to stay in bed this week.",
                "Sad news: my grandfather has died.",
            ],
            replies: [
                "I'm so sorry to hear that.", "Please don't worry about anything here.",
                "Is there anything I can do for you?",
            ]),
    ]

    private static let german: [Occasion] = [
        Occasion(
            examples: [
                "Können wir uns am Dienstag um zehn treffen? Welcher Termin passt Ihnen für ein Gespräch?",
                "Sollen wir unser Treffen auf Donnerstagnachmittag verschieben?",
            ],
            replies: [
                "Der Termin passt mir gut.", "Da kann ich leider nicht.", "Ginge auch ein anderer Termin?",
            ]),
        Occasion(
            examples: [
                "Ich lade dich zu meiner Geburtstagsfeier am Samstag ein. Kommst du?",
                "Habt ihr Lust, am Freitag mit uns zu essen?",
            ],
            replies: [
                "Vielen Dank, ich komme sehr gern.", "Danke, aber diesmal kann ich leider nicht.",
                "Wie schön! Soll ich etwas mitbringen?",
            ]),
        Occasion(
            examples: [
                "Bitte schicken Sie mir den Bericht bis morgen. Können Sie mir die Datei senden?",
                "Kannst du den Entwurf im Anhang lesen und mir sagen, was du davon hältst?",
            ],
            replies: [
                "Gern, ich schicke es zu.", "Das schaffe ich im Moment leider nicht.",
                "Gern. Bis wann wird es gebraucht?",
            ]),
        Occasion(
            examples: [
                "Ich habe eine Frage: Weißt du, wie das geht?",
                "Können Sie mir sagen, wo ich das finde?",
            ],
            replies: [
                "Ja, da helfe ich gern. Ich melde mich.", "Das weiß ich leider selbst nicht.",
                "Worum geht es genau?",
            ]),
        Occasion(
            examples: [
                "Vielen Dank für deine Hilfe, das war sehr nett.", "Herzlichen Dank für den schönen Abend!",
            ],
            replies: ["Sehr gern geschehen.", "Das war doch selbstverständlich.", "Wie ist es ausgegangen?"]),
        Occasion(
            examples: [
                "Tut mir leid, es dauert noch ein paar Tage länger. Ich verspäte mich.",
                "Entschuldigen Sie bitte die späte Antwort.",
            ],
            replies: [
                "Kein Problem, das eilt nicht.", "So lange kann ich leider nicht warten.",
                "Wann ist damit zu rechnen?",
            ]),
        Occasion(
            examples: [
                "Hier ist unser Angebot. Der Preis beträgt 400 Euro. Nehmen Sie das Angebot an?",
                "Möchtest du es kaufen? Ich mache dir einen guten Preis.",
            ],
            replies: [
                "Einverstanden, bitte so machen.", "Danke, aber ich muss leider absagen.",
                "Ist am Preis noch etwas zu machen?",
            ]),
        Occasion(
            examples: [
                "Mein Zug kommt um sechs an. Kannst du mich vom Bahnhof abholen?",
                "Ich lande am Sonntagabend, treffen wir uns am Flughafen?",
            ],
            replies: [
                "Ja, ich bin da.", "Abholen kann ich leider nicht.", "Welches Gleis oder Terminal ist es?",
            ]),
        Occasion(
            examples: [
                "Gute Nachrichten: Ich habe die Stelle bekommen! Wir haben die Prüfung bestanden.",
                "Unsere Tochter ist gestern geboren.",
            ],
            replies: [
                "Herzlichen Glückwunsch, das ist wunderbar!", "Das freut mich sehr.",
                "Großartig! Wann feiern wir?",
            ]),
        Occasion(
            examples: [
                "Ich bin krank und muss diese Woche im Bett bleiben.",
                "Eine traurige Nachricht: Mein Großvater ist gestorben.",
            ],
            replies: [
                "Das tut mir sehr leid.", "Bitte mach dir hier keine Sorgen.", "Kann ich irgendetwas tun?",
            ]),
    ]

    private static let french: [Occasion] = [
        Occasion(
            examples: [
                "Pouvons-nous nous voir mardi à dix heures ? Quel horaire vous convient pour un appel ?",
                "Et si on déplaçait la réunion à jeudi après-midi ?",
            ],
            replies: [
                "Cet horaire me convient.", "Je ne suis malheureusement pas disponible.",
                "Serait-il possible de trouver un autre moment ?",
            ]),
        Occasion(
            examples: [
                "Je t'invite à mon anniversaire samedi. Tu viens ?",
                "Voulez-vous dîner avec nous vendredi ?",
            ],
            replies: [
                "Avec grand plaisir, merci.", "Merci, mais je ne pourrai pas venir cette fois.",
                "Quelle bonne idée ! Que puis-je apporter ?",
            ]),
        Occasion(
            examples: [
                "Merci de m'envoyer le rapport avant demain. Pouvez-vous me transmettre le fichier ?",
                "Peux-tu relire le brouillon en pièce jointe et me dire ce que tu en penses ?",
            ],
            replies: [
                "Bien sûr, je l'envoie.", "Désolé, je ne peux pas m'en occuper maintenant.",
                "Bien sûr. Pour quand est-ce ?",
            ]),
        Occasion(
            examples: [
                "J'ai une question : sais-tu comment cela marche ?",
                "Pourriez-vous me dire où je peux trouver cela ?",
            ],
            replies: [
                "Oui, avec plaisir. Je reviens vers vous.", "Désolé, je ne le sais pas non plus.",
                "De quoi s'agit-il exactement ?",
            ]),
        Occasion(
            examples: [
                "Merci beaucoup pour votre aide, c'était très gentil.",
                "Un grand merci pour cette belle soirée !",
            ],
            replies: ["Avec plaisir.", "C'était tout naturel.", "Comment cela s'est-il terminé ?"]),
        Occasion(
            examples: [
                "Je suis désolé, je serai en retard. Cela prendra quelques jours de plus.",
                "Veuillez excuser ma réponse tardive.",
            ],
            replies: [
                "Pas de souci, rien ne presse.", "Je ne peux malheureusement pas attendre plus longtemps.",
                "Quand pensez-vous avoir terminé ?",
            ]),
        Occasion(
            examples: [
                "Voici notre devis. Le prix serait de 400 euros. Acceptez-vous cette offre ?",
                "Souhaites-tu l'acheter ? Je te fais un bon prix.",
            ],
            replies: [
                "Cela me convient, vous pouvez y aller.", "Merci, mais je dois décliner.",
                "Le prix est-il négociable ?",
            ]),
        Occasion(
            examples: [
                "Mon train arrive à six heures. Peux-tu venir me chercher à la gare ?",
                "J'atterris dimanche soir, on se retrouve à l'aéroport ?",
            ],
            replies: [
                "Oui, je serai là.", "Désolé, je ne pourrai pas venir.", "C'est quel quai ou quel terminal ?",
            ]),
        Occasion(
            examples: [
                "Bonne nouvelle : j'ai eu le poste ! Nous avons réussi l'examen.",
                "Notre fille est née hier.",
            ],
            replies: [
                "Félicitations, c'est merveilleux !", "Je suis ravi pour vous.",
                "Formidable ! Quand fêtons-nous cela ?",
            ]),
        Occasion(
            examples: [
                "Je suis malade et je dois garder le lit cette semaine.",
                "Une triste nouvelle : mon grand-père est décédé.",
            ],
            replies: [
                "Je suis vraiment désolé de l'apprendre.", "Ne vous inquiétez de rien ici.",
                "Puis-je faire quelque chose ?",
            ]),
    ]
}
