#!/usr/bin/env python3
"""The data of HTML reports, read without a browser. (tests/page opens them in one.)"""
import base64
import re
import zlib

from program import QUEUE_BAD, QUEUE_OK, REGISTER_BAD, SOURCE, Case, answers, events, main

COLUMNS = ("process", "function", "outcome", "invoke", "response", "invoke_line", "response_line",
           "part")


def unpack(packed):
    return zlib.decompress(base64.b64decode(packed))


def numbers(packed):
    """Of a column: numbers of seven bits a byte."""
    number, shift, found = 0, 0, []
    for byte in unpack(packed):
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            found.append(number)
            number, shift = 0, 0
    return found


def signed(packed):
    return [-(n + 1) // 2 if n % 2 else n // 2 for n in numbers(packed)]


def sums(differences):
    total, found = 0, []
    for difference in differences:
        total += difference
        found.append(total)
    return found


def texts(packed):
    return unpack(packed).decode().split("\0")[:-1]


class Html(Case):
    def report(self, status, *words):
        self.expect(status, "check", "--html", "r.html", *words)
        with open(self.folder / "r.html", encoding="utf-8") as file:
            return file.read()

    def test_every_operation_is_there(self):
        self.file("h", QUEUE_BAD)
        answer, = answers(self.report(1, "h"))
        history = answer["history"]
        columns = history["columns"]
        self.assertEqual(history["operations"], 5)
        functions = [history["functions"][i] for i in numbers(columns["function"])]
        self.assertEqual(functions, ["enqueue", "enqueue", "dequeue", "dequeue", "dequeue"])
        processes = [history["processes"][i] for i in numbers(columns["process"])]
        self.assertEqual(processes, ["0", "1", "2", "3", "0"])
        self.assertEqual(texts(columns["argument"]), ["3", "7", "nil", "nil", "nil"])
        self.assertEqual([text for text, outcome in zip(texts(columns["result"]),
                                                        numbers(columns["outcome"])) if outcome & 4],
                         ["3", "7", "7", "3"])
        self.assertEqual([outcome & 3 for outcome in numbers(columns["outcome"])], [0, 0, 0, 0, 2])
        self.assertEqual(sums(signed(columns["invoke"])), [0, 2, 3, 6, 8])
        self.assertEqual(numbers(columns["response"]), [1, 2, 2, 1, 0])
        lines = sums(signed(columns["invoke_line"]))
        self.assertEqual(lines, [1, 4, 5, 8, 10])
        self.assertEqual([line + more for line, more in zip(lines, signed(columns["response_line"]))],
                         [2, 6, 7, 9, 10])
        self.assertEqual(numbers(columns["part"]), [1] * 5)
        self.assertNotIn("invoke_time", columns)
        note, = history["annotations"]
        self.assertEqual((note["process"], note["function"], note["position"], note["line"]),
                         (":nemesis", "kill", 2, 3))

    def test_fields_are_those_of_json(self):
        self.file("h", QUEUE_BAD)
        answer, = answers(self.report(1, "h"))
        told, = self.expect(1, "check", "--json", "h").objects()
        for fields in (told, answer["fields"]):
            del fields["seconds"]
        self.assertEqual(answer["fields"], told)
        self.assertEqual((answer["verdict"], answer["reason"]), (told["verdict"], told["reason"]))

    def test_times(self):
        self.file("h", "".join(
            '{"process": %d, "type": "%s", "f": "write", "value": 1, "time": %d}\n' % event
            for event in ((0, "invoke", 1 << 60), (1, "invoke", (1 << 60) + 5),
                          (1, "ok", (1 << 60) + 7), (0, "ok", (1 << 60) + 9))))
        answer, = answers(self.report(0, "--spec=register", "h"))
        columns = answer["history"]["columns"]
        begins = sums(signed(columns["invoke_time"]))
        self.assertEqual(begins, [1 << 60, (1 << 60) + 5])
        self.assertEqual([begin + more for begin, more in zip(begins, signed(columns["response_time"]))],
                         [(1 << 60) + 9, (1 << 60) + 7])

    def test_parts_have_verdicts(self):
        self.file("h", events("""
            0 invoke write [a 1]
            0 ok write [a 1]
            0 invoke read [a nil]
            0 ok read [a 2]
            0 invoke write [b 1]
            0 ok write [b 1]
            0 invoke write [c 1]
            0 fail write [c 1]
        """))
        answer, = answers(self.report(1, "--spec=register", "--independent", "--all", "h"))
        self.assertEqual([(part["key"], part["operations"], part["verdict"])
                          for part in answer["history"]["parts"]],
                         [("a", 2, "violation"), ("b", 1, "linearizable")])
        self.assertEqual(numbers(answer["history"]["columns"]["part"]), [1, 1, 2, 0])
        answer, = answers(self.report(1, "--spec=register", "--independent", "h"))
        self.assertEqual([part["verdict"] for part in answer["history"]["parts"]],
                         ["violation", None])

    def test_orders_with_the_object(self):
        self.file("good", QUEUE_OK)
        answer, = answers(self.report(0, "good"))
        order, = answer["history"]["orders"]
        self.assertEqual(sums(signed(order["order"])), [1, 0, 2])
        self.assertEqual(len(texts(order["states"])), 3)
        self.file("bad", REGISTER_BAD)
        answer, = answers(self.report(1, "--method=search", "bad"))
        orders = [sums(signed(order["order"])) for order in answer["history"]["orders"]]
        self.assertEqual(orders, [partial["order"] for partial in answer["fields"]["partials"]])
        self.assertEqual([texts(order["states"])[-1] for order in answer["history"]["orders"]],
                         [partial["state"] for partial in answer["fields"]["partials"]])

    def test_orders_where_a_monitor_decided(self):
        self.file("bad", QUEUE_BAD)
        answer, = answers(self.report(1, "bad"))
        self.assertEqual(answer["fields"]["method"], "monitor")
        searched, = answers(self.report(1, "--method=search", "bad"))
        self.assertEqual(answer["history"]["orders"], searched["history"]["orders"])
        partials = searched["fields"]["partials"]
        self.assertEqual([order["stuck"] for order in answer["history"]["orders"]],
                         [partial["stuck"] for partial in partials])

    def test_nothing_ends_the_script(self):
        self.file("h", events("""
            0 invoke write "</script><!--"
            0 ok write "</script><!--"
            0 invoke read
            0 ok read "<script>"
        """))
        page = self.report(1, "--spec=register", "h")
        answer, = answers(page)
        self.assertIn("</script><!--", texts(answer["history"]["columns"]["argument"])[0])
        data = page[page.index('class="answer"'):]
        self.assertEqual(data.count("<!--"), data.count("<!-- answers -->"))

    def test_several_inputs_and_errors(self):
        self.file("good", QUEUE_OK)
        self.file("broken", "{:process 0")
        found = answers(self.report(2, "good", "broken"))
        self.assertEqual([answer["verdict"] for answer in found], ["linearizable", "error"])
        self.assertEqual(found[1]["subject"], "broken")

    def test_nothing_is_written_over_an_input(self):
        self.file("h", QUEUE_OK)
        self.expect(2, "check", "--html", "h", "h")
        with open(self.folder / "h", encoding="utf-8") as file:
            self.assertEqual(file.read(), QUEUE_OK)
        self.expect(2, "check", "--html", "x", "--junit", "x", "h")

    def test_an_empty_history(self):
        self.file("h", "")
        self.report(0, "--spec=queue", "--format=json", "h")

    def test_source_lines_of_an_execution(self):
        source = SOURCE / "examples/models/treiber.lin"
        self.expect(1, "verify", "--html", "r.html", source)
        found = answers((self.folder / "r.html").read_text())
        lines = source.read_text().split("\n")
        told = [answer for answer in found if answer["fields"].get("trace")]
        self.assertEqual(len(told), 2)
        for answer in found:
            if answer not in told:
                self.assertNotIn("sources", answer)
                continue
            file, = answer["sources"]
            self.assertEqual(file["file"], str(source))
            for step in answer["fields"]["trace"]:
                self.assertTrue("line" not in step or str(step["line"]) in file["lines"])
            for number, line in file["lines"].items():
                self.assertEqual(line, lines[int(number) - 1])

    def test_the_page_asks_for_nothing(self):
        page = (SOURCE / "src/html/page/page.html").read_text()
        self.assertEqual(re.findall(r"""(?:src|href)=["'][^"']+""", page), [])
        self.assertIn("default-src 'none'", page)


main()
