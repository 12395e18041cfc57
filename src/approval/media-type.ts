/** Signatures of file kinds (Latin-1), and their offsets; the first match counts. */
const SIGNATURES: readonly (readonly [mediaType: string, at: number, bytes: string])[] = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF8"],
  ["image/webp", 8, "WEBP"],
  ["image/tiff", 0, "II*\0"],
  ["image/tiff", 0, "MM\0*"],
  ["image/x-icon", 0, "\0\0\x01\0"],
  ["audio/wav", 8, "WAVE"],
  ["audio/mpeg", 0, "ID3"],
  ["application/ogg", 0, "OggS"],
  ["video/mp4", 4, "ftyp"],
  ["application/pdf", 0, "%PDF-"],
  ["application/zip", 0, "PK\x03\x04"],
  ["application/gzip", 0, "\x1f\x8b"],
  ["application/zstd", 0, "\x28\xb5\x2f\xfd"],
  ["application/x-xz", 0, "\xfd7zXZ\0"],
  ["application/x-bzip2", 0, "BZh"],
  ["application/x-7z-compressed", 0, "7z\xbc\xaf\x27\x1c"],
  ["application/x-tar", 257, "ustar"],
  ["application/x-elf", 0, "\x7fELF"],
  ["application/x-mach-binary", 0, "\xcf\xfa\xed\xfe"],
  ["application/vnd.microsoft.portable-executable", 0, "MZ"],
  ["application/java-vm", 0, "\xca\xfe\xba\xbe"],
  ["application/wasm", 0, "\0asm"],
  ["application/vnd.sqlite3", 0, "SQLite format 3\0"],
];

/** Maximum of bytes that a signature reaches into a file. */
const REACH = 512;

/** The media type by the first bytes: a hint, no promise, since the file's author chose them. */
export function mediaTypeOf(content: Uint8Array | string): string {
  const bytes = typeof content === "string" ? Buffer.from(content.slice(0, REACH)) : content;
  const first = Buffer.from(bytes.subarray(0, REACH)).toString("latin1");
  return SIGNATURES.find(([, at, text]) => first.startsWith(text, at))?.[0] ?? "application/octet-stream";
}

const UNITS = ["B", "KB", "MB", "GB"] as const;

/** A size for people, a KB being 1,024 bytes: `812 B`, `2.3 KB`, `99.0 MB`. */
export function printBytes(bytes: number): string {
  const unit = UNITS.findIndex((_, power) => roundedTo(bytes, power) < 1024);
  const power = unit === -1 ? UNITS.length - 1 : unit;
  return power === 0 ? `${bytes} B` : `${roundedTo(bytes, power).toFixed(1)} ${UNITS[power] ?? ""}`;
}

/** In units of 1024 to that power, to one decimal; `1024.0 KB` goes to the next unit. */
function roundedTo(bytes: number, power: number): number {
  return Math.round((bytes / 1024 ** power) * 10) / 10;
}
