/// Words that identify an occasion of the bank, in languages other than English.
///
/// Small similarity models were made for English: for them, a German quotation is as close to good news as to
/// a quotation. In other languages, an occasion therefore needs a matching word, and each additional one
/// counts like a good deal of similarity. Without any, general replies are better.
enum ReplyCues {
    private static let weight: Float = 0.09
    private static let most = 3
    private static let textLimit = 1500

    /// What the words of a message add to each occasion of its language, by their place in the bank; nil
    /// where an occasion is out of the question. Nil for English, where nearness says it all.
    static func bonuses(in text: String, _ language: MailLanguage) -> [Float?]? {
        guard let lists = cues[language] else { return nil }
        let words = text.prefix(textLimit).lowercased().split { !$0.isLetter }
        let line = " " + words.joined(separator: " ") + " "
        return lists.map { list in
            let found = list.count { line.contains(" " + $0) }
            return found == 0 ? nil : weight * Float(min(found, most))
        }
    }

    private static let cues: [MailLanguage: [[String]]] = [
        .german: lists([
            "treffen, termin, verschieb, passt, uhr, besprechung, gespräch, telefonat, meeting, vorstellungs",
            "lade, einlad, feier, geburtstag, party, kommst du, kommt ihr, lust, grillen, hochzeit",
            "schick, send, zusend, bericht, datei, unterlagen, entwurf, unterschr, prüfen, durchseh",
            "eine frage, weißt du, wissen sie, wie geht das, wo finde, wo ich, mir sagen, mir erklären",
            "dank für, danke für, herzlichen dank, sehr nett, lieben dank, hat mir sehr geholfen",
            "verspät, tut mir leid, entschuldig, dauert, verzöger, länger, leider erst",
            "angebot, unser angebot, preis, kosten, euro, kaufen, verkauf, kostenvoranschlag",
            "zug, bahnhof, flughafen, ankomm, komme an, kommt um, abhol, lande, flug, gleis",
            "gute nachricht, bestanden, stelle bekommen, geboren, verlobt, geheiratet, geschafft, befördert",
            "krank, krankenhaus, gestorben, verstorben, trauer, beerdigung, operation, fieber, grippe",
        ]),
        .french: lists([
            "réunion, rendez vous, rencontr, nous voir, horaire, convient, déplacer, reporter, appel",
            "invit, anniversaire, fête, dîner, tu viens, veux venir, soirée, mariage, apéro, dessert",
            "envoy, transmett, rapport, fichier, document, pièce jointe, relire, signer, signé",
            "question, savez vous, sais tu, comment, où puis, où je, me dire où, expliquer",
            "merci beaucoup pour, merci pour votre aide, merci pour ton aide, grand merci, très gentil",
            "désolé, retard, tardive, plus longtemps, jours de plus, excus, encore attendre",
            "devis, offre, prix, coût, euros, acheter, vendre, proposition commerciale",
            "train, gare, aéroport, atterri, mon vol, venir me chercher, quai",
            "bonne nouvelle, réussi, obtenu, est née, est né, fiancé, nous nous marions, promotion",
            "malade, hôpital, décédé, décès, triste nouvelle, enterrement, obsèques, grippe, fièvre, opéré",
        ]),
        .spanish: lists([
            "reunión, reunir, vernos, cita, mover, aplazar, hora, llamada, te viene bien, le viene bien",
            "invit, cumpleaños, fiesta, cenar, a cenar, vienes, venís, boda, barbacoa",
            "enví, enviar, mandar, mandarme, informe, archivo, documento, borrador, adjunto, revisar, firmar",
            "pregunta, sabes, sabe usted, cómo, dónde, decirme dónde, una duda, explicar",
            "gracias por tu ayuda, gracias por la ayuda, muy amable, mil gracias, agradec",
            "retraso, retras, lo siento, tardar, tardanza, más tiempo, perdon, días más, esperar",
            "presupuesto, oferta, precio, coste, euros, comprar, vender",
            "tren, estación, aeropuerto, aterri, vuelo, recogerme, andén, llego el, llego a las",
            "buenas noticias, buena noticia, aprobado, he conseguido, ha nacido, nació, nos casamos, ascenso",
            "enferm, hospital, falleci, murió, triste noticia, gripe, fiebre, entierro, en cama",
        ]),
        .italian: lists([
            "riunione, incontr, appuntamento, vederci, spostare, orario, chiamata, va bene alle, colloquio",
            "invit, compleanno, festa, cena, a cena, vieni, venite, matrimonio, pranzo",
            "inviar, inviami, mandar, mandi, rapporto, relazione, file, document, bozza, firmat, firmare",
            "domanda, sai come, sapete, come funziona, dove, dirmi, spiegar",
            "grazie mille, grazie per l aiuto, grazie per il tuo, grazie di cuore, molto gentile",
            "ritardo, dispiace, più tempo, scusi, scusa, aspettare ancora, qualche giorno in più",
            "preventivo, offerta, prezzo, costo, euro, comprare, vendere",
            "treno, stazione, aeroporto, atterr, volo, prendermi, binario",
            "buone notizie, bella notizia, superato, ho ottenuto, è nato, è nata, ci sposiamo, promozione al",
            "malat, ospedale, è morto, è morta, scomparso, triste notizia, influenza, febbre, funerale",
        ]),
    ]

    private static func lists(_ lines: [String]) -> [[String]] {
        lines.map { $0.split(separator: ", ").map(String.init) }
    }
}
