extension LabeledTexts {
    static let spanish: [(String, [(String, String)])] = [
        (
            "primary",
            [
                (
                    "El sábado",
                    "Hola Ada, el sábado vamos de excursión con {name}. ¿Te vienes? Dicen que hará buen tiempo."
                ),
                (
                    "Sus documentos",
                    "Estimada señora, lo he revisado todo. Falta una página, ¿podría enviármela antes del miércoles?"
                ),
                (
                    "Las llaves",
                    "He dejado las llaves en casa de la vecina. La caldera vuelve a hacer ruido, ¿llamas al fontanero? Un beso, mamá"
                ),
                (
                    "Notas de ayer",
                    "Te mando mis notas. {name} quería añadir un párrafo sobre el presupuesto antes de enviarlas a los demás."
                ),
            ]
        ),
        (
            "social",
            [
                (
                    "{name} te ha mencionado en un comentario",
                    "{name} escribió: ¿tú qué dices, Ada? Mira el comentario y {n} respuestas más."
                ),
                (
                    "Tienes {n} seguidores nuevos",
                    "Hay personas que siguen tu perfil desde hoy. Descubre quiénes son."
                ),
                (
                    "{name} quiere añadirte a sus contactos",
                    "Tienes una invitación pendiente. Mira su perfil y acéptala."
                ),
                (
                    "Tus recuerdos de hace cinco años",
                    "Ese día compartiste {n} fotos con {name}. Compártelas con tus amigos."
                ),
            ]
        ),
        (
            "promotions",
            [
                (
                    "{n} % menos en todo, solo este fin de semana",
                    "Date un capricho: nuestro mayor evento del año termina el domingo. Usa {code} al pagar."
                ),
                (
                    "Ya está aquí la moda de invierno",
                    "Botas cálidas, jerséis suaves y abrigos que duran. Descúbrelos desde {price}."
                ),
                (
                    "Te echamos de menos, Ada",
                    "Vuelve a visitarnos: te espera un vale de {price} en tu cesta."
                ),
                (
                    "Tu escapada desde {price}",
                    "Hoteles junto al mar a precio de socio. Reserva antes del viernes y la segunda noche a mitad de precio."
                ),
            ]
        ),
        (
            "updates",
            [
                (
                    "Tu paquete está en camino",
                    "El pedido {code} ha salido de nuestro almacén. Llegará entre las 10 y las 14."
                ),
                (
                    "Extracto de octubre",
                    "Ya tiene un nuevo extracto en su banca en línea. Importe pendiente: {price}."
                ),
                (
                    "Acceso desde un dispositivo nuevo",
                    "Alguien ha entrado en su cuenta con Firefox. Si ha sido usted no haga nada; si no, cambie la contraseña."
                ),
                (
                    "Su reserva {code}",
                    "Gracias por reservar. Entrada a partir de las 15, desayuno hasta las 10. Puede anular gratis hasta el lunes."
                ),
            ]
        ),
        (
            "forums",
            [
                (
                    "[talk] Re: ¿Qué programa de copias usáis?",
                    "En mi equipo el otro va el doble de rápido. ¿Alguien aquí lo ha probado con cifrado? > Yo seguiría con lo que funciona"
                ),
                (
                    "Re: [socios] Orden del día de la asamblea",
                    "De acuerdo con votar al final. Como {name} escribió a la lista, antes necesitamos quórum."
                ),
                (
                    "[talk] Se cierra con archivos grandes",
                    "Hola, lista: desde la versión {n} se cierra con archivos de más de 2 GB. Abajo están los pasos. ¿Alguna solución?"
                ),
                (
                    "Mensajes nuevos: huertos de balcón",
                    "{name} ha respondido al tema que sigues: los tomates quieren más sol. Lee los {n} mensajes nuevos."
                ),
            ]
        ),
    ]

    static let italian: [(String, [(String, String)])] = [
        (
            "primary",
            [
                (
                    "Sabato",
                    "Ciao Ada, sabato andiamo in montagna con {name}. Vieni anche tu? Dovrebbe fare bel tempo."
                ),
                (
                    "I Suoi documenti",
                    "Gentile signora, ho riletto tutto. Manca ancora una pagina, potrebbe mandarmela entro mercoledì?"
                ),
                (
                    "Le chiavi",
                    "Ho lasciato le chiavi alla vicina. La caldaia fa di nuovo rumore, chiami tu l'idraulico? Un bacio, mamma"
                ),
                (
                    "Appunti di ieri",
                    "Ecco i miei appunti. {name} voleva aggiungere un paragrafo sul bilancio prima di mandarli agli altri."
                ),
            ]
        ),
        (
            "social",
            [
                (
                    "{name} ti ha menzionato in un commento",
                    "{name} ha scritto: tu che ne dici, Ada? Guarda il commento e altre {n} risposte."
                ),
                ("Hai {n} nuovi follower", "Alcune persone ora seguono il tuo profilo. Scopri chi sono."),
                ("{name} vuole collegarsi con te", "Un invito ti aspetta. Guarda il profilo e accettalo."),
                (
                    "I tuoi ricordi di cinque anni fa",
                    "Quel giorno hai condiviso {n} foto con {name}. Condividile con gli amici."
                ),
            ]
        ),
        (
            "promotions",
            [
                (
                    "{n} % in meno su tutto, solo questo fine settimana",
                    "Concediti qualcosa: il nostro evento più grande finisce domenica. Usa {code} alla cassa."
                ),
                (
                    "È arrivata la moda invernale",
                    "Stivali caldi, maglioni morbidi e cappotti che durano. Da scoprire a partire da {price}."
                ),
                ("Ci manchi, Ada", "Torna a trovarci: un buono da {price} ti aspetta nel carrello."),
                (
                    "La tua fuga al mare da {price}",
                    "Hotel sul mare al prezzo dei soci. Prenota entro venerdì e la seconda notte costa la metà."
                ),
            ]
        ),
        (
            "updates",
            [
                (
                    "Il tuo pacco è in viaggio",
                    "L'ordine {code} ha lasciato il nostro magazzino. Arriverà tra le 10 e le 14."
                ),
                (
                    "Estratto conto di ottobre",
                    "Nella Sua area riservata c'è un nuovo estratto conto. Importo dovuto: {price}."
                ),
                (
                    "Accesso da un nuovo dispositivo",
                    "Qualcuno è entrato nel tuo account con Firefox. Se eri tu non devi fare nulla; altrimenti cambia la password."
                ),
                (
                    "La Sua prenotazione {code}",
                    "Grazie per aver prenotato. Arrivo dalle 15, colazione fino alle 10. Può annullare gratis fino a lunedì."
                ),
            ]
        ),
        (
            "forums",
            [
                (
                    "[talk] Re: Quale programma per le copie?",
                    "Da me l'altro è due volte più veloce. Qualcuno qui l'ha provato con la cifratura? > Io resterei con quello che funziona"
                ),
                (
                    "Re: [soci] Ordine del giorno dell'assemblea",
                    "D'accordo a votare alla fine. Come {name} ha scritto alla lista, prima serve il numero legale."
                ),
                (
                    "[talk] Si chiude con i file grandi",
                    "Ciao lista, dalla versione {n} si chiude con i file oltre 2 GB. I passi sono sotto. Qualcuno ha una soluzione?"
                ),
                (
                    "Nuovi messaggi: orti sul balcone",
                    "{name} ha risposto alla discussione che segui: i pomodori vogliono più sole. Leggi i {n} nuovi messaggi."
                ),
            ]
        ),
    ]
}
