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
    "dart": (b"enum Side { left, right }\n", {"Side", "left", "right"}),
    "graphql": (b"enum Side {\n  LEFT\n  RIGHT\n}\n", {"Side", "LEFT", "RIGHT"}),
    "kotlin": (
        b"enum class Side(val x: Int) {\n  LEFT(1),\n  RIGHT(2)\n}\nobject Box {\n  const val WIDTH = 1\n}\n",
        {"Side", "LEFT", "RIGHT", "Box", "WIDTH"},
    ),
    "php": (b'<?php\nenum Side: string {\n  case Left = "l";\n  const WIDTH = 1;\n}\n', {"Side", "Left", "WIDTH"}),
    "proto": (b'syntax = "proto3";\nenum Side {\n  LEFT = 0;\n  RIGHT = 1;\n}\n', {"Side", "LEFT", "RIGHT"}),
    "scala": (b"enum Side:\n  case Left, Right\n  case Both(x: Int)\n", {"Side", "Left", "Right", "Both"}),
    "swift": (b"enum Side: String {\n  case up, down\n  case left(Int)\n}\n", {"Side", "up", "down", "left"}),
    "tsx": (b"enum Side {\n  Left,\n  Right = 2\n}\n", {"Side", "Left", "Right"}),
    "typescript": (b"enum Side {\n  Left,\n  Right = 2,\n  Both\n}\n", {"Side", "Left", "Right", "Both"}),
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


def test_a_c_function_that_returns_a_function_has_its_name() -> None:
    analysis = analyze(b"int (*handler_of(int event))(void)\n{\n  return 0;\n}\n", "c")
    assert analysis is not None
    assert [chunk.symbol for chunk in analysis.chunks] == ["handler_of"]
