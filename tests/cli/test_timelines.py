#!/usr/bin/env python3
"""Timelines in the terminal: a history with wide characters, times and a nemesis, at several widths.

The drawings are read again here, by what they mean: where each operation begins and ends, and which
operation runs on behind a cut. The files of tests/cli/timelines are how they look; RENEW=1 writes
them anew."""
import json
import os
import pty
import re
import subprocess
import unicodedata

from program import PROGRAM, SOURCE, Case, main

PIECES = {True: ("├┣", "┤┫", "─━╌╍", "…", "… and later:"), False: ("|", "|", "-=.", "~", "... and later:")}
GOLDEN = SOURCE / "tests/cli/timelines"
VALUES = ["漢字かな", "plain", "🚀 rocket", "e\u0301te\u0301", "한국어", "last one"]


def columns(text):
    """What UAX #11 says, from Python's own tables."""
    return sum(0 if unicodedata.combining(letter) else
               2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def make_history():
    """A dequeue that finds the queue empty while one value after the other is in it: without any of
    the enqueues there is no violation. The last operation never returns."""
    lines = []

    def event(process, kind, function, value=None):
        lines.append({"process": process, "type": kind, "f": function, "value": value,
                      "time": 1500000 * (len(lines) + 1)})

    def call(process, function, argument, result):
        event(process, "invoke", function, argument)
        event(process, "ok", function, result)

    call(0, "enqueue", VALUES[0], VALUES[0])
    event(2, "invoke", "dequeue")
    for i, value in enumerate(VALUES[1:], 1):
        if i == 2:
            event("nemesis", "info", "start-partition", "n1 n2")
        call(0, "enqueue", value, value)
        if i == 3:
            event("nemesis", "info", "stop-partition")
        call(1, "dequeue", None, VALUES[i - 1])
    event(2, "ok", "dequeue")
    event(1, "invoke", "dequeue")
    return lines


class Segment:
    """A piece of an operation in one block of a drawing: columns; None where it is cut."""

    def __init__(self, start, end, is_open, label, text):
        self.start, self.end, self.is_open, self.label, self.text = start, end, is_open, label, text


def read_segments(row, unicode):
    begins, ends, lines, cut, _ = PIECES[unicode]
    pattern = "([%s%s])[%s]+ (.*?) (?:[%s]+([%s%s])|[╌╍.]+>)" % tuple(
        map(re.escape, (begins, cut, lines, lines, ends, cut)))
    for match in re.finditer(pattern, row):
        first, label, last = match.groups()
        yield Segment(None if first == cut else columns(row[:match.start()]),
                      columns(row[:match.end()]) if last and last != cut else None,
                      last is None, label, match[0])


def blocks_of(drawing, unicode):
    """Blocks of rows (process, segments), checked to be separated by the words that say so."""
    later = PIECES[unicode][4]
    blocks = [[]]
    for line in drawing.splitlines():
        if line.strip() == later:
            blocks.append([])
            continue
        match = re.match(r"    (?:process (\d)|nemesis| {9})  ", line)
        if match and "nemesis" not in line[:12]:
            process = match[1] or blocks[-1][-1][0]
            blocks[-1].append((process, list(read_segments(line, unicode))))
    return blocks


class Timelines(Case):
    def setUp(self):
        super().setUp()
        self.history = make_history()
        self.file("h", "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in self.history))

    def draw(self, width, *words, **environment):
        return self.expect(1, "check", "--spec=queue", *words, "h",
                           environment={"COLUMNS": str(width), **environment}).out

    def drawing(self, out):
        """The timeline alone: behind the reason, in front of the operations in words."""
        return out.split("\n\n", 1)[1].split("    enqu", 1)[0]

    def expect_drawn(self, drawing, unicode=True):
        """Reads the drawing: events in the order of the history, cuts marked on both sides."""
        running, order = {}, []
        blocks = blocks_of(drawing, unicode)
        for number, rows in enumerate(blocks):
            events, went_on = [], set()
            for process, segments in rows:
                for segment in segments:
                    if segment.start is None:  # it goes on: it must have been cut before
                        self.assertIn(process, running, drawing)
                        self.assertEqual(running.pop(process), segment.label, drawing)
                    else:
                        events.append((segment.start, process, "invoke", segment.label))
                    if segment.end is not None:
                        events.append((segment.end, process, "ok", segment.label))
                    elif not segment.is_open:
                        went_on.add((process, segment.label))
                    else:
                        self.assertEqual(number, len(blocks) - 1, "open ends are at the end")
            self.assertEqual(running, {}, "what was cut goes on in the next block: " + drawing)
            running = dict(went_on)
            self.assertEqual(len({column for column, *_ in events}), len(events), drawing)
            order += sorted(events)
        self.assertEqual(running, {}, drawing)
        return blocks, [(process, kind, label) for _, process, kind, label in order]

    def recorded(self):
        """The events that must be drawn: all but the nemesis' and those of no use for the reason."""
        return [(str(line["process"]), line["type"], line["f"]) for line in self.history
                if line["process"] != "nemesis"]

    def test_events_are_in_order_at_every_width(self):
        for width in list(range(44, 204, 4)):
            out = self.draw(width)
            _, drawn = self.expect_drawn(self.drawing(out))
            recorded = iter(self.recorded())
            for process, kind, label in drawn:  # a subsequence: the last dequeues are not needed
                self.assertTrue(any((process, kind) == event[:2] and label.startswith(event[2][:5])
                                    for event in recorded), (width, process, kind, label))
            begun = [label for _, kind, label in drawn if kind == "invoke"]
            self.assertEqual(sum(label.startswith("enqueue") for label in begun), len(VALUES), out)

    def test_nothing_is_wider_than_the_terminal(self):
        for width in range(44, 204, 4):
            for line in self.drawing(self.draw(width)).splitlines():
                self.assertLessEqual(columns(line), width, line)

    def test_wide_drawings_are_cut_and_say_so(self):
        counts = {}
        for width in (60, 80, 120, 200):
            drawing = self.drawing(self.draw(width))
            blocks, _ = self.expect_drawn(drawing)
            counts[width] = len(blocks)
            long = [segment for rows in blocks for process, segments in rows if process == "2"
                    for segment in segments]  # the dequeue that lasts from beginning to end
            self.assertEqual(len(long), len(blocks), drawing)
            self.assertEqual([segment.text[0] == "…" for segment in long],
                             [False] + [True] * (len(long) - 1))
            self.assertEqual([segment.text[-1] == "…" for segment in long],
                             [True] * (len(long) - 1) + [False])
        self.assertEqual(sorted(counts.values(), reverse=True), list(counts.values()))
        self.assertGreater(counts[60], counts[200])

    def test_times_where_recorded(self):
        out = self.draw(200)
        times = [(line["time"], line["f"]) for line in self.history if line["process"] == 0]
        told = re.findall(r"(enqueue) .*lines \d+ and \d+ +time (\d+) to (\d+)", out)
        self.assertEqual([(int(begin), int(end)) for _, begin, end in told],
                         [(times[i][0], times[i + 1][0]) for i in range(0, len(times), 2)])
        self.file("h", "".join(json.dumps({key: value for key, value in line.items() if key != "time"})
                               + "\n" for line in self.history))
        self.assertNotIn(" time ", self.draw(200))

    def test_how_they_look(self):
        for width in (60, 80, 120, 200):
            out = re.sub(r"\d+\.\d+ s\)", "0.000 s)", self.draw(width))
            golden = GOLDEN / ("%d.txt" % width)
            if os.environ.get("RENEW"):
                golden.write_text(out, encoding="utf-8")
            self.assertEqual(out, golden.read_text(encoding="utf-8"), golden)

    def test_ascii(self):
        self.history = [{**line, "value": "abcdefgh" if line["value"] in VALUES[:1] else line["value"]
                         if line["value"] in ("plain", "last one", None) else
                         line["value"].encode("ascii", "replace").decode()} for line in self.history]
        self.file("h", "".join(json.dumps(line) + "\n" for line in self.history))
        for width in range(44, 204, 4):
            plain = self.draw(width, LC_ALL="C")
            self.assertTrue(plain.isascii())
            _, drawn = self.expect_drawn(self.drawing(plain), unicode=False)
            _, beautiful = self.expect_drawn(self.drawing(self.draw(width)))
            self.assertEqual([event[:2] for event in drawn], [event[:2] for event in beautiful])


BAD, GOOD, OPEN, DIM = "\033[1;31m", "\033[32m", "\033[1;33m", "\033[2m"


class Colours(Case):
    """Whoever sees no colours misses nothing: what has a colour says the same in characters."""

    def setUp(self):
        super().setUp()
        self.file("h", "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in make_history()))
        self.file("good", '{"process":0,"type":"invoke","f":"write","value":1}\n'
                          '{"process":0,"type":"ok","f":"write","value":1}\n')

    COMMANDS = [(1, "check", "--spec=queue", "h"), (0, "check", "--spec=register", "good"),
                (1, "verify", SOURCE / "examples/models/locks.lin"),
                (1, "verify", SOURCE / "examples/models/treiber.lin"),
                (1, "cover", SOURCE / "examples/nets/test_then_set.spec")]

    def both(self, status, *words):
        masked = [re.sub(r"\d+\.\d+ s\)", "_)", self.expect(
            status, words[0], "--color=" + choice, *words[1:]).out) for choice in ("always", "never")]
        return masked

    def styled(self, out):
        """Each piece of text in a colour, with its line and its style."""
        for line in out.splitlines():
            for style, text in re.findall("(\033\\[[0-9;]+m)([^\033]*)\033\\[0m", line):
                yield line, style, text

    def test_colours_add_no_characters(self):
        for status, *words in self.COMMANDS:
            colourful, plain = self.both(status, *words)
            self.assertIn("\033[", colourful)
            self.assertNotIn("\033", plain)
            self.assertEqual(re.sub("\033\\[[0-9;]*m", "", colourful), plain)

    def test_what_is_coloured_says_it_in_characters(self):
        verdicts = {BAD: {"violation", "violated", "unsafe"}, GOOD: {"linearizable", "holds", "safe"},
                    OPEN: {"unknown"}}
        seen = set()
        for status, *words in self.COMMANDS:
            colourful, _ = self.both(status, *words)
            for line, style, text in self.styled(colourful):
                if text.strip() in set().union(*verdicts.values()):
                    self.assertIn(text.strip(), verdicts[style], line)
                elif re.match("[├┣…]", text):  # of the timeline: heavy lines or light ones
                    self.assertTrue(re.search("[┣┫━]", text) if style == BAD
                                    else style == DIM and re.search("[├┤─]", text) or
                                    "and later" in text, (style, text))
                elif style == BAD:  # a step at fault is marked, sentences say themselves what is bad
                    self.assertTrue("✗" in line or re.search(r"\w+ \w+", text), line)
                seen.add(style)
        self.assertTrue({BAD, GOOD, DIM} <= seen)

    def test_no_color(self):
        """https://no-color.org, on a terminal: set and not empty."""
        for value, colourful in ((None, True), ("", True), ("1", False), ("0", False)):
            environment = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8"}
            environment.pop("NO_COLOR", None)
            if value is not None:
                environment["NO_COLOR"] = value
            master, slave = pty.openpty()
            process = subprocess.Popen([PROGRAM, "check", "--spec=register", "good"], cwd=self.folder,
                                       stdout=slave, env=environment)
            os.close(slave)
            written = b""
            try:
                while piece := os.read(master, 65536):
                    written += piece
            except OSError:  # the other end is closed
                pass
            os.close(master)
            self.assertEqual(process.wait(), 0)
            self.assertEqual(b"\033[" in written, colourful, (value, written))


main()
