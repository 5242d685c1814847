"""draw.py - the picture of claim-next against the size of the board, as SVG

stdin has NAME<TAB>TASKS<TAB>MICROSECONDS; both scales are logarithmic.
"""

import math
import sys

SERIES = {
    "shell": "flock and jq",
    "python": "Python, reads every file",
    "sqlite": "sqlite3",
    "ours": "task-claim --next",
    "static": "an empty program",
}
WIDTH, HEIGHT = 780, 420
LEFT, RIGHT, TOP, BOTTOM = 64, 236, 48, 48
LABEL_GAP = 17  # between the labels of two lines, so that both can be read

STYLE = """
  svg { font: 13px system-ui, sans-serif; } .paper { fill: #fff; }
  text { fill: #444; } .title { font-size: 15px; font-weight: 600; fill: #111; }
  .grid { stroke: #e4e4e4; } .line { fill: none; stroke-width: 2; }
  .shell { stroke: #b45309; } .python { stroke: #7c3aed; } .sqlite { stroke: #0f766e; }
  .ours { stroke: #1d4ed8; stroke-width: 3.5; } .static { stroke: #888; stroke-dasharray: 4 4; }
  text.ours { font-weight: 600; } text.line { stroke: none; }
  text.shell { fill: #b45309; } text.python { fill: #7c3aed; } text.sqlite { fill: #0f766e; }
  text.ours { fill: #1d4ed8; } text.static { fill: #666; }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117; } text { fill: #b8c0ca; } .title { fill: #f0f3f6; } .grid { stroke: #262c36; }
    .shell { stroke: #f0a35e; } .python { stroke: #b794f6; } .sqlite { stroke: #4fd1c5; } .ours { stroke: #6ea8fe; }
    text.shell { fill: #f0a35e; } text.python { fill: #b794f6; } text.sqlite { fill: #4fd1c5; }
    text.ours { fill: #6ea8fe; } text.static { fill: #9aa4af; }
  }
"""


def read_points():
    points = {}
    for line in sys.stdin:
        name, size, micros = line.rstrip("\n").split("\t")
        if micros:
            points.setdefault(name, []).append((int(size), float(micros) / 1000))
    return points


def decades(values):
    return range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))) + 1)


def milliseconds(power):
    return f"{10 ** power:g} ms" if power < 3 else f"{10 ** (power - 3):g} s"


def spread(ends):
    """Moves labels apart: (y, name) from top to bottom."""
    placed = []
    for y, name in sorted(ends):
        placed.append([max(y, placed[-1][0] + LABEL_GAP) if placed else y, name])
    return placed


def draw(points):
    sizes = decades([size for series in points.values() for size, _ in series])
    times = decades([time for series in points.values() for _, time in series])

    def x(size):
        return LEFT + (math.log10(size) - sizes[0]) / (sizes[-1] - sizes[0]) * (WIDTH - LEFT - RIGHT)

    def y(time):
        return HEIGHT - BOTTOM - (math.log10(time) - times[0]) / (times[-1] - times[0]) * (HEIGHT - TOP - BOTTOM)

    title = "Claiming the next task, a fresh process each time"
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">')
    print(f"<style>{STYLE}</style>")
    print(f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>')
    print(f'<text class="title" x="{LEFT}" y="26">{title}</text>')
    for power in times:
        at = y(10**power)
        print(f'<path class="grid" d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}"/>')
        print(f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{milliseconds(power)}</text>')
    for power in sizes:
        at = x(10**power)
        print(f'<path class="grid" d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
        print(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{10 ** power:,}</text>')
    print(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.1f}" y="{HEIGHT - 8}" text-anchor="middle">tasks on the board</text>')
    ends = []
    for name in SERIES:
        if name not in points:
            continue
        series = sorted(points[name])
        path = "L".join(f"{x(size):.1f} {y(time):.1f}" for size, time in series)
        print(f'<path class="line {name}" d="M{path}"/>')
        ends.append((y(series[-1][1]), name, series[-1][1]))
    latest = {name: time for _, name, time in ends}
    for at, name in spread([(at, name) for at, name, _ in ends]):
        time = latest[name]
        shown = f"{time:.1f} ms" if time < 100 else f"{time / 1000:.1f} s"
        print(f'<text class="line {name}" x="{WIDTH - RIGHT + 8}" y="{at + 4:.1f}">{SERIES[name]}, {shown}</text>')
    print("</svg>")


draw(read_points())
