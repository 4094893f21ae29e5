#!/usr/bin/env python3
"""Simulates clients of a replicated key-value store under faults, and writes the history they saw.

Three nodes keep one log, as Raft does: a write is appended by the leader, sent to the others, and
acknowledged when two of the three have it. A nemesis cuts the leader off and heals the network, or
kills the leader and starts it again; meanwhile the other two elect a new leader. What a leader does
with a read is the one difference that makes a store right or wrong:

    --reads log     a read goes through the log like a write: linearizable
    --reads local   the node that believes to lead answers from what it has. A leader that is cut
                    off does not know that it was replaced, so it answers with old values.

The simulation is one queue of events, and every delay comes from one generator: the same options
write the same history, to the byte, on every machine.
"""
import argparse
import heapq
import random
import sys

MILLISECOND = 1_000_000  # times are in nanoseconds
NODES = 3
CLIENT_TIMEOUT = 80 * MILLISECOND
HEARTBEAT = 10 * MILLISECOND
ELECTION = 60 * MILLISECOND  # from the fault to the new leader


class Clock:
    """The queue of what happens next. Equal times happen in the order they were asked for."""

    def __init__(self, seed):
        self.now = 0
        self.random = random.Random(seed)
        self.queue = []
        self.asked = 0

    def after(self, delay, action, *arguments):
        self.asked += 1
        heapq.heappush(self.queue, (self.now + delay, self.asked, action, arguments))

    def run(self, end):
        while self.queue and self.queue[0][0] <= end:
            self.now, _, action, arguments = heapq.heappop(self.queue)
            action(*arguments)

    def some(self, milliseconds):
        """A delay around `milliseconds`: at least a third of it, sometimes much more."""
        return int(milliseconds * MILLISECOND * (1 - self.random.random()) ** -0.5 * 0.5) + 1

    def below(self, n):
        return int(self.random.random() * n)


class Network:
    """Messages between nodes: in order on each link, lost where it is cut or a node is down."""

    def __init__(self, clock):
        self.clock = clock
        self.nodes = []
        self.cut = set()
        self.arrival = {}

    def send(self, source, target, action, *arguments):
        delay = self.clock.some(2)
        arrival = max(self.clock.now + delay, self.arrival.get((source, target), 0) + 1)
        self.arrival[(source, target)] = arrival
        self.clock.after(arrival - self.clock.now, self.deliver, source, target, action, arguments)

    def deliver(self, source, target, action, arguments):
        if not {source, target} & self.cut and target.alive and source.alive:
            action(*arguments)


