"""Names that are defined inside of a definition (constants, properties, fields of a record) are marked as names."""

from __future__ import annotations

import pytest

from greppy.analysis.chunks import NAME, analyze

INNER = {
    "c": (b"enum mode {\n  MODE_FAST,\n  MODE_SAFE = 2\n};\n", {"mode", "MODE_FAST", "MODE_SAFE"}),
    "cpp": (b"enum class Mode {\n  Fast,\n  Safe = 2\n};\n", {"Mode", "Fast", "Safe"}),
    "csharp": (
        b"class Box {\n  public int Width { get; set; }\n  enum Side { Left, Right }\n}\n",
        {"Box", "Width", "Side", "Left", "Right"},
    ),
    "go": (b"package a\n\ntype Reader interface {\n\tRead(p []byte) error\n}\n", {"Reader", "Read"}),
    "haskell": (
        b"data User = User\n  { userName :: String\n  , userAge :: Int\n  }\n",
        {"User", "userName", "userAge"},
    ),
    "java": (
        b"class Box {\n  static final int WIDTH = 1;\n  enum Side { LEFT, RIGHT }\n}\n",
        {"Box", "WIDTH", "Side", "LEFT", "RIGHT"},
    ),
    "ruby": (
        b"class Box\n  WIDTH = 1\n  def size\n    1\n  end\n  alias length size\nend\n",
        {"Box", "WIDTH", "size", "length"},
    ),
    "rust": (
        b"enum Side { Left, Right }\nimpl Side {\n    const WIDTH: u8 = 1;\n}\n",
        {"Side", "Left", "Right", "WIDTH"},
    ),
}


@pytest.mark.parametrize("language", INNER)
def test_inner_names_are_names(language: str) -> None:
    text, names = INNER[language]
    analysis = analyze(text, language)
    assert analysis is not None
    spans = [span for chunk in analysis.chunks for span in chunk.spans]
    marked = {
        name for field, start, end in spans if field == NAME for name in analysis.text[start:end].decode().split()
    }
    assert marked == names


def test_a_type_keeps_its_symbol_when_its_fields_have_names() -> None:
    analysis = analyze(INNER["haskell"][0], "haskell")
    assert analysis is not None
    assert [chunk.symbol for chunk in analysis.chunks] == ["User"]
