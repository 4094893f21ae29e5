"""What the tests of the package share: an oracle that knows nothing of the library, and random
histories."""
import itertools
import os
import pathlib
import random
import subprocess
import unittest

PROGRAM = os.environ["LINCHPIN_PROGRAM"]
SOURCE = pathlib.Path(os.environ["LINCHPIN_SOURCE"])
HISTORIES = SOURCE / "examples" / "histories"


class Queue:
    """What a queue does, for the oracle."""

    def __init__(self):
        self.items = []

    def enqueue(self, argument):
        self.items.append(argument)

    def dequeue(self, _):
        return self.items.pop(0) if self.items else None


class Register:
    def __init__(self):
        self.value = None

    def write(self, argument):
        self.value = argument

    def read(self, _):
        return self.value


def is_legal(order, make):
    """Whether operations (process, function, argument, result, called, returned) in this order are
    what the object does; a pending one may answer anything."""
    state = make()
    for _, function, argument, result, _, returned in order:
        answer = getattr(state, function)(argument)
        if returned is not None and answer != result:
            return False
    return True


def respects_time(order):
    return not any(later[5] is not None and later[5] < earlier[4]
                   for i, earlier in enumerate(order) for later in order[i + 1:])


def is_linearizable(rows, make):
    """By the definition: some order of all completed and some pending operations is legal."""
    completed = [row for row in rows if row[5] is not None]
    pending = [row for row in rows if row[5] is None]
    return any(respects_time(order) and is_legal(order, make)
               for count in range(len(pending) + 1)
               for some in itertools.combinations(pending, count)
               for order in itertools.permutations(completed + list(some)))


def random_rows(seed, adds, takes, values, length=6):
    """Operations of three processes, one behind the other in each; the last may be pending."""
    chance = random.Random(seed)
    free, gone, rows = [0, 0, 0], set(), []
    while len(rows) < length and len(gone) < 3:
        process = chance.choice([p for p in range(3) if p not in gone])
        called = free[process] + chance.randint(1, 3)
        returned = called + chance.randint(0, 6)
        if chance.random() < 0.1:
            returned = None
            gone.add(process)
        if chance.random() < 0.5:
            row = (process, adds, chance.choice(values), None, called, returned)
        else:
            result = chance.choice(list(values) + [None]) if returned is not None else None
            row = (process, takes, None, result, called, returned)
        rows.append(row)
        free[process] = returned or 0
    return rows


def queue_prefixes(seed):
    """The events of a random history of a queue, in their order: whether the call returns, its row,
    and whether what has come so far is linearizable."""
    rows = random_rows(seed, "enqueue", "dequeue", (1, 2))
    order = sorted([(row[4], 0, i) for i, row in enumerate(rows)] +
                   [(row[5], 1, i) for i, row in enumerate(rows) if row[5] is not None])
    for at, (_, returns, i) in enumerate(order):
        place = {event[1:]: n for n, event in enumerate(order[:at + 1])}
        prefix = [rows[k][:4] + (place[0, k], place.get((1, k)))
                  for k in range(len(rows)) if (0, k) in place]
        yield returns, rows[i], is_linearizable(prefix, Queue)


class Case(unittest.TestCase):
    maxDiff = None

    def run_program(self, *arguments):
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                              env={**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "80",
                                   "LD_PRELOAD": ""})
        return done.stdout


def main():
    unittest.main(verbosity=1)
