#!/usr/bin/env python3
# Are two summaries of `knell explore --json` the same, apart from what differs from run to run: the records, the rank that was the
# first to say something, the time limit?
import json
import re
import sys

a, b = (json.load(open(path)) for path in sys.argv[1:3])
for summary in (a, b):
    for cause in summary["causes"]:
        cause["record"] = cause["ended"] = ""
        cause["command"] = re.sub(r" --timeout \S+", "", cause["command"])
for key in sorted(set(a) | set(b)):
    if a.get(key) != b.get(key):
        sys.exit("%s: %s, but %s" % (key, a.get(key), b.get(key)))
