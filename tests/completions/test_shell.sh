#!/bin/sh
# Completion in an interactive shell: keys with TABs among them go through a terminal, and the program's stand-in notes
# the arguments that it gets.
#
#   test_shell.sh PROGRAM COMPLETIONS bash|zsh
set -eu
program=$1
completions=$2
shell=$3
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
command -v "$shell" >/dev/null || {
    echo "SKIP: this test needs the package $shell"
    exit 77
}
script -qec true "$place/none" >/dev/null 2>&1 || {
    echo "SKIP: this test needs a pseudo terminal (/dev/pts)"
    exit 77
}
mkdir "$place/bin" "$place/models"
cat >"$place/bin/phlexor" <<END
#!/bin/sh
[ "\$1" != --complete ] || exec "$program" "\$@"
printf '<%s>' "\$@" >>"$place/got"
echo >>"$place/got"
END
chmod +x "$place/bin/phlexor"
cp "$source_dir/examples/four_bar.yaml" "$place/models/four_bar.yaml"
cp "$source_dir/examples/four_bar.yaml" "$place/models/my model.yaml"
cp "$source_dir/examples/manipulator.yaml" "$source_dir/examples/README.md" "$place/models"
cat >"$place/models/names.yaml" <<'END'
phlexor: 1
dimension: 2
parameters: {young: 1, yaw: 2}
bodies:
  Träger links: {kind: rigid, mass: 1, inertia: 1}
  it$HOME&(2): {kind: rigid, mass: 1, inertia: 1}
END
cd "$place/models"
"$program" simulate four_bar.yaml --end 0.01 --step 0.01 -o a_result.h5 >/dev/null

# what is typed; TAB as ~, the line end is added
cat >"$place/keys" <<'END'
phlexor simul~four~--set the~0.5 --integ~rad~--en~1~
phlexor che~my~--set~th~1
phlexor modes --format=js~--at~ste~four_~--sweep=th~0:1:2
phlexor titop names.y~--body Tr~
phlexor titop names.y~--body it~
phlexor titop four_~--body cra~--inv~crank.P.alpha,crank.C.t~--inputs crank.P.al~
phlexor linearize four_~--inp~coupler.C.t~
phlexor plot a_re~--output ~x.svg --mot~
phlexor plot a_re~--col~t,ener~--against kin~
phlexor export --frames 3 a_~-o ../mod~
phlexor sch~--for~j~
END
cat >"$place/wanted" <<'END'
<simulate><four_bar.yaml><--set><theta1=0.5><--integrator><radau5><--end><1>
<check><my model.yaml><--set><theta1=1>
<modes><--format=json><--at><steady><four_bar.yaml><--sweep=theta1=0:1:2>
<titop><names.yaml><--body><Träger links>
<titop><names.yaml><--body><it$HOME&(2)>
<titop><four_bar.yaml><--body><crank><--invert><crank.P.alpha,crank.C.tz><--inputs><crank.P.alpha>
<linearize><four_bar.yaml><--inputs><coupler.C.tz>
<plot><a_result.h5><--output><x.svg><--motion>
<plot><a_result.h5><--columns><t,energy><--against><kinetic>
<export><--frames><3><a_result.h5><-o><../models/>
<schema><--format><json>
END

case $shell in
bash)
    printf '%s\n' "PATH='$place/bin':\$PATH" "PS1='> '" 'HISTFILE=' ". '$completions/phlexor.bash'" >"$place/rc"
    start="bash --noprofile --rcfile '$place/rc' -i"
    ;;
zsh)
    printf '%s\n' "PATH='$place/bin':\$PATH" "PS1='> '" 'HISTFILE=' "fpath=('$completions' \$fpath)" \
        'autoload -Uz compinit' "compinit -u -d '$place/dump'" 'unsetopt auto_remove_slash' >"$place/.zshrc"
    start="ZDOTDIR='$place' zsh -i"
    ;;
esac
{
    tr '~' '\t' <"$place/keys"
    echo exit
} >"$place/typed"
LC_ALL=C.UTF-8 TERM=dumb script -qec "$start" "$place/log" <"$place/typed" >/dev/null 2>&1 || true
if ! diff "$place/wanted" "$place/got" >&2; then
    echo "FAILED: other arguments than wanted (<); the terminal:" >&2
    cat "$place/log" >&2
    exit 1
fi
