"""A register that four threads use while the program watches it: with "broken" as argument reads come
from a copy that is brought up to date now and then, and so may be out of date."""
import sys
import threading

import linchpin

THREADS, OPERATIONS = 4, 2000
broken = sys.argv[1:] == ["broken"]
store = {"stored": None, "copied": None}
monitor = linchpin.StreamMonitor("register", name="store", keep=100)
over = threading.Event()


def use(number):
    for i in range(OPERATIONS):
        if over.is_set():
            return
        if i % 4 == 0:
            value = i * THREADS + number
            monitor.invoke(number, "write", value)
            store["stored"] = value
            if i % 64 == 0:
                store["copied"] = value
            monitor.complete(number)
        else:
            monitor.invoke(number, "read")
            monitor.complete(number, store["copied" if broken else "stored"])


threads = [threading.Thread(target=use, args=(number,)) for number in range(THREADS)]
for thread in threads:
    thread.start()
while any(thread.is_alive() for thread in threads):
    if monitor.verdict() == "violation":
        over.set()  # what comes makes no difference any more
for thread in threads:
    thread.join()
result = monitor.result()
print("violation: " + result.reason if result.violation else
      f"{result.verdict}: {result.operations} operations")
