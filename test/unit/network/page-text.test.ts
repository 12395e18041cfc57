import { expect, test } from "vitest";
import { isText, mediaTypeOf, textOf } from "../../../src/network/page-text.ts";

test.each([
  ...["text/html", "text/plain", "text/markdown", "TEXT/CSS", "application/json", "application/ld+json"],
  ...[
    "application/xml",
    "application/xhtml+xml",
    "image/svg+xml",
    "application/javascript",
    "application/yaml",
  ],
])("%s is text", (name) => {
  const type = mediaTypeOf(`${name}; charset=utf-8`);
  expect(type !== null && isText(type)).toBe(true);
});

test.each([
  ...[
    "application/octet-stream",
    "image/png",
    "application/pdf",
    "application/zip",
    "video/mp4",
    "font/woff2",
  ],
  ...["application/jsonx", "multipart/form-data", "application/wasm"],
])("%s is not", (name) => {
  const type = mediaTypeOf(name);
  expect(type !== null && isText(type)).toBe(false);
});

test.each([undefined, "", "text", "text/", "/html", "te xt/html", "*/*", "text/html\u{0}"])(
  "%j tells no type",
  (header) => {
    expect(mediaTypeOf(header)).toBeNull();
  },
);

test.each<[claim: string, bytes: readonly number[], charset: string | null, text: string]>([
  ["UTF-8 where nothing is said", [0xc3, 0xbc], null, "ü"],
  ["by its charset", [0xfc], "iso-8859-1", "ü"],
  ["by a charset of more than one byte", [0x93, 0xfa, 0x96, 0x7b], "Shift_JIS", "日本"],
  ["by a mark, whatever the charset says", [0xff, 0xfe, 0xfc, 0x00], "iso-8859-1", "ü"],
  ["without its mark", [0xef, 0xbb, 0xbf, 0x61], null, "a"],
  ["UTF-8 where nobody knows the charset", [0xc3, 0xbc], "utf8mb4", "ü"],
  ["with a sign for what is no text", [0x61, 0xff, 0x62], null, "a\u{fffd}b"],
])("bytes are read %s", (_claim, bytes, charset, text) => {
  expect(textOf(Buffer.from(bytes), charset, false)).toBe(text);
});

test("a character that a cut went through is left out, and one that was never whole is marked", () => {
  const half = Buffer.from("aü").subarray(0, 2);
  expect(textOf(half, null, true)).toBe("a");
  expect(textOf(half, null, false)).toBe("a\u{fffd}");
});
