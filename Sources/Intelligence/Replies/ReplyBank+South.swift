extension ReplyBank {
    static let spanish: [Occasion] = [
        Occasion(
            examples: [
                "¿Podemos vernos el martes a las diez? ¿Qué hora le viene bien para una llamada?",
                "¿Y si pasamos la reunión al jueves por la tarde?",
            ],
            replies: [
                "Me viene bien a esa hora.", "Lo siento, a esa hora no puedo.",
                "¿Podríamos buscar otro momento?",
            ]),
        Occasion(
            examples: [
                "Te invito a mi fiesta de cumpleaños el sábado. ¿Vienes?",
                "¿Os apetece cenar con nosotros el viernes?",
            ],
            replies: [
                "Con mucho gusto, gracias.", "Gracias, pero esta vez no puedo ir.",
                "¡Qué buena idea! ¿Llevo algo?",
            ]),
        Occasion(
            examples: [
                "Por favor, envíeme el informe antes de mañana. ¿Puede mandarme el archivo?",
                "¿Puedes revisar el borrador adjunto y decirme qué te parece?",
            ],
            replies: [
                "Claro, ahora lo envío.", "Lo siento, ahora mismo no puedo.",
                "Claro. ¿Para cuándo hace falta?",
            ]),
        Occasion(
            examples: [
                "Tengo una pregunta: ¿sabes cómo funciona esto?",
                "¿Podría decirme dónde puedo encontrarlo?",
            ],
            replies: [
                "Sí, con mucho gusto. Ahora le digo.", "Lo siento, yo tampoco lo sé.",
                "¿De qué se trata exactamente?",
            ]),
        Occasion(
            examples: [
                "Muchas gracias por tu ayuda, ha sido muy amable.",
                "¡Mil gracias por una noche tan bonita!",
            ],
            replies: ["Ha sido un placer.", "No hay de qué.", "¿Qué tal salió al final?"]),
        Occasion(
            examples: [
                "Lo siento, voy con retraso. El trabajo tardará unos días más.",
                "Perdone la tardanza en contestar.",
            ],
            replies: [
                "No pasa nada, sin prisa.", "Lo siento, no puedo esperar mucho más.",
                "¿Cuándo cree que estará listo?",
            ]),
        Occasion(
            examples: [
                "Este es nuestro presupuesto. El precio sería de 400 euros. ¿Acepta la oferta?",
                "¿Te interesa comprarlo? Te hago un buen precio.",
            ],
            replies: [
                "Me parece bien, adelante.", "Gracias, pero tengo que rechazarlo.",
                "¿Se puede ajustar un poco el precio?",
            ]),
        Occasion(
            examples: [
                "Mi tren llega a las seis. ¿Puedes recogerme en la estación?",
                "Aterrizo el domingo por la noche, ¿nos vemos en el aeropuerto?",
            ],
            replies: [
                "Sí, allí estaré.", "Lo siento, no puedo ir a buscarte.", "¿En qué andén o terminal es?",
            ]),
        Occasion(
            examples: [
                "Buenas noticias: ¡me han dado el trabajo! Hemos aprobado el examen.",
                "Nuestra hija nació ayer.",
            ],
            replies: [
                "¡Enhorabuena, qué gran noticia!", "Me alegro muchísimo.",
                "¡Qué bien! ¿Cuándo lo celebramos?",
            ]),
        Occasion(
            examples: [
                "Estoy enfermo y tengo que guardar cama esta semana.",
                "Una triste noticia: mi abuelo ha muerto.",
            ],
            replies: ["Lo siento muchísimo.", "No se preocupe por nada de aquí.", "¿Puedo hacer algo?"]),
    ]

    static let italian: [Occasion] = [
        Occasion(
            examples: [
                "Possiamo vederci martedì alle dieci? Che orario va bene per una chiamata?",
                "E se spostassimo la riunione a giovedì pomeriggio?",
            ],
            replies: [
                "Per me l'orario va bene.", "Purtroppo a quell'ora non posso.",
                "Potremmo trovare un altro momento?",
            ]),
        Occasion(
            examples: [
                "Ti invito alla mia festa di compleanno sabato. Vieni?",
                "Vi va di cenare con noi venerdì?",
            ],
            replies: [
                "Molto volentieri, grazie.", "Grazie, ma questa volta non posso venire.",
                "Che bella idea! Porto qualcosa?",
            ]),
        Occasion(
            examples: [
                "Per favore mi mandi la relazione entro domani. Può inviarmi il file?",
                "Puoi rileggere la bozza allegata e dirmi che cosa ne pensi?",
            ],
            replies: [
                "Certo, la invio subito.", "Mi dispiace, in questo momento non riesco.",
                "Certo. Per quando serve?",
            ]),
        Occasion(
            examples: [
                "Ho una domanda: sai come funziona?", "Potrebbe dirmi dove posso trovarlo?",
            ],
            replies: [
                "Sì, volentieri. Le faccio sapere.", "Mi dispiace, non lo so nemmeno io.",
                "Di che cosa si tratta esattamente?",
            ]),
        Occasion(
            examples: [
                "Grazie mille per il tuo aiuto, sei stato molto gentile.",
                "Grazie di cuore per la bella serata!",
            ],
            replies: ["È stato un piacere.", "Non c'è di che.", "Com'è andata alla fine?"]),
        Occasion(
            examples: [
                "Mi dispiace, sono in ritardo. Ci vorrà qualche giorno in più.",
                "Mi scusi se rispondo solo ora.",
            ],
            replies: [
                "Nessun problema, senza fretta.", "Purtroppo non posso aspettare ancora a lungo.",
                "Quando pensa che sarà pronto?",
            ]),
        Occasion(
            examples: [
                "Ecco il nostro preventivo. Il prezzo sarebbe di 400 euro. Accetta l'offerta?",
                "Ti interessa comprarlo? Ti faccio un buon prezzo.",
            ],
            replies: [
                "Per me va bene, procediamo.", "Grazie, ma devo rifiutare.",
                "È possibile rivedere un po' il prezzo?",
            ]),
        Occasion(
            examples: [
                "Il mio treno arriva alle sei. Puoi venirmi a prendere in stazione?",
                "Atterro domenica sera, ci vediamo in aeroporto?",
            ],
            replies: [
                "Sì, ci sarò.", "Mi dispiace, non posso venire a prenderti.", "Quale binario o terminal?",
            ]),
        Occasion(
            examples: [
                "Buone notizie: ho avuto il posto! Abbiamo superato l'esame.",
                "Ieri è nata nostra figlia.",
            ],
            replies: [
                "Congratulazioni, che bella notizia!", "Sono davvero felice per voi.",
                "Splendido! Quando festeggiamo?",
            ]),
        Occasion(
            examples: [
                "Sono malato e questa settimana devo stare a letto.",
                "Una triste notizia: è morto mio nonno.",
            ],
            replies: ["Mi dispiace moltissimo.", "Non si preoccupi di nulla qui.", "Posso fare qualcosa?"]),
    ]
}