class Node:
    """A replica: a log of (term, command, reply), and the state that its applied prefix makes."""

    def __init__(self, name, network, clock, reads_are_logged):
        self.name, self.network, self.clock = name, network, clock
        self.reads_are_logged = reads_are_logged
        self.alive, self.leader, self.term = True, None, 0
        self.log, self.committed, self.applied = [], 0, 0
        self.state = {}
        self.matched = {}

    def others(self):
        return [node for node in self.network.nodes if node is not self]

    def lead(self, term):
        self.leader, self.term = self, term
        self.matched = {node: 0 for node in self.others()}
        self.log.append((term, None, None))
        self.heartbeat(term)

    def heartbeat(self, term):
        if self.leader is self and self.term == term and self.alive:
            for node in self.others():
                self.network.send(self, node, node.on_append, term, self, list(self.log),
                                  self.committed)
            self.clock.after(HEARTBEAT, self.heartbeat, term)

    def on_append(self, term, leader, log, committed):
        if term < self.term:
            return
        self.term, self.leader, self.log = term, leader, log
        self.commit(committed)
        self.network.send(self, leader, leader.on_acknowledge, term, self, len(log))

    def on_acknowledge(self, term, node, length):
        if term != self.term or self.leader is not self:
            return
        self.matched[node] = max(self.matched[node], length)
        majority = sorted([len(self.log), *self.matched.values()])[NODES // 2]
        if majority and self.log[majority - 1][0] == term:
            self.commit(majority)

    def commit(self, length):
        self.committed = max(self.committed, min(length, len(self.log)))
        while self.applied < self.committed:
            term, command, reply = self.log[self.applied]
            self.applied += 1
            answer = self.apply(command) if command else None
            if reply and self.leader is self and term == self.term:
                reply(*answer)

    def apply(self, command):
        """Does the command: its outcome and result."""
        function, key, value = command
        held = self.state.get(key)
        if function in ("read", "get"):
            return "ok", held
        if function == "cas":
            if held != value[0]:
                return "fail", value
            self.state[key] = value[1]
        elif function == "append":
            self.state[key] = (held or "") + value
        else:
            self.state[key] = value
        return "ok", value

    def on_request(self, command, reply):
        if self.leader is None:
            reply("fail", "no-leader")
        elif self.leader is not self:
            self.network.send(self, self.leader, self.leader.on_forwarded, self, command, reply)
        elif command[0] in ("read", "get") and not self.reads_are_logged:
            reply(*self.apply(command))
        else:
            self.log.append((self.term, command, reply))
            for node in self.others():
                self.network.send(self, node, node.on_append, self.term, self, list(self.log),
                                  self.committed)

    def on_forwarded(self, source, command, reply):
        if self.leader is self:
            back = lambda *answer: self.network.send(self, source, reply, *answer)
            self.on_request(command, back)


class Client:
    """One process at a time: calls, waits for the answer or the timeout, thinks, calls again."""

    def __init__(self, process, clients, store, workload, end):
        self.process, self.clients = process, clients
        self.store, self.clock, self.workload, self.end = store, store.clock, workload, end
        self.call_number = 0
        self.clock.after(self.clock.some(5), self.call)

    def call(self):
        if self.clock.now > self.end:
            return
        self.call_number += 1
        command = self.workload.next(self.clock)
        self.store.record(self.process, "invoke", command)
        node = self.store.nodes[self.process % self.clients % NODES]
        number = self.call_number
        if not node.alive:
            self.clock.after(self.clock.some(0.3), self.returned, number, command, "fail",
                             "connection-refused")
            return
        reply = lambda *answer: self.clock.after(self.clock.some(0.5), self.returned, number,
                                                 command, *answer)
        self.clock.after(self.clock.some(0.5), self.arrive, node, command, reply)
        self.clock.after(CLIENT_TIMEOUT, self.give_up, number, command)

    @staticmethod
    def arrive(node, command, reply):
        if node.alive:
            node.on_request(command, reply)

    def returned(self, number, command, outcome, result):
        if number != self.call_number:
            return  # too late
        failed = outcome == "fail" and command[0] != "cas"
        self.store.record(self.process, outcome, command, result, result if failed else None)
        self.finish(outcome == "fail")

    def give_up(self, number, command):
        if number != self.call_number:
            return
        harmless = command[0] in ("read", "get")
        self.store.record(self.process, "fail" if harmless else "info", command, None, "timeout")
        if not harmless or self.store.porcupine:
            self.process += self.clients  # Jepsen never uses a process again that may still run
        self.finish(False)

    def finish(self, refused):
        if refused and self.store.porcupine:
            self.process += self.clients
        self.call_number += 1
        self.clock.after(self.clock.some(12), self.call)


class Workload:
    """What clients call: of one register, of keyed registers, or of a key-value store."""

    def __init__(self, kind, keys, appends):
        self.kind, self.keys, self.appends, self.unique = kind, keys, appends, 0

    def next(self, clock):
        key = clock.below(self.keys)
        dice = clock.random.random()
        if self.kind == "kv":
            self.unique += 1
            if dice < 0.5:
                return "get", str(key), None
            if dice < 0.8 or not self.appends:
                return "put", str(key), f"v{self.unique}"
            return "append", str(key), f"+{self.unique}"
        if dice < 0.4:
            return "read", key, None
        if dice < 0.75:
            return "write", key, clock.below(5)
        return "cas", key, [clock.below(5), clock.below(5)]


class Store:
    """The nodes, the nemesis, and the history of what clients saw."""

    def __init__(self, options):
        self.clock = Clock(options.seed)
        self.network = Network(self.clock)
        self.porcupine = options.format == "porcupine"
        self.keyed = options.workload == "keyed"
        self.events = []
        self.nodes = [Node(f"n{i + 1}", self.network, self.clock, options.reads == "log")
                      for i in range(NODES)]
        self.network.nodes = self.nodes
        self.elect()

    def leader(self):
        return max((node for node in self.nodes if node.leader is node), key=lambda n: n.term)

    def elect(self):
        """The nodes that reach each other choose the one with the longest log of the last term."""
        voters = [node for node in self.nodes if node.alive and node not in self.network.cut]
        term = max(node.term for node in voters) + 1
        chosen = max(voters, key=lambda node: (node.log[-1][0] if node.log else 0, len(node.log)))
        for node in voters:
            node.term, node.leader = term, None
        chosen.lead(term)

    def partition(self):
        lonely = self.leader()
        others = " ".join(f'"{node.name}"' for node in lonely.others())
        self.note("start-partition", ":isolate-leader")
        self.network.cut = {lonely}
        self.note("start-partition", f'[:isolated {{"{lonely.name}" #{{{others}}}}}]')
        self.clock.after(ELECTION, self.elect)

    def heal(self):
        self.note("stop-partition", "nil")
        self.network.cut = set()
        self.note("stop-partition", ":network-healed")

    def kill(self):
        killed = self.leader()
        self.note("kill", f'["{killed.name}"]')
        killed.alive, killed.leader = False, None
        self.note("kill", f'{{"{killed.name}" :killed}}')
        self.clock.after(ELECTION, self.elect)

    def start(self):
        names = [node.name for node in self.nodes if not node.alive]
        self.note("start", "nil")
        for node in self.nodes:
            node.alive = True
        self.note("start", "{" + " ".join(f'"{name}" :started' for name in names) + "}")

    def note(self, function, value):
        self.events.append((self.clock.now, ":nemesis", "info", function, None, value, None))

    def record(self, process, kind, command, result=None, error=None):
        function, key, value = command
        if kind == "ok" and function in ("read", "get"):
            value = result
        self.events.append((self.clock.now, process, kind, function, key, value, error))


def edn(value):
    if value is None:
        return "nil"
    if isinstance(value, list):
        return "[" + " ".join(map(edn, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def write_jepsen(store, out):
    for index, (time, process, kind, function, key, value, error) in enumerate(store.events):
        text = value if process == ":nemesis" else edn(value)
        if store.keyed and process != ":nemesis":
            text = f"[{key} {text}]"
        error = f", :error :{error}" if error else ""
        print(f"{{:type :{kind}, :f :{function}, :value {text}, :process {process}, "
              f":time {time}, :index {index}{error}}}", file=out)


def write_porcupine(store, out):
    """These logs know calls and returns only: what failed or timed out just never returns."""
    for _, process, kind, function, key, value, _ in store.events:
        if kind in ("invoke", "ok") and process != ":nemesis":
            if kind == "ok" and value is None:
                value = ""
            print(f'{{:process {process}, :type :{kind}, :f :{function}, :key "{key}", '
                  f":value {edn(value)}}}", file=out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--reads", choices=["log", "local"], default="log")
    parser.add_argument("--workload", choices=["register", "keyed", "kv"], default="register")
    parser.add_argument("--format", choices=["jepsen", "porcupine"], default="jepsen")
    parser.add_argument("--appends", action="store_true", help="kv: not only put and get")
    parser.add_argument("--clients", type=int, default=5)
    parser.add_argument("--keys", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    store = Store(options)
    clock = store.clock
    end = int(options.seconds * 1000) * MILLISECOND
    faults = [store.partition, store.heal, store.kill, store.start]
    for number, fault in enumerate(faults, 1):
        clock.after(number * end // (len(faults) + 1), fault)
    workload = Workload(options.workload, options.keys, options.appends)
    for process in range(options.clients):
        Client(process, options.clients, store, workload, end)
    clock.run(end + 10 * CLIENT_TIMEOUT)
    (write_porcupine if store.porcupine else write_jepsen)(store, sys.stdout)


if __name__ == "__main__":
    main()
