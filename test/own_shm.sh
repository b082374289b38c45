# Sourced first, with the arguments of the script: where that is permitted, /dev/shm is the script's own, and other jobs of this machine
# leave nothing in it.
if [ -z "${KNELL_TEST_OWN_SHM-}" ] && unshare --mount true 2>/dev/null; then
    export KNELL_TEST_OWN_SHM=1
    exec unshare --mount sh -c 'mount -t tmpfs none /dev/shm && exec "$0" "$@"' "$0" "$@"
fi
