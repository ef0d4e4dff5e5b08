"""The fifteen steps. Every number that they tell is checked by the tests."""

from __future__ import annotations

from typing import Final

from oware.course._step import Step

STEPS: Final = (
    Step(
        number=1,
        title="Sowing",
        lesson="""\
You are South and own the lower row, A to F. North owns the upper row, a to f. A move lifts *all*
seeds of one of your pits and drops one into each pit that follows, counter-clockwise: along your
row to the right, then along North's row to the left. Nothing goes into the stores on the way.
What counts most is where the **last** seed falls, so count before you play: A with four seeds
ends in E.""",
        task="Play the pit whose last seed falls into North's b.",
        position="4-4-4-4-4-4-4-4-4-4-4-4-0-0-S",
        line="D",
        done="E, F, a, b: four seeds, four pits.",
        answers={
            "A": "A sows B, C, D, E: the last seed stays in your own row, in E.",
            "B": "B sows C, D, E, F and ends in F, one pit short of North's row.",
            "C": "C sows D, E, F, a: it ends in a, one pit before b. You are close.",
            "E": "E sows F, a, b, c: it passes b and ends in c.",
            "F": "F sows a, b, c, d: it passes b and ends in d.",
        },
    ),
    Step(
        number=2,
        title="This is not Kalah",
        lesson="""\
If you know Kalah, unlearn three things. No seed is sown into a store. There is no second turn.
And ending in an empty pit of your own captures nothing. In Oware you capture in **North's** row
alone: when your last seed makes a pit of North's **two or three**, you take what is in it.""",
        task="Capture two seeds.",
        position="1-0-4-3-2-3-4-4-1-2-6-1-9-8-S",
        line="F",
        done="The last seed made c two, and both are yours.",
        answers={
            "A": "In Kalah, A would end in your empty B and take the six seeds of e across. Here "
            "it takes nothing.",
            "C": "C sows D, E, F and a. Nothing goes into your store, and a now holds five: "
            "nothing is taken.",
            "D": "In Kalah, D's third seed would reach your store and you would move again. Here "
            "it falls into a, which gets five, and it is North's turn.",
            "E": "E ends in a, as the store is no place to sow into. It holds five then: not two "
            "or three.",
        },
    ),
    Step(
        number=3,
        title="Capture",
        lesson="""\
A pit of North's with **one or two** seeds is ripe: one more makes it two or three. With none it
becomes one, with three it becomes four, and neither is taken. Only the last seed captures; pits
that you pass do not count by themselves.""",
        task="Find the pit that ends in a ripe one, and capture.",
        position="2-0-3-5-3-1-3-0-1-5-4-2-10-9-S",
        line="D",
        done="c held one; your last seed made it two.",
        answers={
            "A": "A ends in C, in your own row. Look for a last seed that falls into North's.",
            "C": "C ends in F. That makes two, but in your own row nothing is ever captured.",
            "E": "E ends in b, which was empty: one seed there is one too few to be taken.",
            "F": "F ends in a, which held three: four is one too many.",
        },
    ),
    Step(
        number=4,
        title="The chain",
        lesson="""\
After a capture look **backwards**, against the sowing: if the pit before also holds two or
three, it is taken too, and so on, until a pit does not, or North's row ends. Beginners often
forget the chain and see the landing pit alone.""",
        task="Take as much as you can in one move.",
        position="4-0-6-1-0-1-2-1-1-0-4-1-13-14-S",
        line="C",
        done="c with two, b with two and a with three: a chain of seven.",
        answers={
            "A": "A ends in E. It does not even reach North's row.",
            "D": "D ends in E. It does not reach North's row.",
            "F": "F takes the three of a, which looks like the most. But another move ends where "
            "only two lie and takes all before them as well: do not forget the chain.",
        },
    ),
    Step(
        number=5,
        title="Laps, and the pit that is skipped",
        lesson="""\
Twelve seeds or more go right round the board. The pit that they came from is **skipped** on the
way: it stays empty. So eleven seeds end just before it, and the twelfth falls into the pit just
behind it. Who forgets to skip is one pit off.""",
        task="Two pits go round the board. Play the one that captures in a.",
        position="1-2-0-1-14-12-0-2-3-1-2-2-4-4-S",
        line="F",
        done="Eleven seeds went round to E, F itself was skipped, and the twelfth made a two.",
        answers={
            "A": "A has a single seed, for B. Play a pit that goes round the board.",
            "B": "B ends in D. Play a pit that goes round the board.",
            "D": "D has a single seed, for E. Play a pit that goes round the board.",
            "E": "You have counted E itself. It is skipped, so its last seed falls into b, which "
            "then holds four, and nothing is taken.",
        },
    ),
    Step(
        number=6,
        title="The grand slam",
        lesson="""\
A move that would capture **all** the seeds that North has left is a grand slam. Here it may be
played, but it captures nothing: the seeds stay where they were sown. (Other rule sets treat it
in other ways: see `oware.RULE_SETS`.)""",
        task="Capture something.",
        position="0-1-0-3-0-2-1-2-0-0-0-0-20-19-S",
        line="D",
        done="D leaves North the two seeds of b, so it is no slam, and the two of a are yours.",
        answers={
            "B": "B ends in C and captures nothing.",
            "F": "F would take the three of b and the two of a, all that North has. That is a "
            "grand slam, so it takes nothing.",
        },
    ),
    Step(
        number=7,
        title="Feeding",
        lesson="""\
When North has no seed at all you must **feed**: only a move that brings a seed into North's row
is legal. If you have a choice, look what North does with the gift.""",
        task="North has nothing. Feed, and give away as little as you can.",
        position="0-3-1-2-3-1-0-0-0-0-0-0-19-19-S",
        line="F",
        done="North must play it on to b, where your E ends and takes it back.",
        answers={
            "E": "E feeds two seeds, to a and b. That is legal, but North can do more with two: it "
            "is worth four seeds less. One is enough.",
        },
        refusals={
            "B": "B ends in E and feeds nobody. As North has nothing, it is not legal now.",
            "C": "C ends in D and feeds nobody. As North has nothing, it is not legal now.",
            "D": "D ends in F, one pit short of North's row. As North has nothing, it is not legal "
            "now.",
        },
    ),
    Step(
        number=8,
        title="Forced feeding",
        lesson="""\
The duty to feed can be a trap for whoever has the seeds. If North runs dry and you **can** feed,
you must, and your seeds go over one by one. If you **cannot**, the game is over and all seeds on
your row are yours. So near the end keep your seeds back, on the left, where they do not reach.""",
        task="North is about to run dry. Two moves: keep all six seeds on your row.",
        position="2-0-0-1-1-0-0-0-0-0-2-0-21-21-S",
        line="AeA",
        done="f must now bring its last seed to A. Nothing of yours reaches North's row: the game "
        "is over, and you win by 27 to 21.",
        answers={
            "D": "D leaves two seeds in A: e sows f and A, makes it three and takes them.",
            "E": "E leaves two seeds in A, where e takes three. And a seed in F is one that you "
            "will have to feed with.",
            "AeB": "B is in no danger. The seed of f falls into A, where yours is: that makes two, "
            "and North takes them.",
            "AeC": "C does not help A: f falls in there, makes two and takes them.",
            "AeD": "f takes the two of A, and then you must feed: with two seeds, E can, so E "
            "must.",
            "AeE": "f takes the two of A, and then you must feed: F reaches North's row, so F "
            "must.",
        },
        remarks={"A": "No pit of yours can be taken now."},
    ),
    Step(
        number=9,
        title="How it ends",
        lesson="""\
The game is over as soon as a store holds more than half: **twenty-five** of the 48 seeds. Other
endings: 24 to 24; a player who cannot move, or cannot feed; a position that comes for the third
time. In the last two cases each takes the seeds of the own row. So count to twenty-five, all the
time.""",
        task="You have 22. Win at once.",
        position="1-0-2-6-0-1-1-0-0-2-4-0-22-9-S",
        line="D",
        done="22 and 3 are 25, more than half: the game is over.",
        answers={
            "A": "A ends in B and takes nothing, and e could then take five seeds.",
            "C": "C ends in E and takes nothing. You can win at once.",
            "F": "F takes two. That makes 24, exactly half and one too few.",
        },
    ),
    Step(
        number=10,
        title="Attack thin pits",
        lesson="""\
Pits with one or two seeds are **thin**: they can be taken. One threat is easy to meet, two at a
time hardly ever. A long sowing can make thin pits of North's empty ones, and aim at them in the
same move.""",
        task="Nothing can be taken now. Attack a and b at once, so that something falls whatever "
        "North plays.",
        position="0-0-5-3-8-1-0-0-1-5-0-1-11-13-S",
        line="E",
        done="Now C, D and F all threaten to capture, and North cannot meet them all.",
        answers={
            "C": "C aims D and F at a and b, but b alone is enough of an answer: it sows on, and "
            "nothing is left to take.",
            "D": "D makes a thin, but nothing is aimed at it: no move of yours could take it next.",
            "F": "F makes a thin and D is aimed at it. But that is one attack on two seeds; a "
            "longer sowing attacks a and b.",
        },
    ),
    Step(
        number=11,
        title="Three and more are safe",
        lesson="""\
Your own thin pits are North's targets. You can run with them, but often it is better to make
them **three or more**: one seed more makes four, and four are not taken.""",
        task="North's e threatens E. Make it safe where it is.",
        position="0-2-0-4-2-2-0-0-3-0-6-1-22-6-S",
        line="D",
        done="E and F hold three each: e would make E four and take nothing. And a and b are thin.",
        answers={
            "B": "B ends in D, and e takes three seeds in E.",
            "E": "E runs, and nothing is lost at once. But your seeds can stay: one more makes "
            "them safe.",
            "F": "F makes two pits of North's thin, but e comes first: it takes three seeds in E.",
        },
    ),
    Step(
        number=12,
        title="The big pit",
        lesson="""\
Hold a pit back until it goes right round: it drops **two** seeds into the pits that it passes
twice, and skips itself. A row of empty and thin pits becomes a chain of twos and threes. The
right number of seeds decides how far the chain reaches: from F, thirteen reach b, fourteen c,
fifteen d.""",
        task="You have 15, and F has 14. Prepare it, then take ten and the game. Two moves.",
        position="0-2-3-0-2-14-0-0-1-0-0-0-15-11-S",
        line="EcF",
        done="F was skipped, the last seed fell into d, and d, c, b and a are taken: ten, and 25.",
        answers={
            "B": "B adds nothing to F. Its 14 seeds would reach c and take six.",
            "C": "C makes F 15, but leaves a empty: F would then take nine. That is 24, one too "
            "few.",
            "F": "F takes seven now and has 22. One seed more in it, and it takes ten and wins.",
            "EcB": "F is ready, and B lets North move again. Do not wait any longer.",
            "EcC": "C makes F 16, but North moves first. F wins at once.",
        },
        remarks={"E": "F has 15 now, and a is no longer empty."},
    ),
    Step(
        number=13,
        title="A small capture, and the reply",
        lesson="""\
Before you take, look what the move leaves behind. Go through North's pits as if it were your
turn over there, chains included. Two seeds taken are no gain if eight are lost.""",
        task="F can take two seeds. Is that the best move? Look at the reply first.",
        position="0-1-2-2-0-3-3-0-1-4-1-4-13-14-S",
        line="C",
        done="D and F hold three, and only the two of B can be taken. Eight were in danger.",
        answers={
            "B": "B makes C three, but f still takes three seeds in D.",
            "D": "D makes a pit of four, which is good, but d takes two and your row gets thin. "
            "There is better.",
            "F": "F takes two, but then f ends in D, makes it three, and the chain takes C and B "
            "as well: eight seeds.",
        },
    ),
    Step(
        number=14,
        title="Playing ahead",
        lesson="""\
When you are ahead, make it simple: count how many seeds you need, look for moves that North has
to answer in one way, and finish. With few seeds on the board North's replies can be counted.""",
        task="You lead by 22 to 17 and need three seeds. North has only one pit. Two moves.",
        position="1-1-0-1-4-0-0-2-0-0-0-0-22-17-S",
        line="DbE",
        done="E's five seeds end in d, and c falls with it: 26, and the game is over.",
        answers={
            "A": "North must play b, to c and d. With four seeds E then reaches c only and takes "
            "two: 24, one too few.",
            "B": "North must play b. E then reaches c but not d, and two seeds make 24. Where "
            "could one more come from?",
            "E": "E now makes b three on its way, but ends in c with a single seed: nothing is "
            "taken.",
            "DbA": "North's seeds stand ready now. A gives them time to move on.",
            "DbB": "B waits, and c or d moves on. Take them now.",
        },
        remarks={"D": "E has five seeds now, and North has only one move."},
    ),
    Step(
        number=15,
        title="Playing behind",
        lesson="""\
When you are behind, keep your seeds: what lies on your row in the end is yours. Make North run
dry, give nothing to capture, and have nothing that reaches over.""",
        task="You are behind by 15 to 23, and two more lost seeds lose the game. Two moves win it.",
        position="1-2-1-1-1-0-0-0-0-0-4-0-15-23-S",
        line="CeA",
        done="f must now bring North's last seed to A, and you cannot feed: the ten seeds of your "
        "row are yours. You win by 25 to 23.",
        answers={
            "A": "A leaves C thin: e ends there, makes it two and takes them. That is 25.",
            "B": "B makes C two: e ends there, makes it three and takes them. That is 26.",
            "D": "D leaves C thin: e ends there, and the chain takes C, B and A: seven seeds.",
            "E": "E does nothing about e, which ends in C and takes seven seeds of C, B and A.",
            "CeB": "B leaves A with two: f makes it three and takes them. That is 26.",
            "CeC": "C moves, but A is in danger: f makes it three, and North has 26.",
            "CeD": "D comes nearer to North's row, and f takes three seeds in A. That is 26.",
            "CeE": "E would have to feed later, but it is over before: f takes three in A.",
        },
        remarks={"C": "C is empty now, so that e captures nothing there."},
    ),
)
