# What the tests of several processes share. The path of the tests is made whole first: lib.sh goes to a folder of its own.
mpirun=$(cd "$(dirname "$0")" && pwd)/mpirun
. "$(dirname "$0")/../cli/lib.sh"

# run_on SIZE STATUS ARGUMENTS...: as run; STATUS 1 is any failure, because mpirun has its own.
run_on()
{
    size=$1
    wanted=$2
    shift 2
    status=0
    "$mpirun" "$size" "$program" "$@" >out.txt 2>err.txt || status=$?
    [ "$((status != 0))" -eq "$wanted" ] ||
        fail "$size processes, phlexor $*: exit status $status: $(cat out.txt err.txt)"
}

# once: one line of phlexor's on stderr
once()
{
    [ "$(grep -c '^phlexor: ' err.txt)" -eq 1 ] || fail "expected one message: $(cat err.txt)"
}

# wait_for COMMAND...: until it succeeds, for 30 s at most.
wait_for()
{
    for _ in $(seq 3000); do
        ! "$@" || return 0
        sleep 0.01
    done
    fail "nothing came of: $*"
}

# kill_one BEGUN PATTERN ARGUMENTS...: of two processes whose command line has the pattern one is killed when the command
# BEGUN says that their work has begun.
kill_one()
{
    begun=$1
    pattern=$2
    shift 2
    "$mpirun" 2 "$program" "$@" >out.txt 2>err.txt &
    child=$!
    wait_for pgrep -P "$child" -f "$pattern" >found.txt
    wait_for "$begun"
    victim=$(pgrep -P "$child" -f "$pattern" | tail -n 1)
    kill -KILL "$victim" || fail "no process is left to be killed: $(cat out.txt err.txt)"
    status=0
    wait $child || status=$?
    [ $status -ne 0 ] || fail "one process was killed, and mpirun has ended well"
}
