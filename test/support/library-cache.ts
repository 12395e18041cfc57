/** How a cache of libraries lies in its file: ldconfig(8), `--format`. */
export type CacheFormat = "new" | "old" | "compat";

/** A cache of the loader's that lists libraries by their paths, as `ldconfig` writes it: glibc, sysdeps/generic/dl-cache.h. */
export function libraryCache(paths: readonly string[], format: CacheFormat = "new"): Buffer {
  const count = paths.length;
  const oldBytes = format === "new" ? 0 : 16 + 12 * count;
  const base = Math.ceil(oldBytes / 8) * 8;
  const newBytes = format === "old" ? 0 : 48 + 24 * count;
  const texts = format === "old" ? oldBytes : base + newBytes;
  // One that ends as another does has no text of its own.
  const text = paths.filter((path) => !paths.some((other) => other !== path && other.endsWith(path)));
  const strings = Buffer.from(`${text.join("\0")}\0`);
  const placeOf = (path: string): number => texts + strings.indexOf(`${path}\0`);
  const bytes = Buffer.concat([Buffer.alloc(texts), strings]);
  if (format !== "new") {
    bytes.write("ld.so-1.7.0", "latin1");
    bytes.writeUInt32LE(count, 12);
    for (const [index, path] of paths.entries())
      bytes.writeUInt32LE(placeOf(path) - oldBytes, 16 + 12 * index + 8);
  }
  if (format !== "old") {
    bytes.write("glibc-ld.so.cache1.1", base, "latin1");
    bytes.writeUInt32LE(count, base + 20);
    for (const [index, path] of paths.entries())
      bytes.writeUInt32LE(placeOf(path) - base, base + 48 + 24 * index + 8);
  }
  return bytes;
}
