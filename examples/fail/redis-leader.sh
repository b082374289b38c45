#!/bin/sh
# [KNELL]: runs redis-leader.fail in a folder of its own. Status 0: the sentinels elected another leader, and the old one follows it.
# Needs Debian's redis-server and redis-sentinel; ports 17000, 17010, 17011 and 27000 to 27002 of this host.
set -eu
knell=$(command -v "${1:-knell}")
scenario=$(cd "$(dirname "$0")" && pwd)/redis-leader.fail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for slot in 0 1 2; do
    cat >"sentinel-$slot.conf" <<END
port 2700$slot
sentinel monitor lab 127.0.0.1 17000 2
sentinel down-after-milliseconds lab 1000
sentinel failover-timeout lab 2000
END
done
"$(realpath "$knell")" agent --fail "$scenario" --timeout 60s
