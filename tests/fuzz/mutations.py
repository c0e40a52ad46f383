"""Changes of inputs that a fuzzer of bytes rarely makes: tokens exchanged and repeated, and many repetitions."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

_TOKEN = re.compile(rb"\s+|\w+|[^\w\s]")
# Numbers, names and signs that have a meaning somewhere.
SPECIAL: tuple[bytes, ...] = (
    b"",
    b"9" * 5000,
    *b"0 -0 1e308 -1e308 1e-308 1e400 -1 0.1 .5 5. 1e nan inf -inf NaN Infinity 0x1 1_000".split(b" "),
    *"٣ ² ½ ß ﬁ é \ufeff \u2028 \x85 \x1c \x0b \x1b[31m \x9b \x07 \u0131 \u0130 \u202e".encode().split(b" "),
    *b"( ) [ ] { } < > \" ' ` , ; : = == != <= | & ! ^ ** // + - * / % @ # \\ ~ ? $ . ..".split(b" "),
    *b"null true false root x y cache log10( sqrt( ln( log( xs:y \xff \x00 \xc3\x28 \xed\xa0\x80".split(b" "),
    *b"<!-- --> <![CDATA[ ]]> &amp; &#0; &#1; &x; <!DOCTYPE <?x?> /> \n \r \r\n \t \n\n ''' ```".split(b" "),
    b" ",
)
# Text that is repeated to find code whose time is not linear.
UNITS: tuple[bytes, ...] = (
    *b"0 9 a _ - , ; . ( ) [ ] { } < ` \" ' + * / ^ # = | ! & \\ : ~ 1, 1; a, a; a= 0. -1 -- +- (( a( [a".split(b" "),
    *b"[[ {a a* a+ 1* 1+ a. .a log( sqrt( <a> <a/> &amp; 1@ a: a:1, %;% `` 1e 1e1 .. !a| a& {a? a->".split(b" "),
    *b'a- =[a \t \n \r \x0b a\n 1\n a,b\n 1;2\n [a]\n {"a": "a":1, cache, x;1, \\" \r\n \xc3\xa9'.split(b" "),
    *(b" ", b"a ", b" a", b"1 ", b" +", b"+ ", b"x * ", b"x + ", b"(x + y) * ", b"# ", b"a = 1\n", b" \n"),
)


def mutated(data: bytes, seeds: Sequence[bytes], rng: random.Random) -> bytes:
    """Return an input with one to four tokens replaced, deleted, inserted, repeated, or taken from another seed."""
    tokens = _TOKEN.findall(data) or [b""]
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(tokens))
        length = rng.choice((1, 1, 2, 5, 20))
        match rng.randrange(6):
            case 0:
                tokens[at] = rng.choice(SPECIAL)
            case 1:
                del tokens[at : at + length]
            case 2:
                tokens.insert(at, rng.choice(SPECIAL))
            case 3:
                tokens[at:at] = tokens[at : at + length] * rng.choice((1, 2, 30))
            case 4:
                other = _TOKEN.findall(rng.choice(seeds)) or [b""]
                start = rng.randrange(len(other))
                tokens[at : at + length] = other[start : start + length]
            case _:
                other_at = rng.randrange(len(tokens))
                tokens[at], tokens[other_at] = tokens[other_at], tokens[at]
        tokens = tokens or [b""]
    return b"".join(tokens)


def repeated(data: bytes, unit: bytes, place: int, size: int) -> bytes:
    """Return an input with a text that is repeated at the beginning of one of its tokens until it has this size."""
    tokens = _TOKEN.findall(data)
    return b"".join([*tokens[:place], unit * (size // len(unit)), *tokens[place:]])


def places(data: bytes) -> int:
    """Return the number of places for `repeated`."""
    return len(_TOKEN.findall(data)) + 1
