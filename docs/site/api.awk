# A public header as doxygen reads it. The rules of the headers:
#
#   the first comment is about the file
#   a comment stands above what it is about, or behind it on the line
#   declarations without a blank line between them belong together: those without a comment refer to the last with one
#   a line of dashes begins a section, up to the next one; its text is about what follows at once, too
#   lines in a comment that are indented further are formulas and keep their shape

# Signs that doxygen would take for commands or ends of sentences.
function escaped(line)
{
    gsub(/@/, "\\@", line)
    gsub(/\.\./, "\\.\\.", line)
    gsub(/file:line/, "file\\&#58;line", line) # no address
    return line
}

# "/* text" as "/** text", formulas verbatim.
function comment_of(text, opening,    line, lines, n, k, out, verbatim, listed, deep)
{
    n = split(text, line, "\n")
    out = ""
    for (k = 1; k <= n; k++) {
        if (line[k] ~ /^ *\* *- / || line[k] ~ /^\/\* *- /)
            listed = 1
        else if (line[k] ~ /^ *\*? *$/)
            listed = 0
        deep = k > 1 && !listed && line[k] ~ /^ *\*   *[^ ]/
        if (deep && !verbatim)
            out = out " * \\verbatim\n"
        else if (!deep && verbatim)
            out = out " * \\endverbatim\n"
        verbatim = deep
        if (deep && line[k] ~ /\*\//) {
            sub(/ *\*\/.*/, "", line[k])
            line[k] = line[k] "\n * \\endverbatim */"
        }
        if (deep)
            sub(/^ *\* ?/, "", line[k])
        else
            line[k] = escaped(line[k])
        if (k == 1)
            sub(/\/\*[ ]?/, opening, line[k])
        out = out line[k] (k < n ? "\n" : "")
    }
    return out
}

function title_of(text)
{
    sub(/\n.*/, "", text)
    sub(/^\/\* -+ */, "", text)
    sub(/ *-+( *\*\/)?$/, "", text)
    return text
}

# The name that a declaration declares.
function name_of(all)
{
    gsub(/\/\*+<?[^*]*\*\//, "", all)
    sub(/[ \n]+$/, "", all)
    if (all ~ /^ *typedef[^(]*\{/ || (all ~ /^ *typedef/ && all !~ /\(/)) {
        sub(/; *$/, "", all)
        sub(/.*[} ]/, "", all)
        return all
    }
    return match(all, /[A-Za-z_0-9]+\(/) ? substr(all, RSTART, RLENGTH - 1) : ""
}

# A whole comment at the beginning of a line.
function end_comment()
{
    if (!seen) {
        seen = 1
        print comment_of(text, "/** @file\n * ")
    } else if (text ~ /^\/\* ----/) {
        if (section)
            print "/** @} */"
        section = 1
        known = held = ""
        title = title_of(text)
        if (sub(/^[^\n]*\n( \*\n)?/, "/*\n", text)) {
            print comment_of(text, "/** @name " title)
            held = comment_of(text, "/** ")
            of_section = 1
        } else
            print "/** @name " title " */"
        print "/** @{ */"
    } else {
        of_section = 0
        held = comment_of(text, "/** ")
    }
}

# A whole declaration.
function end_declaration(    name)
{
    name = name_of(declaration)
    if (declaration ~ /^enum \{/) # constants have no page of their own: the comment is for what follows
        print declaration
    else {
        if (held != "")
            known = name
        else if (!behind && known != "")
            held = "/** See " known ". */"
        if (held != "")
            print held
        print declaration
        held = ""
    }
    declaration = ""
    behind = 0
}

in_comment {
    text = text "\n" $0
    if (/\*\//) {
        in_comment = 0
        end_comment()
    }
    next
}
declaration == "" && /^ *\/\*/ {
    text = $0
    if (/\*\//)
        end_comment()
    else
        in_comment = 1
    next
}
declaration == "" && (/^[ \t]*$/ || /^#/ || in_macro || /^(extern "C" \{|\})/) {
    if (/^[ \t]*$/)
        known = ""
    if (held != "" && !in_macro && !of_section)
        print held
    held = ""
    in_macro = /\\$/
    print
    next
}
{
    line = code = $0
    if (trailing) {
        code = ""
        line = escaped(line)
        trailing = line !~ /\*\//
    } else if (line ~ /\/\*/) {
        sub(/\/\*.*/, "", code)
        line = escaped(line)
        sub(/\/\*[ ]?/, code ~ /^ *$/ ? "/** " : "/**< ", line)
        trailing = line !~ /\*\//
    }
    depth += gsub(/\{/, "{", code) - gsub(/\}/, "}", code)
    if (depth == 0 && line ~ /\/\*\*</)
        behind = 1
    declaration = declaration == "" ? line : declaration "\n" line
    if (depth == 0 && code ~ /; *$/)
        ended = 1
    if (depth == 0 && code ~ /^} *$/) # an inline function
        ended = 1
    if (ended && !trailing) {
        ended = 0
        end_declaration()
    }
}
END {
    if (section)
        print "/** @} */"
}
