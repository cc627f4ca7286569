# Octave and Python with SciPy for tests that read what Phlexor writes: scripts on standard input, run in the current
# directory; one that fails makes the function fail. Use: . ".../tests/support/readers.sh".
octave_script()
{
    command -v octave-cli >/dev/null || {
        echo "octave-cli is missing; tools/setup --test installs it" >&2
        return 1
    }
    cat >script.m
    LC_ALL=C.UTF-8 octave-cli --norc --no-history --quiet script.m
}

# The first Python that has SciPy, the system's before others, which rarely have it.
python_script()
{
    cat >script.py
    for python in ${scipy_python:-/usr/bin/python3 python3}; do
        if [ -n "${scipy_python:-}" ] || "$python" -c 'import scipy' 2>/dev/null; then
            scipy_python=$python
            "$python" script.py
            return
        fi
    done
    echo "Python with SciPy is missing; tools/setup --test installs it" >&2
    return 1
}
