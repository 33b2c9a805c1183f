extension DemoLanguage {
    static let english = DemoLanguage(
        contacts: [
            DemoContact("Hannah Okafor", "hannah@okafor.example"),
            DemoContact("Tom Bellamy", "tom.bellamy@quietmail.example"),
            DemoContact("Aoife Brennan", "aoife@brennan.example"),
            DemoContact("Sam Whitlock", "sam@whitlock-joinery.example"),
            DemoContact("Priya Raman", "priya.raman@inkandpaper.example"),
        ],
        greetings: ["Hi %,", "Hello %,", "Dear %,", "Hey %,"],
        closings: ["Love,", "Best,", "See you soon,", "Take care,", "All the best,"],
        attribution: "% wrote:",
        """
        # The weekend at the lake
        I looked at the forecast and Saturday is going to be glorious. 🌞 Shall we take the early train and
          swim before everybody else wakes up? | I can bring the small tent in case we decide to stay.
        Yes to the early train, yes to swimming, and a cautious maybe to the tent. My back remembers last
          year. | I'll bring breakfast: rye bread, the good butter and far too many tomatoes.
        Nobody has ever brought too many tomatoes. There is a train at 6:42 and one at 7:12. I vote for
          the later one, we are not monsters.
        7:12 it is. I'll be on the platform with a thermos. If I'm not, call me until I am. 😅
        # Grandma's recipe box
        I finally scanned the cards from the recipe box. Some are so stained that you can guess the dish
          from the color alone. | The one for plum cake is missing. Do you have it, by any chance?
        I do! It was in my copy of the sailing book, as a bookmark, which tells you how often I sail and
          how often I bake. | I'll photograph both sides, there is a note on the back that I cannot read.
        The note says “less sugar than Edith says”. I can hear her saying it.
        # Keys
        I think I left my keys on your piano. A green ribbon, three keys and one that opens nothing.
        Found them. They were inside the piano, which I only noticed when I played an F. | Come by
          whenever you like, I'm home until six.
        # Moving the bookshelf
        The new shelf arrives on Thursday and the old one has to be gone by then. Could you lend me your
          back and your van for an hour on Wednesday evening? | There would be soup.
        For soup I'd move the whole house. Half past six? The van has a parking permit now, so no drama
          this time.
        Half past six is perfect. Measure of the beast: 2.10 m by 1.60 m. It comes apart in theory.
        In theory so does everything. I'll bring the good screwdriver and a spare.
        It came apart! Thank you again. I found four postcards behind it, one of them for you, from 2009.
        # Your photographs
        They turned out beautifully, especially the one with the ferry and the gulls. Would you mind if I
          printed it for the hallway? | I'm attaching two of mine in return.
        Please do, I'd be honored. Yours are lovely too; the one of the harbor looks like a painting.
        # Book club: the next one
        It's my turn to choose and I keep changing my mind. Candidates: the one about the lighthouse, the
          one about the translator, and the one that everybody pretends to have read.
        The translator! I've been meaning to read it since the summer. Also it's short, which matters to
          some of us.
        Translator for me as well. Can we move it to the 20th? I'm traveling the week before.
        The 20th works. My place, seven o'clock. I'll make the lentil thing unless anybody objects.
        Nobody has ever objected to the lentil thing.
        I've finished it, and I have opinions. I shall keep them to myself until the 20th. It's costing
          me.
        Same. Page 112. That's all I'm going to say.
        PAGE 112! 😱
        I've only got to page 60 and now I'm scared.
        Small warning: my oven has died, so the lentil thing will be the cold lentil thing.
        Cold lentils, warm hearts. I'll bring a cake that somebody else has baked.
        Thank you all for last night, it was the best one yet. I've written down Sam's theory, because
          nobody would believe me otherwise.
        # A question about the hedge
        The people next door asked whether we would mind if the hedge came down a meter. I said I'd ask
          you, since you planted it. | I don't mind, but I'd miss the blackbirds.
        Tell them yes, but after August. The blackbirds have a lease until then.
        # Happy birthday!
        Many happy returns! 🎂 I hope the day is as kind to you as you are to everybody else. | The parcel
          is late, as is tradition. It contains a thing that you will need on rainy days.
        Thank you! I had pancakes in bed, two phone calls and one very determined card from my godson.
          I'll guard the doormat until the parcel comes.
        # Leaving on Monday
        I've got the visa, the ticket and a suitcase that doesn't close. If you want to come and sit on
          it, I'm here all Sunday. | I'll be writing to you from there. Long letters, you have been warned.
        I'll be there at three with cake and my full weight. Promise the letters.
        Promised. The first one will be about the airport food.
        # That song
        What was the name of the song they played at the end, the one with the cello? It has been in my
          head for four days and only the last two bars of it.
        I asked Tom, who asked the band: it doesn't have a name yet, they call it “the slow one”.
        """)
}
