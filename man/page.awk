# One man page, for make-pages, which says what goes in.

# Plain text as roff: signs that roff takes for its own.
function roff(s)
{
    gsub(/\\/, "\\e", s)
    gsub(/'/, "\\(aq", s)
    gsub(/-/, "\\-", s)
    sub(/^\./, "\\\\\\&.", s)
    return s
}

# A sentence; a list of words stays as it is.
function capital(s)
{
    if (s ~ /^[a-z0-9]+,/)
        return s
    return toupper(substr(s, 1, 1)) substr(s, 2)
}

function small(s)
{
    return tolower(substr(s, 1, 1)) substr(s, 2)
}

# What stands for a value: words as they are, the rest slanted.
function value_of(value)
{
    if (value == "")
        return ""
    if (value ~ /^[a-z0-9|-]+$/) {
        value = roff(value)
        gsub(/\|/, "\\fR|\\fB", value)
        return " \\fB" value "\\fR"
    }
    return " \\fI" roff(value) "\\fR"
}

function print_options(    k)
{
    print ".SH OPTIONS"
    for (k = 1; k <= n_options; k++) {
        print ".TP"
        print (letter[k] == "" ? "" : "\\fB\\-" letter[k] "\\fR, ") "\\fB" roff(option[k]) "\\fR" value_of(value[k])
        print roff(capital(doc[k])) "."
        printf "%s", more[option[k]]
        delete more[option[k]]
    }
    print ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nWhat the command does, and its options."
    for (k in more)
        if (k != "") {
            print text ": there is no option " k >"/dev/stderr"
            status = 1
        }
}

function print_commands(    k)
{
    for (k = 1; k <= n_commands; k++) {
        print ".TP"
        print ".BR phlexor\\-" name[k] " (1)"
        print roff(meaning[k]) "."
    }
}

# The tables that `phlexor schema` writes as Markdown.
function print_keys(    line, field, n, after_heading)
{
    after_heading = 1
    while ((getline line <keys) > 0) {
        if (line ~ /^## /) {
            print ".SS " roff(substr(line, 4))
            after_heading = 1
        } else if (line ~ /^\| `/) {
            gsub(/\\\|/, "\001", line)
            n = split(line, field, / *\| */)
            gsub(/`/, "", line)
            for (n = 2; n <= 7; n++) {
                gsub(/\001/, "|", field[n])
                gsub(/`/, "", field[n])
            }
            print ".TP"
            print "\\fB" roff(field[2]) "\\fR"
            print roff(capital(field[7])) (field[7] == "" ? "" : ".")
            print roff(capital(field[3])) (field[4] == "" ? "" : " (" roff(field[4]) ")") \
                (field[5] == "" ? "" : field[5] == "required" ? ", required" : ", default: " roff(field[5])) \
                (field[6] == "" ? "." : "; only for " roff(field[6]) ".")
        } else if (line !~ /^(#|\||$)/) {
            gsub(/`/, "", line)
            print (after_heading ? "" : ".P\n") roff(line)
            after_heading = 0
        }
    }
}

BEGIN {
    while ((getline <tables) > 0) {
        if ($1 == "command") {
            name[++n_commands] = $2
            meaning[n_commands] = $4
        }
        if ($2 != command || command == "")
            continue
        if ($1 == "command") {
            arguments = $3
            summary = $4
        } else if ($1 == "details")
            details = details roff($3) "\n"
        else {
            option[++n_options] = $3
            letter[n_options] = $4
            value[n_options] = $5
            doc[n_options] = $6
        }
    }
    print ".\\\" Made by man/make-pages."
    print ".TH " toupper(roff(page)) " " section " " date " \"Phlexor " version "\" \"" group "\""
    if (command != "") {
        print ".SH NAME\n" roff(page) " \\- " roff(small(summary))
        print ".SH SYNOPSIS\n.B phlexor " command
        if (arguments != "")
            print ".I " roff(arguments)
        print ".RI [ OPTION ]..."
    }
    while ((getline line <text) > 0) {
        if (line == "@commands")
            print_commands()
        else if (line == "@keys")
            print_keys()
        else if (line ~ /^@option /) {
            place = substr(line, 9)
            more[place] = more[place] ""
        } else if (line == "@rest")
            place = "rest"
        else if (place == "")
            head = head line "\n"
        else if (place == "rest")
            rest = rest line "\n"
        else
            more[place] = more[place] line "\n"
        if (command == "" && line !~ /^@/) {
            gsub(/@version@/, version, line)
            print line
        }
    }
    if (command == "")
        exit status
    if (head == "")
        head = ".SH DESCRIPTION\n" roff(summary) ".\n" details
    printf "%s", head
    print_options()
    printf "%s", rest
    print ".SH EXIT STATUS\n0: done. 1: the analysis failed. 2: the command line or an input file is wrong. 130: interrupted."
    print ".SH SEE ALSO\n.BR phlexor (1),\n.BR phlexor\\-model (5)"
    exit status
}
