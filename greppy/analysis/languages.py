"""Which language a file is in: path and first bytes in, a language name out.

Languages decide how a blob is cut into chunks and what `--lang` means, and the name is part of an analysis's key. This
module is imported on every search, so its tables are literals and it imports nothing.
"""

from __future__ import annotations

_CODE = (
    "ada asm bash batch c clojure cmake coffeescript commonlisp cpp crystal csharp cuda cython d dart dockerfile "
    "elisp elixir elm erlang fish fortran fsharp gdscript glsl go graphql groovy haskell hcl java javascript "
    "julia kotlin lua make matlab meson nim nix objc ocaml pascal perl php powershell prisma proto puppet "
    "purescript python r racket ruby rust scala scheme solidity sql starlark svelte swift tcl thrift tsx "
    "typescript verilog vhdl vim vue wgsl zig"
)
_PROSE = "asciidoc markdown org rst tex text"
_MARKUP = "css html less scss template xml"
_DATA = "csv diff ini json po properties svg toml tsv yaml"

_KINDS: dict[str, str] = {
    name: kind
    for kind, names in (("code", _CODE), ("prose", _PROSE), ("markup", _MARKUP), ("data", _DATA))
    for name in names.split()
}
NAMES: tuple[str, ...] = tuple(sorted(_KINDS))

_ALIASES: dict[str, str] = {
    "adoc": "asciidoc", "assembly": "asm", "bat": "batch", "c#": "csharp", "c++": "cpp", "cc": "cpp", "clj": "clojure",
    "cmd": "batch", "coffee": "coffeescript", "cs": "csharp", "cxx": "cpp", "docker": "dockerfile", "erl": "erlang",
    "emacs-lisp": "elisp", "ex": "elixir", "f#": "fsharp", "f90": "fortran", "fs": "fsharp", "golang": "go",
    "gql": "graphql", "h": "c", "hpp": "cpp", "hs": "haskell", "htm": "html", "jl": "julia", "js": "javascript",
    "jsx": "javascript", "kt": "kotlin", "latex": "tex", "lisp": "commonlisp", "makefile": "make", "md": "markdown",
    "ml": "ocaml", "node": "javascript", "objective-c": "objc", "objectivec": "objc", "patch": "diff", "pl": "perl",
    "plain": "text", "protobuf": "proto", "ps1": "powershell", "py": "python", "python3": "python", "pyx": "cython",
    "rb": "ruby", "restructuredtext": "rst", "rs": "rust", "sass": "scss", "sh": "bash", "shell": "bash",
    "sol": "solidity", "terraform": "hcl", "tf": "hcl", "ts": "typescript", "txt": "text", "viml": "vim", "yml": "yaml",
    "zsh": "bash",
}  # fmt: skip

_EXTENSIONS: dict[str, str] = {
    "ada": "adb ads", "asciidoc": "adoc asc asciidoc", "asm": "asm nasm s", "bash": "bash bats ebuild ksh sh zsh",
    "batch": "bat cmd", "c": "c h idc", "clojure": "bb clj cljc cljs edn", "cmake": "cmake", "coffeescript": "coffee",
    "commonlisp": "cl lisp lsp", "cpp": "c++ cc cpp cxx h++ hh hpp hxx inl ipp ixx tcc tpp", "crystal": "cr",
    "csharp": "cs csx", "css": "css", "csv": "csv", "cuda": "cu cuh", "cython": "pxd pxi pyx", "d": "d", "dart": "dart",
    "diff": "diff patch", "dockerfile": "dockerfile", "elisp": "el", "elixir": "ex exs", "elm": "elm",
    "erlang": "erl hrl", "fish": "fish", "fortran": "f f03 f08 f77 f90 f95 for", "fsharp": "fs fsi fsx",
    "gdscript": "gd", "glsl": "comp frag geom glsl vert", "go": "go", "graphql": "gql graphql graphqls",
    "groovy": "gradle groovy", "haskell": "hs", "hcl": "hcl tf tfvars", "html": "htm html xhtml",
    "ini": "cfg conf editorconfig ini", "java": "java", "javascript": "cjs es6 js jsx mjs",
    "json": "geojson ipynb json json5 jsonc jsonl ndjson webmanifest", "julia": "jl", "kotlin": "kt kts",
    "less": "less", "lua": "lua", "make": "mak mk", "markdown": "markdown md mdown mdx mkd",
    "nim": "nim nims", "nix": "nix", "objc": "m mm", "ocaml": "ml mli", "org": "org", "pascal": "dpr lpr pas",
    "perl": "perl pl pm t", "php": "php php3 php4 php5 phtml", "po": "po pot", "powershell": "ps1 psd1 psm1",
    "prisma": "prisma", "properties": "properties", "proto": "proto", "puppet": "pp", "purescript": "purs",
    "python": "py py-tpl pyi pyw", "r": "r", "racket": "rkt", "rst": "rest rst", "ruby": "gemspec rake rb ru",
    "rust": "rs", "scala": "sbt sc scala", "scheme": "scm ss", "scss": "sass scss", "solidity": "sol",
    "sql": "ddl psql sql", "starlark": "bzl star", "svelte": "svelte", "svg": "svg", "swift": "swift", "tcl": "tcl tk",
    "template": "ejs erb hbs j2 jinja jinja2 mustache twig", "tex": "bib cls sty tex", "text": "log text txt",
    "thrift": "thrift", "toml": "toml", "tsv": "tsv", "tsx": "tsx", "typescript": "cts mts ts",
    "verilog": "sv svh v vh", "vhdl": "vhd vhdl", "vim": "vim", "vue": "vue", "wgsl": "wgsl",
    "xml": "csproj fsproj plist props rng targets vbproj xaml xml xsd xsl xslt", "yaml": "clang-format yaml yml",
    "zig": "zig zon",
}  # fmt: skip
_BY_EXTENSION: dict[bytes, str] = {
    extension.encode(): name for name, extensions in _EXTENSIONS.items() for extension in extensions.split()
}

