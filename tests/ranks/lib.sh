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

# kill_one PATTERN ARGUMENTS...: two processes whose command line has the pattern; one of them is killed after a second.
kill_one()
{
    pattern=$1
    shift
    "$mpirun" 2 "$program" "$@" >out.txt 2>err.txt &
    child=$!
    victim=
    for _ in $(seq 100); do
        victim=$(pgrep -P "$child" -f "$pattern" | tail -n 1)
        [ -z "$victim" ] || break
        sleep 0.1
    done
    sleep 1
    kill -KILL "$victim"
    status=0
    wait $child || status=$?
    [ $status -ne 0 ] || fail "one process was killed, and mpirun has ended well"
}
