#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Completion: what the command offers for the beginning of a line, and that bash, zsh and fish, run for real, complete
# with it.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
# offers LINE: candidates, in one line.
offers() { "$heddle" help --format complete -- "$1" | cut -f 1 | xargs; }
same "a command" "topo" "$(offers top)"
same "an option" "--checkpoint" "$(offers 'eval ft dmodk --che')"
same "a selector" "random" "$(offers 'sim ft dmodk --select ran')"
same "patterns only" "worst" "$(offers 'eval ft dmodk -p wor')"
same "a format" "slurm slurm-yaml slurm-yaml-26.05 simai svg" "$(offers 'topo ft --format s')"
same "a format after =" "--format=slurm --format=slurm-yaml --format=slurm-yaml-26.05 --format=simai --format=svg" "$(offers 'topo ft --format=s')"
same "what to optimise for" "balanced alltoall ring random worst" "$(offers 'advise fabric.ibnet --for ' | cut -d ' ' -f 1-5)"
same "nothing" "" "$(offers 'eval ft dmodk -m bis')"
same "a value that may be any file" "" "$(offers 'order ft --nodes ')"
same "an engine where a table is expected" "dfsssp" "$(offers 'route ft dfs')"
same "no engine where a network is expected" "" "$(offers 'route dfs')"
same "a network or a table where several networks may be" "dragonfly dragonfly+ dor" "$(offers 'eval ft d' | xargs -n 1 | grep 'drag\|dor' | xargs)"
same "a kind" "metric" "$(offers 'list met')"
same "a chart and then a network" "heat hypercube hyperx" "$(offers 'plot hea') $(offers 'plot heat hyp')"
same "the name of a schema" "check" "$(offers 'schema ch')"
same "parameters of a topology" "ft:m= ft:n= ft:partial=" "$(offers 'topo ft:' | cut -d ' ' -f 1-3)"
same "a second parameter" "ft:m=4,n=" "$(offers 'topo ft:m=4,n')"
same "values of a parameter" "psssp:tie=first psssp:tie=random" "$(offers 'check ft:m=4,n=2 psssp:tie=')"
same "a flag" "sharp=on sharp=off" "$(offers 'topo rail:sharp=' | sed 's/rail://g')"
same "parameters of a pattern" "uniform:p=" "$(offers 'eval ft dmodk -p uniform:p')"
same "after an unknown command" "" "$(offers 'topoo f')"
same "after a line of blanks" "topo" "$(offers '   top')"
lines=$("$heddle" help --format complete "" | grep -vcP '^[a-z]+\t.+')
same "every command is offered with what it does" 0 "$lines"

mkdir "$tmp/bin" "$tmp/home"
ln -s "$heddle" "$tmp/bin/heddle"
export PATH=$tmp/bin:$PATH HOME=$tmp/home
for shell in bash zsh fish; do "$heddle" help --format $shell >"$tmp/heddle.$shell"; done

# in_bash LINE: what the last word becomes, without what comes before a : or = in it.
in_bash() {
    bash -c '. "$1"; COMP_LINE=$2 COMP_POINT=${#2}; _heddle heddle; printf "%s\n" "${COMPREPLY[@]}"' - "$tmp/heddle.bash" "$1" | xargs
}
same "bash: a command" topo "$(in_bash 'heddle top')"
same "bash: a goal" alltoall "$(in_bash 'heddle advise x --for all')"
same "bash: parameters after the colon" "m= n=" "$(in_bash 'heddle topo ft:' | cut -d ' ' -f 1-2)"
same "bash: values after =" "first random" "$(in_bash 'heddle check ft psssp:tie=')"

if command -v fish >/dev/null; then
    in_fish() { fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$tmp/heddle.fish" "$1" | cut -f 1 | xargs; }
    same "fish: a command" topo "$(in_fish 'heddle top')"
    same "fish: goals" "alltoall balanced random ring worst" "$(in_fish 'heddle advise x --for ' | cut -d ' ' -f 1-5)"
    same "fish: a parameter" "ft:m=4,n=" "$(in_fish 'heddle topo ft:m=4,n')"
    touch "$tmp/home/nodes.txt"
    same "fish: a file where a file is expected" "nodes.txt" "$(cd "$tmp/home" && in_fish 'heddle order ft --nodes nod')"
else
    skip "fish" "it is not installed"
fi

# A line typed at zsh's prompt, with tabs; the command prints its arguments.
if command -v zsh >/dev/null; then
    cat >"$tmp/type.zsh" <<'ZSH'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT=; autoload -Uz compinit; compinit -u -D; source $1; unsetopt zle_bracketed_paste 2>/dev/null"
zpty -w shell 'heddle() { if [[ $1 == help ]]; then command heddle "$@"; else print -r -- "<$*>"; fi }; print re""ady'
zpty -r shell out $'*ready\r*'
zpty -w shell "$2"
zpty -r shell out '*<*>*'
print -r -- "${${out##*<}%%>*}"
zpty -d shell
ZSH
    in_zsh() { timeout 60 zsh -f "$tmp/type.zsh" "$tmp/heddle.zsh" "$1"; }
    same "zsh: a command and an option" "topo ft:m=4,n=2 --format slurm" "$(in_zsh $'heddle top\tft:m=4,n=2 --form\tslurm')"
    same "zsh: a goal" "advise x --for alltoall" "$(in_zsh $'heddle advise x --for allt\t')"
    same "zsh: a parameter, without a blank after it" "topo ft:partial=no" "$(in_zsh $'heddle topo ft:par\tno')"
else
    skip "zsh" "it is not installed"
fi
finish