_BY_NAME: dict[bytes, str] = {
    b".babelrc": "json", b".bash_profile": "bash", b".bashrc": "bash", b".editorconfig": "ini", b".emacs": "elisp",
    b".eslintrc": "json", b".gitconfig": "ini", b".gitmodules": "ini", b".prettierrc": "json", b".profile": "bash",
    b".vimrc": "vim", b".zshrc": "bash", b"apkbuild": "bash", b"brewfile": "ruby", b"build": "starlark",
    b"build.bazel": "starlark", b"cargo.lock": "toml", b"changelog": "text", b"changes": "text",
    b"cmakelists.txt": "cmake", b"composer.lock": "json", b"containerfile": "dockerfile", b"copying": "text",
    b"dockerfile": "dockerfile", b"gemfile": "ruby", b"gnumakefile": "make", b"go.mod": "text", b"go.sum": "text",
    b"guardfile": "ruby", b"jenkinsfile": "groovy", b"justfile": "make", b"license": "text", b"makefile": "make",
    b"meson.build": "meson", b"meson_options.txt": "meson", b"news": "text", b"pipfile": "toml",
    b"pipfile.lock": "json", b"pkgbuild": "bash", b"podfile": "ruby", b"poetry.lock": "toml", b"pom.xml": "xml",
    b"rakefile": "ruby", b"readme": "text", b"sconscript": "python", b"sconstruct": "python", b"uv.lock": "toml",
    b"vagrantfile": "ruby", b"workspace": "starlark", b"wscript": "python", b"yarn.lock": "yaml",
}  # fmt: skip

_BY_INTERPRETER: dict[bytes, str] = {
    b"ash": "bash", b"bash": "bash", b"bun": "typescript", b"clojure": "clojure", b"csi": "csharp", b"dash": "bash",
    b"deno": "typescript", b"elixir": "elixir", b"escript": "erlang", b"fish": "fish", b"gawk": "text",
    b"groovy": "groovy", b"guile": "scheme", b"ipython": "python", b"julia": "julia", b"kotlin": "kotlin",
    b"ksh": "bash", b"lua": "lua", b"luajit": "lua", b"make": "make", b"node": "javascript", b"nodejs": "javascript",
    b"ocaml": "ocaml", b"perl": "perl", b"php": "php", b"pwsh": "powershell", b"pypy": "python", b"python": "python",
    b"racket": "racket", b"rscript": "r", b"ruby": "ruby", b"runghc": "haskell", b"sbcl": "commonlisp",
    b"scala": "scala", b"sh": "bash", b"swift": "swift", b"tclsh": "tcl", b"ts-node": "typescript",
    b"tsx": "typescript", b"wish": "tcl", b"zsh": "bash",
}  # fmt: skip

_TEMPLATE_SUFFIXES = (b"in", b"tmpl", b"template", b"tpl", b"example", b"sample", b"dist", b"orig", b"bak")
_CPP_WORDS = (b"class ", b"namespace ", b"using ", b"friend ", b"explicit ")
_CPP_LINES = (b"template<", b"template <", b"public:", b"private:", b"protected:", b"virtual ", b"constexpr ",
              b"inline constexpr ", *_CPP_WORDS)  # fmt: skip
"""How lines of C++ begin and those of C do not; so do sentences in comments, with the words."""

_OBJC_LINES = (b"@interface", b"@protocol", b"@implementation", b"@class", b"#import", b"@import", b"@property")


def kind(name: str) -> str:
    """The nature of a language: "code", "prose", "markup" or "data" ("prose" for a name that is not known)."""
    return _KINDS.get(name, "prose")


def resolve(name: str) -> str | None:
    """The language that a user means by `name` (`py`, `C++`, `.ts`, `Python`), or None."""
    wanted = name.strip().lower().lstrip(".")
    if wanted in _KINDS:
        return wanted
    return _ALIASES.get(wanted) or _BY_EXTENSION.get(wanted.encode("utf-8", "surrogateescape"))


