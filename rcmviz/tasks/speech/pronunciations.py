"""Pronunciations of common English words: a small lexicon in the 39 phones of ARPAbet, without stress.

The words come in families that spell one sound in several ways and one letter for several sounds, with silent letters
and letters for two sounds: an alignment has to find these.
"""

VOWELS = ("AA", "AE", "AH", "AO", "AW", "AY", "EH", "ER", "EY", "IH", "IY", "OW", "OY", "UH", "UW")
CONSONANTS = (
    "B",
    "CH",
    "D",
    "DH",
    "F",
    "G",
    "HH",
    "JH",
    "K",
    "L",
    "M",
    "N",
    "NG",
    "P",
    "R",
    "S",
    "SH",
    "T",
    "TH",
    "V",
    "W",
    "Y",
    "Z",
    "ZH",
)
PHONES = tuple(sorted(VOWELS + CONSONANTS))

_SPOKEN = """
able EY B AH L / again AH G EH N / air EH R / animal AE N AH M AH L / answer AE N S ER / apple AE P AH L /
ask AE S K / back B AE K / ball B AO L / bath B AE TH / beach B IY CH / bear B EH R / beat B IY T / bell B EH L /
better B EH T ER / bird B ER D / black B L AE K / blue B L UW / boat B OW T / book B UH K / bread B R EH D /
bright B R AY T / bring B R IH NG / brother B R AH DH ER / cake K EY K / call K AO L / chair CH EH R /
cheese CH IY Z / church CH ER CH / city S IH T IY / clock K L AA K / cloud K L AW D / coat K OW T / cold K OW L D /
come K AH M / corner K AO R N ER / cow K AW / dark D AA R K / day D EY / deep D IY P / dinner D IH N ER /
door D AO R / dream D R IY M / each IY CH / ear IH R / easy IY Z IY / edge EH JH / enough IH N AH F / face F EY S /
father F AA DH ER / field F IY L D / fish F IH SH / five F AY V / flower F L AW ER / food F UW D / foot F UH T /
friend F R EH N D / game G EY M / garden G AA R D AH N / girl G ER L / give G IH V / good G UH D / green G R IY N /
group G R UW P / half HH AE F / hand HH AE N D / happy HH AE P IY / heart HH AA R T / high HH AY / home HH OW M /
house HH AW S / ice AY S / jump JH AH M P / keep K IY P / kitchen K IH CH AH N / knee N IY / knife N AY F /
know N OW / language L AE NG G W AH JH / laugh L AE F / leaf L IY F / letter L EH T ER / light L AY T /
little L IH T AH L / long L AO NG / make M EY K / measure M EH ZH ER / meat M IY T / middle M IH D AH L /
milk M IH L K / money M AH N IY / moon M UW N / mother M AH DH ER / mouth M AW TH / music M Y UW Z IH K /
name N EY M / night N AY T / noise N OY Z / north N AO R TH / nurse N ER S / ocean OW SH AH N / open OW P AH N /
orange AO R AH N JH / page P EY JH / paper P EY P ER / path P AE TH / peace P IY S / phone F OW N / photo F OW T OW /
picture P IH K CH ER / plane P L EY N / pleasure P L EH ZH ER / point P OY N T / queen K W IY N / quick K W IH K /
quiet K W AY AH T / rain R EY N / read R IY D / river R IH V ER / road R OW D / room R UW M / school S K UW L /
sea S IY / seven S EH V AH N / ship SH IH P / shoe SH UW / short SH AO R T / sing S IH NG / sister S IH S T ER /
sky S K AY / sleep S L IY P / small S M AO L / snow S N OW / spring S P R IH NG / station S T EY SH AH N /
stone S T OW N / story S T AO R IY / street S T R IY T / sugar SH UH G ER / summer S AH M ER / table T EY B AH L /
teacher T IY CH ER / thing TH IH NG / think TH IH NG K / three TH R IY / thumb TH AH M / tooth T UW TH /
tower T AW ER / tree T R IY / uncle AH NG K AH L / under AH N D ER / voice V OY S / walk W AO K / wall W AO L /
water W AO T ER / weather W EH DH ER / week W IY K / white W AY T / wind W IH N D / window W IH N D OW /
winter W IH N T ER / world W ER L D / write R AY T / yellow Y EH L OW / young Y AH NG / zero Z IH R OW
"""

LEXICON = {spoken.split()[0]: tuple(spoken.split()[1:]) for spoken in _SPOKEN.split("/")}
