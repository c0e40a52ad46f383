r"""Text and numbers escaped for LaTeX.

Symbols that TeX's fonts lack are written as formulas. Letters of scripts other than Latin and Greek are kept; LuaLaTeX
and XeLaTeX print them with a font that has them.
"""

from __future__ import annotations

import re
import unicodedata

_DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def directions_shown(text: str) -> str:
    r"""Return a text in which such characters are written as `\u202e`."""
    return _DIRECTIONS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


# TeX rejects most control characters, and an empty line would end a caption.
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
# Pairs that TeX's fonts draw as one symbol (ligatures), and an asterisk that would belong to the `\\` before it.
_APART = re.compile(r"(?<=-)(?=-)|(?<=')(?=')|(?<=,)(?=,)|^(?=\*)")

_SIGNS = {
    "×": "times",
    "·": "cdot",
    "±": "pm",
    "≤": "leq",
    "≥": "geq",
    "≠": "neq",
    "≈": "approx",
    "∞": "infty",
    "→": "rightarrow",
    "ℓ": "ell",
    "\u00b5": "mu",
    # Letters whose plain LaTeX name is drawn differently, or whose Unicode name is spelled differently.
    "\u03b5": "varepsilon",
    "\u03c6": "varphi",
    "\u03bb": "lambda",
    "\u039b": "Lambda",
}
_SMALL = "alpha beta gamma delta zeta eta theta iota kappa mu nu xi pi rho sigma tau upsilon chi psi omega"
_CAPITAL = "Gamma Delta Theta Xi Pi Sigma Upsilon Phi Psi Omega"
SMALL_GREEK = frozenset((*_SMALL.split(), "epsilon", "phi", "lambda"))  # the names of all small Greek letters
for _kind, _names in (("SMALL", _SMALL), ("CAPITAL", _CAPITAL)):
    _SIGNS |= {unicodedata.lookup(f"GREEK {_kind} LETTER {_name}"): _name for _name in _names.split()}

_TEXT = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "`": r"\`{}",
    # `"` is an accent in some languages of babel. TeX's oldest fonts lack it and the next three characters.
    '"': r"{\char34}",
    "<": "$<$",
    ">": "$>$",
    "|": r"$\vert$",
    # After the end of a row, TeX reads a bracket as the argument of `\\`.
    "[": "{[}",
    "]": "{]}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "−": "$-$",
    "\u00a0": "~",
    "\u2013": "--",
    "\u2014": "---",
    "\u2018": "`",
    "\u2019": "'",
    "\u201c": "``",
    "\u201d": "''",
    "\u2026": r"\dots{}",
    "\u00b0": r"$^{\circ}$",
    **{character: f"$\\{name}$" for character, name in _SIGNS.items()},
    **{character: f"$^{{{digit}}}$" for digit, character in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    **{character: f"$_{{{digit}}}$" for digit, character in enumerate("₀₁₂₃₄₅₆₇₈₉")},
}


def one_line(text: str) -> str:
    """Return a text without line breaks and control characters."""
    return " ".join(CONTROLS.sub(" ", text).split())


def latex_escaped(text: str) -> str:
    """Return a text escaped for paragraphs, table cells and captions; line breaks become spaces."""
    text_parts = _APART.sub("\0", CONTROLS.sub(" ", directions_shown(text)).strip())
    return "".join("{}" if character == "\0" else _TEXT.get(character, character) for character in text_parts)


def latex_number(text: str) -> str:
    r"""Return a number for LaTeX's math mode: `-1.2e-07` becomes `-1.2\times10^{-7}`, `inf` becomes `\infty`."""
    mantissa, exponent, power = text.replace("inf", r"\infty").partition("e")
    return f"{mantissa}\\times10^{{{int(power)}}}" if exponent else mantissa