HEAD_BYTES = 16384
"""Of a file, what `detect` is shown everywhere, so that its language does not depend on who asks."""


def detect(path: bytes, head: bytes) -> str:
    """The language of the file at `path` that begins with `head` (a few hundred bytes are enough but for headers, whose
    licence and macros may take thousands).

    The name decides first, then the extension, then the first line (shebang, modeline, `<?xml`, `<?php`). What nothing
    recognises is "text".
    """
    base = path[path.rfind(b"/") + 1 :].lower()
    by_name = _BY_NAME.get(base)
    if by_name:
        return by_name
    stem, _, extension = base.rpartition(b".")
    if extension in _TEMPLATE_SUFFIXES and b"." in stem:
        stem, _, extension = stem.rpartition(b".")
    by_extension = _BY_EXTENSION.get(extension) if stem or base.startswith(b".") else None
    if by_extension:
        return _disambiguate(by_extension, extension, head)
    if base.startswith((b"dockerfile.", b"containerfile.")):
        return "dockerfile"
    if base.startswith((b"makefile.", b"gnumakefile.")):
        return "make"
    return _by_first_line(head) or "text"


def _disambiguate(name: str, extension: bytes, head: bytes) -> str:
    if extension == b"h":
        return _header_language(head)
    if extension == b"m":
        return name if _has_line(head, _OBJC_LINES) or b"/*" in head[:4096] or b"//" in head[:4096] else "matlab"
    if extension == b"ts" and head.startswith(b"<?xml"):
        return "xml"
    if extension == b"t" and not (b"perl" in head[:200] or b"use " in head or b"ok(" in head):
        return "text"
    if extension in (b"txt", b"text") and _is_restructured(head):
        return "rst"
    if extension in (b"pl", b"pp", b"cls", b"v", b"cfg", b"conf", b"log", b"txt", b"text"):
        return _by_first_line(head) or name
    return name


def _is_restructured(head: bytes) -> bool:
    """Whether text is reStructuredText by its first title or by a directive, as Python projects write their `.txt`."""
    lines = [line.rstrip() for line in head.split(b"\n")[:40]]
    directive = any(line.startswith(b".. ") and (b"::" in line or line.endswith(b":")) for line in lines)
    title = any(
        _is_underline(lines[i]) and 0 < len(lines[i - 1]) <= len(lines[i]) for i in range(1, min(4, len(lines)))
    )
    return directive or title


def _is_underline(line: bytes) -> bool:
    return len(line) > 3 and line[:1] in b"=-~*#^" and not line.strip(line[:1])


def _header_language(head: bytes) -> str:
    if _has_line(head, _OBJC_LINES):
        return "objc"
    return "cpp" if any(map(_is_cpp, head.split(b"\n"))) else "c"


def _is_cpp(line: bytes) -> bool:
    """Whether a line is C++ and neither C nor prose. Included files without an ending are those of its library."""
    line = line.strip()
    if line.startswith(b"#"):
        directive, _, name = line[1:].partition(b"<")
        return directive.strip() == b"include" and b"." not in name.partition(b">")[0]
    if not line.startswith(_CPP_LINES):
        return False
    return not line.startswith(_CPP_WORDS) or line[-1:] in b"{;:,>)\\" or len(line.split()) == 2


def _has_line(head: bytes, openings: tuple[bytes, ...]) -> bool:
    return any(line.lstrip().startswith(openings) for line in head.split(b"\n"))


def _by_first_line(head: bytes) -> str | None:
    first = head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n\t ")[:400]
    line = first[: first.find(b"\n")] if b"\n" in first else first
    if line.startswith(b"#!"):
        return _by_shebang(line)
    lowered = line.lower()
    for opening, name in ((b"<?xml", "xml"), (b"<?php", "php"), (b"<!doctype html", "html"), (b"<html", "html")):
        if lowered.startswith(opening):
            return name
    return _by_modeline(line)


def _by_shebang(line: bytes) -> str | None:
    words = [word for word in line[2:].split() if not word.startswith(b"-") and b"=" not in word]
    names = [word[word.rfind(b"/") + 1 :] for word in words[:2]]
    if names and names[0] == b"env":
        names = names[1:]
    return _BY_INTERPRETER.get(names[0].rstrip(b"0123456789.")) if names else None


def _by_modeline(line: bytes) -> str | None:
    """Emacs (`-*- mode: ruby -*-`, `-*- C++ -*-`) and Vim (`vim: set ft=python:`) modelines."""
    if line.count(b"-*-") >= 2:
        said = line.split(b"-*-")[1].strip()
        for setting in said.split(b";"):
            key, colon, value = setting.partition(b":")
            if not colon or key.strip().lower() == b"mode":
                return resolve((value if colon else key).strip().decode("latin-1"))
        return None
    for marker in (b"filetype=", b"ft="):
        if b"vim:" in line and marker in line:
            word = line.split(marker, 1)[1].replace(b":", b" ").split()
            return resolve(word[0].decode("latin-1")) if word else None
    return None
