import { describe, expect, test } from "vitest";
import { languageOf } from "../../../src/approval/language.ts";
import { printBytes } from "../../../src/approval/media-type.ts";
import { presentFile } from "../../../src/approval/present.ts";

const latin1 = (text: string): Uint8Array => Buffer.from(text, "latin1");
const MIB = 1024 ** 2;
const PNG = latin1("\x89PNG\r\n\x1a\n\0\0\0\rIHDR");

describe("a new file", () => {
  test("is shown with its path, its content and its language", () => {
    expect(presentFile({ path: "/w/a.py", content: Buffer.from("print('é')\n") })).toEqual({
      type: "file_content",
      about: "/w/a.py",
      language: "python",
      content: "print('é')\n",
    });
    expect(presentFile({ path: "/w/a.py", content: "x", language: "ruby" }).language).toBe("ruby");
    expect(presentFile({ path: "/w/notes", content: "" })).toEqual({
      type: "file_content",
      about: "/w/notes",
      content: "",
    });
  });

  test("keeps its byte order mark, so that it can be seen", () => {
    expect(presentFile({ path: "/w/a", content: Buffer.from("\u{feff}a") }).content).toBe("\u{feff}a");
  });

  test("that is not text is told by its kind and size, and none of its bytes is shown (S1-33)", () => {
    const content = Buffer.concat([PNG, Buffer.alloc(2_355 - PNG.length, 7)]);
    expect(presentFile({ path: "/w/a.png", content })).toEqual({
      type: "text",
      about: "/w/a.png",
      content: "Binary file: image/png (2.3 KB)",
    });
  });

  test("is not text when it has a NUL or is not UTF-8, and else is text, whatever it begins with (S1-33)", () => {
    const shown = (content: Uint8Array | string): string => presentFile({ path: "/w/a", content }).content;
    expect(shown("echo\0")).toBe("Binary file: application/octet-stream (5 B)");
    expect(shown(Buffer.from("echo\0"))).toBe("Binary file: application/octet-stream (5 B)");
    expect(shown(latin1("caf\xe9"))).toBe("Binary file: application/octet-stream (4 B)");
    expect(shown("%PDF-1.7\n")).toBe("%PDF-1.7\n");
  });

  test.each([
    ["image/jpeg", "\xff\xd8\xff\xe0"],
    ["image/gif", "GIF89a\0"],
    ["image/webp", "RIFF\0\0\0\0WEBP"],
    ["audio/wav", "RIFF\0\0\0\0WAVE"],
    ["video/mp4", "\0\0\0\x18ftypmp42"],
    ["application/pdf", "%PDF-1.7\n\xe2\xe3"],
    ["application/zip", "PK\x03\x04\0"],
    ["application/gzip", "\x1f\x8b\x08\0"],
    ["application/zstd", "\x28\xb5\x2f\xfd\0"],
    ["application/x-tar", `${"\0".repeat(257)}ustar`],
    ["application/x-elf", "\x7fELF\0"],
    ["application/wasm", "\0asm\x01"],
    ["application/vnd.sqlite3", "SQLite format 3\0"],
    ["application/octet-stream", "\0\0\0\0"],
  ])("is known as %s by its first bytes", (mediaType, bytes) => {
    const size = `(${bytes.length} B)`;
    expect(presentFile({ path: "/w/a", content: latin1(bytes) }).content).toBe(
      `Binary file: ${mediaType} ${size}`,
    );
  });
});

test("a size has one decimal, and a KB is 1,024 bytes", () => {
  const sizes = [0, 1_023, 1_024, 2_355, MIB - 1, MIB, 1.5 * MIB, 1_024 * MIB, 5_000 * 1_024 * MIB];
  expect(sizes.map(printBytes)).toEqual([
    "0 B",
    "1023 B",
    "1.0 KB",
    "2.3 KB",
    "1.0 MB",
    "1.0 MB",
    "1.5 MB",
    "1.0 GB",
    "5000.0 GB",
  ]);
});

test("a language is told by a file's name", () => {
  const names = [
    "a.ts",
    "/w/a.d/B.PY",
    ".bashrc",
    "Dockerfile",
    "a/Gemfile",
    "a.tar.gz",
    "py",
    "a.constructor",
    "",
    "a.",
  ];
  const languages = ["typescript", "python", "shell", "dockerfile", "ruby"];
  expect(names.map(languageOf)).toEqual([...languages, ...Array.from({ length: 5 }, () => undefined)]);
});
