# Made from greppy/cli/options.py by python -m greppy.cli.man; do not edit.
# Completion of greppy, git-greppy and "git greppy": source it, or put it where bash-completion looks.
__greppy_words() {
    case $1 in
        search) echo "-l --limit -p --project --path --include --exclude --lang --file --ext --sym --kind --domain --rev --all-branches --since --changed --recurse-submodules -j --json --show-plan --explain --no-refresh --wait --content --no-content --help" ;;
        query) echo "--path --mode --format -l --max-results -C --context-lines --max-tokens --cursor --include --exclude --lang --file --ext --sym --kind --domain --rev --show-plan --explain --no-refresh --help" ;;
        grep) echo "-e --regexp -f --file --and --or --not --open --close -E --extended-regexp -F --fixed-strings -P --perl-regexp -i --ignore-case -S --smart-case -w --word-regexp -v --invert-match -U --multiline -n --line-number --no-line-number --column -h --no-filename -H --with-filename --full-name -z --null -l --files-with-matches --name-only -L --files-without-match -c --count -o --only-matching -q --quiet -m --max-count -A --after-context -B --before-context -C --context -p --show-function -W --function-context -a --text -I --skip-binary -r --recursive --cached --untracked --no-index --rev --all-branches --since --changed --recurse-submodules -t --type -g --glob --project --color --no-color --json --coverage --no-refresh --help" ;;
        index) echo "-f --force -w --watch -r --recursive --help" ;;
        list) echo "-j --json --help" ;;
        forget) echo "--help" ;;
        status) echo "-j --json --skipped -p --project --help" ;;
        hooks) echo "install uninstall status --global -j --json -p --project --help" ;;
        daemon) echo "start stop restart status run --install --uninstall -j --json --help" ;;
        history) echo "-i --ignore-case -F --fixed-strings -E --extended-regexp -w --word-regexp -S --occurrences -G --lines -n --max-count --since --until --all -j --json -p --project --help" ;;
        gc) echo "-n --dry-run -j --json --help" ;;
        doctor) echo "--fix -j --json -p --project --help" ;;
        config) echo "-j --json --help" ;;
        help) echo "search query grep index list forget status hooks daemon history gc doctor config help --help" ;;
    *) echo "search query grep index list forget status hooks daemon history gc doctor config help --help --version" ;;
    esac
}
__greppy() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} verb=search
    COMPREPLY=()
    case $previous in
        -p|--project|--path) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$current")); return ;;
        --lang) COMPREPLY=($(compgen -W "ada asciidoc asm bash batch c clojure cmake coffeescript commonlisp cpp crystal csharp css csv cuda cython d dart diff dockerfile elisp elixir elm erlang fish fortran fsharp gdscript glsl go graphql groovy haskell hcl html ini java javascript json julia kotlin less lua make markdown matlab meson nim nix objc ocaml org pascal perl php po powershell prisma properties proto puppet purescript python r racket rst ruby rust scala scheme scss solidity sql starlark svelte svg swift tcl template tex text thrift toml tsv tsx typescript verilog vhdl vim vue wgsl xml yaml zig" -- "$current")); return ;;
    esac
    if ((COMP_CWORD == $1)); then
        [[ $current == -* ]] || verb=
    else
        [[ " search query grep index list forget status hooks daemon history gc doctor config help " == *" ${COMP_WORDS[$1]} "* ]] && verb=${COMP_WORDS[$1]}
    fi
    if [[ -z $verb || $current == -* || $verb == @(help|hooks|daemon) ]]; then
        COMPREPLY=($(compgen -W "$(__greppy_words "$verb")" -- "$current"))
    elif [[ $verb == @(index|forget|gc) ]]; then
        compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$current"))
    fi
}
_greppy() { __greppy 1; }
_git_greppy() { __greppy 2; }
complete -F _greppy greppy git-greppy
