#!/usr/bin/env python3
"""Parses a history of JSON lines and does nothing with it: the time that a script would need before
it could begin to decide. Usage: parse.py HISTORY"""
import json
import sys

invocations = 0
with open(sys.argv[1], "rb") as lines:
    for line in lines:
        invocations += json.loads(line)["type"] == "invoke"
print(invocations)
