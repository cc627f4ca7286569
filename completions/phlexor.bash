# Completion of phlexor for bash. The program says itself what fits (phlexor --complete).

# A word as the program gets it: without quotes and backslashes, ~ expanded.
_phlexor_plain()
{
    local word=$1
    word=${word#[\"\']}
    word=${word%[\"\']}
    word=${word//\\/}
    [[ $word == '~/'* ]] && word=$HOME${word#'~'}
    plain=$word
}

_phlexor()
{
    local plain rest=$COMP_LINE gap word typed candidate cut breaks= k index=0
    local -a words=() answer endings

    # bash cuts words at = and : ; what no space separates belongs together
    for ((k = 0; k < ${#COMP_WORDS[@]}; k++)); do
        word=${COMP_WORDS[k]}
        gap=${rest%%[![:space:]]*}
        rest=${rest#"$gap"}
        rest=${rest#"$word"}
        if ((k > 0)) && [[ -z $gap ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
        ((k != COMP_CWORD)) || index=$((${#words[@]} - 1))
    done
    typed=${words[index]}
    for ((k = 0; k < ${#words[@]}; k++)); do
        _phlexor_plain "${words[k]}"
        words[k]=$plain
    done

    COMPREPLY=()
    mapfile -t answer < <("${words[0]}" --complete $((index - 1)) "${words[@]:1}" 2>/dev/null)
    # bash replaces what stands behind the last = or :
    [[ $COMP_WORDBREAKS != *=* ]] || breaks+==
    [[ $COMP_WORDBREAKS != *:* ]] || breaks+=:
    cut=
    [[ -z $breaks ]] || cut=${typed%"${typed##*["$breaks"]}"}

    case ${answer[0]-} in
    :folders)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "${words[index]#"$cut"}")
        ;;
    :files*)
        compopt -o filenames 2>/dev/null
        read -r -a endings <<<"${answer[0]#:files}"
        while IFS= read -r candidate; do
            if [[ -d $candidate || ${#endings[@]} -eq 0 ]]; then
                COMPREPLY+=("$candidate")
                continue
            fi
            for word in "${endings[@]}"; do
                [[ $candidate != *"$word" ]] || COMPREPLY+=("$candidate")
            done
        done < <(compgen -f -- "${words[index]#"$cut"}")
        ;;
    *)
        for candidate in "${answer[@]}"; do
            candidate=${candidate%%$'\t'*}
            [[ $candidate != *= ]] || compopt -o nospace 2>/dev/null
            candidate=${candidate#"$cut"}
            [[ $typed == [\"\']* ]] || printf -v candidate %q "$candidate"
            COMPREPLY+=("$candidate")
        done
        ;;
    esac
}

complete -F _phlexor phlexor
