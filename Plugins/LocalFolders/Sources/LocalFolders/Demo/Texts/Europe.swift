extension DemoLanguage {
    static let german = DemoLanguage(
        contacts: [
            DemoContact("Jürgen Großmann", "juergen@grossmann.example"),
            DemoContact("Käthe Müller-Lüdenscheidt", "kaethe@gartenpost.example"),
            DemoContact("Sönke Petersen", "soenke@deichbrief.example"),
        ],
        greetings: ["Liebe %,", "Hallo %,", "Moin %,"], closings: ["Liebe Grüße", "Bis bald", "Herzlich"],
        attribution: "% schrieb:", replyPrefix: "AW: ",
        """
        # Äpfel aus dem Garten
        dieses Jahr biegen sich die Bäume. Wir haben schon vier Kisten verschenkt und es hängen noch
          mindestens sechs oben. Magst du am Wochenende pflücken kommen? | Leiter und Körbe sind da,
          Rückenschmerzen bringt jeder selbst mit.
        sehr gern! Ich bringe die Kinder mit, die klettern besser als wir beide. Brauchst du Gläser? Mein
          Keller ist voll davon.
        Gläser sind Gold wert. Samstag ab zehn, Kaffee gibt es auch ☕
        # Zugverbindung nach Flensburg
        der direkte Zug fällt wegen Bauarbeiten aus. Es bleibt der mit Umstieg in Neumünster, Abfahrt 9:38
          Uhr, elf Minuten zum Umsteigen. Reicht das mit den Fahrrädern?
        Elf Minuten reichen, wenn der erste pünktlich ist. Also reicht es nicht. Ich schlage den um 8:38
          Uhr vor.
        Du hast recht, wie immer bei Fahrplänen. 8:38 Uhr, Wagen mit dem Fahrradzeichen.
        # Schlüssel für die Laube
        der Schlüssel hängt jetzt beim Nachbarn, Parzelle 14. Er ist ab sieben wach und ab acht
          gesprächig.
        Danke! Dann gehe ich um halb acht.
        # Chorprobe am Dienstag
        die Probe ist diese Woche im Gemeindehaus, der Saal wird gestrichen. Bitte die grünen Noten
          mitbringen, wir fangen mit dem Schütz an.
        Ich komme etwas später, singe dafür lauter.
        """)

    static let french = DemoLanguage(
        contacts: [
            DemoContact("Amélie Lefèvre", "amelie@lefevre.example"),
            DemoContact("François Bénard", "francois.benard@courrierbleu.example"),
        ],
        greetings: ["Chère %,", "Bonjour %,", "Coucou %,"],
        closings: ["Je t'embrasse,", "À bientôt,", "Amitiés,"],
        attribution: "% a écrit :",
        """
        # Le marché de dimanche
        j'ai trouvé les premières figues ! Le marchand prétend qu'elles viennent de son jardin, et pour
          une fois je le crois. | Tu passes à la maison ? Il en reste un plein panier.
        Des figues ? J'arrive. Je prends du fromage de chèvre en route et une bouteille de quelque chose.
        Parfait. La porte sera ouverte, le chat ne mord que les inconnus.
        # Ton séjour à Nantes
        as-tu réservé l'hôtel ? Sinon la chambre du fond est libre, avec vue sur l'Erdre et le réveil
          matin des mouettes.
        Je n'avais rien réservé, j'espérais secrètement cette phrase. J'arrive vendredi à 18 h 20.
        Je serai sur le quai. Prévois un pull, les soirées sont déjà fraîches.
        # La recette du gâteau
        voici ce dont je me souviens : trois œufs, du beurre, des amandes, et « un peu » de farine. Maman
          n'a jamais précisé ce que veut dire un peu.
        Un peu, c'est quatre cuillères. Je l'ai espionnée toute mon enfance. 😄
        """)

    static let spanish = DemoLanguage(
        contacts: [
            DemoContact("Lucía Fernández Ibáñez", "lucia@fernandez.example"),
            DemoContact("Íñigo Peña", "inigo@vallealto.example"),
        ],
        greetings: ["Querida %:", "Hola, %:", "¡Hola %!"],
        closings: ["Un abrazo,", "Besos,", "Hasta pronto,"],
        attribution: "% escribió:",
        """
        # ¿Vienes a la fiesta del barrio?
        este año toca paella para cien y una orquesta que promete no repetir canciones. ¿Te apuntas?
          Empieza el sábado a las nueve, o sea, a las diez y media.
        ¡Claro que sí! Llevo una tarta de almendra y zapatos cómodos. 💃
        # Fotos de la montaña
        te mando las de la subida del domingo. En la última se ve el refugio y, si te fijas bien, mi
          sombrero volando.
        ¡Qué preciosidad! El sombrero tiene mejor vista que nosotros. ¿Repetimos en otoño?
        Repetimos. Pero la próxima vez, con cuerda para el sombrero.
        # La llave del trastero
        no encuentro la llave del trastero y mañana viene el electricista. ¿La tienes tú?
        La tengo yo, perdona. Paso esta tarde sobre las siete y te la dejo en el buzón.
        """)

    static let polish = DemoLanguage(
        contacts: [
            DemoContact("Małgorzata Dąbrowska", "gosia@dabrowska.example"),
            DemoContact("Łukasz Śliwiński", "lukasz@sliwinski.example"),
        ],
        greetings: ["Cześć %,", "Droga %,"],
        closings: ["Ściskam,", "Pozdrawiam serdecznie,", "Do zobaczenia,"],
        attribution: "% pisze:", replyPrefix: "Odp: ",
        """
        # Grzyby w sobotę
        po deszczu w lesie aż się roi. Jedziemy w sobotę o szóstej rano? Wiem, że to nieludzka godzina,
          ale prawdziwki nie czekają.
        O szóstej to ja jeszcze śnię o prawdziwkach. Niech będzie, ale kawa z termosu obowiązkowa.
        Kawa będzie, drożdżówki też. Weź kalosze i koszyk, żadnych reklamówek! 🍄
        # Pierogi według babci
        znalazłam zeszyt babci. Ciasto: mąka, gorąca woda i „żeby było dobre”. Nic więcej.
        To najdokładniejszy przepis, jaki widziałem. Próbujemy w niedzielę?
        # Bilety do teatru
        udało mi się kupić dwa ostatnie bilety na czwartek. Siedzimy w ostatnim rzędzie, ale za to
          pośrodku.
        Świetnie! Spotkajmy się o 18:30 przy szatni.
        """)

    static let greek = DemoLanguage(
        contacts: [DemoContact("Ελένη Παπαδοπούλου", "eleni@papadopoulou.example")],
        greetings: ["Αγαπητή %,", "Γεια σου %,"], closings: ["Φιλιά,", "Τα λέμε σύντομα,"],
        attribution: "% έγραψε:",
        """
        # Το σπίτι στο νησί
        η θεία άνοιξε το σπίτι για το καλοκαίρι. Έχει ένα δωμάτιο ελεύθερο από τις δέκα του μήνα. Θα
          έρθεις;
        Θα έρθω και θα φέρω βιβλία που δεν θα διαβάσουμε. Τι ώρα φεύγει το πλοίο;
        Στις επτά και μισή το πρωί από τον Πειραιά. Να είσαι εκεί στις επτά, ξέρεις τι γίνεται κάθε φορά.
          ⛴️
        # Η συνταγή για το γιαούρτι
        ζέστανε το γάλα, άφησέ το να χλιαρύνει, βάλε μια κουταλιά από το παλιό και τύλιξέ το σε μια
          κουβέρτα.
        Το τύλιξα και το ξέχασα για δύο μέρες. Έγινε τυρί. Καλό τυρί όμως!
        """)
}
