
# Functions of the package bash-completion that the script uses, for a shell without it. The words are those before the
# cursor. Bash itself would also split them at = and :.
__handoff_init_completion()
{
    local line=${COMP_LINE:0:COMP_POINT}
    IFS=$' \t\n' read -ra words <<<"$line"
    [[ $line != *[[:space:]] ]] || words+=("")
    cword=$((${#words[@]} - 1))
    cur=${words[cword]}
}

declare -F _filedir >/dev/null || _filedir()
{
    IFS=$'\n' read -ra COMPREPLY -d '' < <(compgen "${1:--f}" -- "$cur")
    [[ $(type -t compopt) != builtin ]] || compopt -o filenames
}
