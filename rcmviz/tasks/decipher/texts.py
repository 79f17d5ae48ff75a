"""Ten short texts written for this project, to be enciphered: about 300 letters each, on ten different matters.

>>> len(TEXTS), min(sum(map(str.isalpha, text)) for text in TEXTS.values()) >= 280
(10, True)
"""

TEXTS = {
    "bakery": (
        "The baker lights his oven at three in the morning, when the street is empty and the only sound is the wind in "
        "the old chimney. By six the first loaves are cool enough to sell, and a line of sleepy people has formed "
        "outside the door. Nobody talks much before the coffee is ready. He knows what each of them wants, and he "
        "wraps the bread without asking. His name is on no sign."
    ),
    "lighthouse": (
        "My grandfather kept a lighthouse on a small island far from the harbour. Every evening he climbed two hundred "
        "steps to light the lamp, and every morning he climbed down again to feed the chickens. When a storm came he "
        "stayed awake all night and counted the ships that passed. He used to say that the sea forgives nobody who is "
        "in a hurry. I believe him now."
    ),
    "garden": (
        "If you want to grow good tomatoes, plant them where the sun shines for at least half of the day. Give them "
        "plenty of water in the evening, but keep the leaves dry. Remove the small shoots that appear between the main "
        "stem and the branches. With some luck and a little patience you will have more fruit than you can eat before "
        "the end of the summer. Share it with friends."
    ),
    "train": (
        "We missed the last train because my brother could not find his left shoe. The station was closed, so we "
        "walked along the river until we came to a little hotel. The owner gave us soup and a room under the roof. In "
        "the night it began to snow, and when we looked out of the window the next morning the whole valley had turned "
        "white and quiet. We stayed another day."
    ),
    "chess": (
        "A good chess player does not think about many moves, but about the right ones. First she asks what her "
        "opponent wants to do next. Then she looks for the weakest point in his position and brings one more piece "
        "against it than he can defend. Most games are lost by people who have a fine plan of their own and forget "
        "that the other side has one too. Time does the rest."
    ),
    "telescope": (
        "On clear nights the children carried the telescope to the hill behind the school. Their teacher showed them "
        "the mountains of the moon and the rings around the most beautiful of the planets. One of the girls asked how "
        "long it would take to walk there. He thought for a while and answered that she would need very good shoes and "
        "several thousand years. They laughed."
    ),
    "letter": (
        "Dear friend, thank you for the book you sent me last month. I have read it twice and given it to my "
        "neighbour, who laughed so loudly that I heard him through the wall. Next week I will travel to the north to "
        "visit my sister and her new baby. Please write to me there, and tell me whether the old apple tree in your "
        "yard has survived the winter. I often think of it."
    ),
    "market": (
        "Every Saturday there is a market in front of the church. Farmers bring cheese, eggs and vegetables, and an "
        "old woman sells flowers from the back of a bicycle. My mother never pays the first price that she is told. "
        "She shakes her head, walks away slowly and waits until somebody calls her back. In all these years I have not "
        "once seen her go home without a bargain. I envy her."
    ),
    "clock": (
        "The clock in the town hall stopped one afternoon at ten minutes past four. At first people were late for "
        "everything and blamed each other. After some weeks they grew used to it, and strangers wondered why everyone "
        "seemed so happy. When at last a man came to repair the clock, the mayor offered him lunch, showed him the way "
        "to the station and wished him a safe journey."
    ),
    "dog": (
        "Our dog is afraid of thunder, of men with umbrellas and of the cat next door. When somebody rings the bell he "
        "runs under the table and waits there until the danger has passed. Yet on the day when the kitchen caught fire "
        "it was he who woke us all. He barked and pulled at the blankets until the whole family stood in the garden "
        "and looked at the smoke. He got a big bone."
    ),
}
