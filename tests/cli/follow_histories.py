"""Random histories of what check --follow decides, line by line."""
import json
import random


def keyed(spec):
    return spec in ("register", "cas-register")


class Run:
    """Processes that call an object, which answers as it should but for a few times."""

    def __init__(self, spec, seed):
        self.spec, self.random = spec, random.Random(seed)
        self.states, self.fresh, self.lines = {}, 0, []
        self.container = spec in ("queue", "stack", "priority-queue")
        self.pending = 0.005 if self.container else 0.03
        self.keys = self.random.choice([1, 1, 3]) if keyed(spec) else 1
        self.repeats = 0  # so many values, each again and again; 0: containers get each once,
        self.names = 3  # keys of a map
        self.new = False  # a cas-register gets each value once
        self.honest = 0  # so many operations have no wrong answer
        self.once = 0  # as they do so many at first
        self.values = self.random.choice([3, 3, 40])  # the same ones soon, or when the last is long over

    def call(self):
        r = self.random
        if self.spec == "register":
            self.fresh += 1
            value = r.randrange(3) if self.values == 3 else self.fresh % self.values
            return r.choice([("read", None), ("write", value)])
        if self.spec == "cas-register" and self.new:
            self.fresh += 1
            found = r.choice([self.states.get(0), *range(max(1, self.fresh - 6), self.fresh + 1)])
            return r.choice([("read", None), ("write", self.fresh), ("cas", [found or 1, self.fresh])])
        if self.spec == "cas-register":
            return r.choice([("read", None), ("write", r.randrange(3)), ("cas", [r.randrange(3), r.randrange(3)])])
        if self.spec == "counter":
            return r.choice([("inc", None), ("read", None)])
        if self.spec == "map":
            key = r.randrange(self.names)
            if self.values == 3:
                return r.choice([("put", [key, r.randrange(3)]), ("get", key)])
            self.fresh += 1
            return r.choice([("put", [key, self.fresh]), ("get", key), ("get", key), ("delete", key),
                             ("cas", [key, self.states.get(key) or r.randrange(self.fresh), self.fresh])])
        if self.spec == "set":
            return r.choice([("add", r.randrange(3)), ("remove", r.randrange(3)), ("contains", r.randrange(3))])
        self.fresh += 1
        adding, removing = {"queue": ("enqueue", "dequeue"), "stack": ("push", "pop"),
                            "priority-queue": ("insert", "delete-min")}[self.spec]
        value = r.randrange(self.repeats) if self.repeats and self.fresh > self.once else self.fresh
        return r.choice([(adding, value), (removing, None)])

    def apply(self, key, f, v):
        s = self.states
        if f in ("read",):
            return s.get(key, 0 if self.spec == "counter" else None)
        if f == "write":
            s[key] = v
        elif f == "cas":
            key, expected, new = v if len(v) == 3 else [key, *v]
            if s.get(key) != expected:
                return False
            s[key] = new
            return True
        elif f == "delete":
            s.pop(v, None)
        elif f == "inc":
            s[key] = s.get(key, 0) + 1
        elif f == "put":
            s[v[0]] = v[1]
        elif f == "get":
            return s.get(v)
        elif f in ("add", "remove", "contains"):
            inside = v in s.setdefault("in", set())
            if f != "contains":
                (s["in"].add if f == "add" else s["in"].discard)(v)
            return (not inside) if f == "add" else inside
        else:
            items = s.setdefault("items", [])
            if f in ("enqueue", "push", "insert"):
                items.append(v)
            elif items:
                return items.pop({"dequeue": 0, "pop": -1}.get(f, items.index(min(items))))
        return None

    def write(self, **event):
        self.lines.append(json.dumps(event))

    def make(self, count, processes, wrong):
        r, running, names = self.random, {}, list(range(processes))
        begun = 0
        while begun < count or running:
            p = r.randrange(processes)
            if p not in running:
                if begun == count:
                    continue
                f, v = self.call()
                key = r.randrange(self.keys)
                running[p] = [key, f, v, False, None]
                where = {"key": key} if self.keys > 1 else {}
                self.write(process=names[p], type="invoke", f=f, value=v, **where)
                begun += 1
                continue
            key, f, v, done, answer = running[p]
            if not done:
                chance = r.random()
                if chance < 0.04:
                    self.write(process=names[p], type="fail", f=f)
                    del running[p]
                elif chance < 0.04 + self.pending:
                    if r.random() < 0.5:
                        self.apply(key, f, v)
                    self.write(process=names[p], type="info", f=f)
                    names[p] = max(names) + 1
                    del running[p]
                else:
                    running[p][3:] = [True, self.apply(key, f, v)]
                continue
            if r.random() < 0.3:
                continue
            if begun > self.honest and r.random() < wrong and f not in ("write", "inc", "put", "delete", "enqueue", "push", "insert", "cas"):
                answer = r.choice([True, False]) if isinstance(answer, bool) else r.randrange(4)
                if self.spec == "map" and self.values > 3:  # what was written some time ago
                    answer = max(1, self.fresh - r.randrange(12))
            if f == "cas":
                self.write(process=names[p], type="ok" if answer else "fail", f=f, value=v)
            else:
                self.write(process=names[p], type="ok", f=f, value=answer)
            del running[p]
        return self.lines


def with_texts(lines):
    """The same events, with long texts for numbers: the log is larger than what is remembered of values."""
    def text(v):
        if isinstance(v, list):
            return [text(each) for each in v]
        return v if v is None or isinstance(v, bool) else f"{v}: " + "text" * (v * 37 % 400 if v % 3 else 0)
    events = [json.loads(line) for line in lines]
    return [json.dumps({**event, **({"value": text(event["value"])} if "value" in event else {})}) for event in events]


def of_two_objects(lines, others, r):
    """The events of two histories, side by side: of the objects a and b."""
    lines = [{**json.loads(line), "object": "a"} for line in lines]
    others = [json.loads(line) for line in others]
    others = [{**event, "process": 1000 + event["process"], "object": "b"} for event in others]
    events = []
    while lines or others:
        events.append((lines if r.random() * (len(lines) + len(others)) < len(lines) else others).pop(0))
    return [json.dumps(event) for event in events]
