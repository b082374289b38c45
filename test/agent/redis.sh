#!/bin/sh
# KNELL SCRIPT: the example with Redis; skipped where Redis is not installed.
command -v redis-server >/dev/null && command -v redis-sentinel >/dev/null || exit 77
exec timeout 100 "$2" "$1"
