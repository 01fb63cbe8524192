"""Languages by path and by first line, and the names that users give them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from greppy.analysis import grammars, languages


@pytest.mark.parametrize(
    ("path", "head", "language"),
    [
        (b"src/auth.py", b"", "python"),
        (b"src/AUTH.PY", b"", "python"),
        (b"a/b.ts", b"", "typescript"),
        (b"a/b.tsx", b"", "tsx"),
        (b"a/b.d.ts", b"", "typescript"),
        (b"a/b.ts", b'<?xml version="1.0"?>', "xml"),
        (b"b.mjs", b"", "javascript"),
        (b"Main.java", b"", "java"),
        (b"a.h", b"#include <stdio.h>\nint f(void);\n", "c"),
        (b"a.h", b"#pragma once\nnamespace a {\n", "cpp"),
        (b"a.h", b"template <class T>\nstruct A;\n", "cpp"),
        (b"a.h", b"#ifdef X\n#  include <type_traits>  // more\n#endif\n", "cpp"),
        (b"a.h", b"/* " + b"A licence.\n" * 600 + b"*/\nclass Box {\n", "cpp"),
        (b"a.h", b"class\tBox\n", "c"),
        (b"a.h", b"/*\nclass of devices that use it\nusing the lock\n*/\n#include <linux/list.h>\n", "c"),
        (b"a.h", b"@interface A : NSObject\n", "objc"),
        (b"a.m", b"@implementation A\n", "objc"),
        (b"a.m", b"function y = f(x)\n% doubles\n", "matlab"),
        (b"Makefile", b"", "make"),
        (b"sub/GNUmakefile", b"", "make"),
        (b"Makefile.am", b"", "make"),
        (b"CMakeLists.txt", b"", "cmake"),
        (b"Dockerfile", b"", "dockerfile"),
        (b"Dockerfile.dev", b"", "dockerfile"),
        (b"config.h.in", b"", "c"),
        (b"settings.py-tpl", b"", "python"),
        (b"README", b"", "text"),
        (b"README.md", b"", "markdown"),
        (b"docs/index.rst", b"", "rst"),
        (b"docs/a.txt", b"", "text"),
        (b"docs/a.txt", b"=====\nTitle\n=====\n\n.. contents::\n", "rst"),
        (b"docs/a.txt", b"Title\n=====\n\nText.\n", "rst"),
        (b"requirements.txt", b"# ==\nflask==3.0\n", "text"),
        (b"locale/de/django.po", b"", "po"),
        (b"package.json", b"", "json"),
        (b".eslintrc", b"", "json"),
        (b".bashrc", b"", "bash"),
        (b".gitignore", b"", "text"),
        (b"Cargo.lock", b"", "toml"),
        (b"run", b"#!/bin/sh\n", "bash"),
        (b"run", b"#!/usr/bin/env python3.11\n", "python"),
        (b"run", b"#!/usr/bin/env -S node --harmony\n", "javascript"),
        (b"run", b"#!/usr/bin/perl -w\n", "perl"),
        (b"run", b"#!\n", "text"),
        (b"page", b"<?php echo 1;", "php"),
        (b"feed", b'<?xml version="1.0"?>', "xml"),
        (b"page", b"<!DOCTYPE html>", "html"),
        (b"thing", b"# -*- mode: ruby -*-\n", "ruby"),
        (b"thing", b"// -*- C++ -*-\n", "cpp"),
        (b"thing", b"# vim: set ft=python:\n", "python"),
        (b"thing", b"hello\n", "text"),
        (b"odd\xff\xfe.rs", b"", "rust"),
        (b"noext.", b"", "text"),
        (b"", b"", "text"),
    ],
)
def test_a_language_is_known_by_name_extension_or_first_line(path: bytes, head: bytes, language: str) -> None:
    assert languages.detect(path, head) == language


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("py", "python"),
        ("Python", "python"),
        (".ts", "typescript"),
        ("c++", "cpp"),
        ("cs", "csharp"),
        ("C#", "csharp"),
        ("sh", "bash"),
        ("golang", "go"),
        ("yml", "yaml"),
        ("mjs", "javascript"),
        ("klingon", None),
        ("", None),
    ],
)
def test_names_and_aliases_resolve(name: str, language: str | None) -> None:
    assert languages.resolve(name) == language


def test_every_name_that_is_given_is_known() -> None:
    for table in (languages._BY_EXTENSION, languages._BY_NAME, languages._BY_INTERPRETER, languages._ALIASES):
        assert set(table.values()) <= set(languages.NAMES)


def test_every_query_is_of_a_known_language() -> None:
    with_structure = {name for name in languages.NAMES if grammars.has_query(name)}
    assert {
        "typescript",
        "tsx",
        "javascript",
        "python",
        "rust",
        "go",
        "java",
        "csharp",
        "ruby",
        "php",
    } <= with_structure
    assert {"c", "cpp", "swift", "kotlin", "scala", "lua", "bash", "dart", "elixir", "haskell"} <= with_structure


@pytest.mark.parametrize(
    ("name", "kind"), [("python", "code"), ("markdown", "prose"), ("html", "markup"), ("json", "data"), ("?", "prose")]
)
def test_a_language_has_a_kind(name: str, kind: str) -> None:
    assert languages.kind(name) == kind


@pytest.mark.start_up
def test_the_hot_modules_import_next_to_nothing() -> None:
    code = (
        "import sys; before = set(sys.modules)\n"
        "from greppy.analysis import classify, encoding, languages\n"
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True)
    assert set(eval(done.stdout)) <= {
        "__future__",
        "greppy",
        "greppy.analysis",
        "greppy.analysis.classify",
        "greppy.analysis.encoding",
        "greppy.analysis.languages",
    }
