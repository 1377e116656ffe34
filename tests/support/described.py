"""Whether the words that stand for a figure (docs/figures.yaml) are about what is drawn, and its texts legible."""

import itertools
import re
from pathlib import Path

import matplotlib.pyplot as plt
import yaml
from matplotlib.text import Text

from experiments.drawing.plotting import TEXT, WIDTH

ALT_TEXTS = Path(__file__).parents[2] / "docs/figures.yaml"
NUMBERS = {
    2: "two",
    3: "three",
    4: "four",
    5: "five",
    6: "six",
    7: "seven",
    8: "eight",
    9: "nine",
    10: "ten",
    15: "fifteen",
}
_NOUNS = "(?:panels|graphs|pictures|projections)"
_SAID = re.compile(rf"\b({'|'.join(NUMBERS.values())}) (?:small )?{_NOUNS}\b", re.IGNORECASE)
_FORMULA = re.compile(r"\$.*?\$")


def alt_text(slug, name):
    return " ".join(yaml.safe_load(ALT_TEXTS.read_text())[slug][name].split())


def panels(figure):
    """The axes in which something is drawn."""
    return [axes for axes in figure.get_axes() if axes.has_data() or axes.patches or axes.texts]


def series(figure):
    """The entries of all legends."""
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.get_axes())]
    texts = [entry.get_text() for legend in legends if legend for entry in legend.get_texts()]
    return list(dict.fromkeys(texts))


def complaints(figure, text, known=(), partial=False):
    """What the words say wrongly of a figure.

    Their first number of panels must be the figure's (no less, if a small study draws only some), and every word of
    three letters in a legend must stand in them. Names in ``known``, such as those of experiments, need not.
    """
    found, drawn = [], len(panels(figure))
    said = _SAID.search(text)
    count = next(n for n, word in NUMBERS.items() if word == said[1].lower()) if said else 1
    if drawn > count or (drawn < count and not partial):
        found.append(f"{drawn} panels are drawn; the words say {count}")
    for entry in series(figure):
        words = re.findall(r"[^\W\d_]{3,}", "" if entry in known else _FORMULA.sub(" ", entry))
        missing = [word for word in words if word.lower() not in text.lower()]
        if missing:
            found.append(f"the legend has {entry!r}; the words lack {', '.join(missing)}")
    return found


def collisions(figure):
    """Pairs of texts of a figure that overlap by more than a pixel, tick labels of one axis among them.

    Turned texts, whose boxes overlap where the texts do not, are left out.
    """
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    shown = [t for t in texts(figure) if t.get_visible() and t.get_text().strip() and not t.get_rotation() % 90]
    boxes = [(text.get_text(), text.get_window_extent(renderer).padded(-1)) for text in shown]
    apart = ((a, b) for (a, one), (b, other) in itertools.combinations(boxes, 2) if one.overlaps(other))
    return sorted(set(apart))


def texts(figure):
    """What is written in a figure: titles, labels, ticks within the limits, legends, and words within panels."""
    found = [*figure.texts, *(text for legend in figure.legends for text in legend.findobj(Text))]
    for axes in figure.get_axes():
        found += [axes.title, *axes.texts]
        if legend := axes.get_legend():
            found += legend.findobj(Text)
        for axis, side in ((axes.xaxis, 0), (axes.yaxis, 1)) if axes.axison else ():
            low, high = sorted(axis.get_view_interval())
            ticks = [label for label in axis.get_ticklabels() if low <= label.get_position()[side] <= high]
            found += [axis.label, axis.offsetText, *ticks]
    return found


def illegible(figure):
    """Texts that are smaller than the look allows, and the width of a figure that is wider than a page."""
    figure.canvas.draw()
    small = [text.get_text() for text in texts(figure) if text.get_text().strip() and text.get_fontsize() < TEXT]
    width = figure.get_tightbbox().width + 2 * plt.rcParams["savefig.pad_inches"]
    return [*small, *([f"{width:.2f} inches wide"] if width > WIDTH + 0.005 else [])]
