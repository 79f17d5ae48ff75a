"""The pen's words: common English ones of our choice, 3 to 12 letters.

They come in families that share a stem and in long families that share an ending, so that a letter is often settled by
what stands three or more letters before it. No word is left out of any fold.
"""

from __future__ import annotations

_FAMILIES = """
act acting action active actor actually react reaction relation relations relate relating related
nation national nationally station stations ration rational motion emotion emotional promotion
create creating creation creative created direct directing direction directly director
connect connecting connection connected protect protecting protection protected
inform informing information formation form forming formal formally format transform
operate operating operation operations educate education educated located location locating
invite inviting invitation imitate imitation limit limiting limitation visit visiting visitor
observe observing observation reserve reserving reservation preserve preserving
present presenting presentation presently represent prevent preventing prevention
consider considering considerate continue continuing continued contain containing container
light lighting lightly slight slightly night nightly right rightly bright brightly tight tightly
sing singing single string strong strongly spring bring bringing king kingdom ring ringing
think thinking thing things drink drinking sink sinking link linking blink blinking
walk walking talk talking talked work working worker walked worked
play playing player played stay staying stayed pray spray
run running runner stun stunning sun sunny funny fun
win winning winner wind window winter wonder wondering wonderful
quick quickly quiet quietly quite quiz question questions quest request
happy happily happiness busy business busily easy easily beauty beautiful
friend friendly friends lend lending send sending spend spending mend mending
hope hoping hopeful hopefully hopeless care caring careful carefully careless
use using useful usefully useless power powerful powerless
water waterfall matter matters letter letters better butter bitter
house housing mouse horse nurse purse course courses source
zone zero lazy lazily crazy dozen frozen amaze amazing amazed
box fox fix fixing mix mixing next text context exact exactly example
view viewing review reviewing viewer jump jumping just justice justify adjust adjusting
joy enjoy enjoying enjoyment move moving movement improve improving improvement
agree agreeing agreement govern governing government
know knowing known knowledge unknown grow growing known growth
back backing pack packing black blackboard have having behave behaving heavy heavily
give giving given forgive forgiving live living lively believe believing
"""

LEXICON: tuple[str, ...] = tuple(sorted(set(_FAMILIES.split())))
