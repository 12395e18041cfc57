/** A program of 64 bits, or of 32, that names folders of libraries: a header, two segments, the dynamic section, the strings. */
export function elfWith(runpath: string, { isWide = true, isBig = false, tag = 29 } = {}): Buffer {
  const [head, entry, size] = isWide ? [64, 56, 8] : [52, 32, 4];
  const dynamicAt = head + 2 * entry;
  const stringsAt = dynamicAt + 3 * 2 * size;
  const bytes = Buffer.alloc(stringsAt + runpath.length + 2);
  const address = 0x10_000;
  const put = (length: number, at: number, value: number): void => {
    const backwards = bytes.subarray(at, at + length);
    if (isBig) backwards.writeUIntBE(value, Math.max(0, length - 6), Math.min(length, 6));
    else backwards.writeUIntLE(value, 0, Math.min(length, 6));
  };
  const word = (at: number, value: number): void => put(size, at, value);
  bytes.write("\x7fELF", "latin1");
  bytes[4] = isWide ? 2 : 1;
  bytes[5] = isBig ? 2 : 1;
  word(isWide ? 32 : 28, head);
  put(2, isWide ? 54 : 42, entry);
  put(2, isWide ? 56 : 44, 2);
  const segment = (at: number, kind: number, from: number, length: number): void => {
    put(4, at, kind);
    word(at + (isWide ? 8 : 4), from);
    word(at + (isWide ? 16 : 8), address + from);
    word(at + (isWide ? 32 : 16), length);
  };
  segment(head, 1, 0, bytes.length);
  segment(head + entry, 2, dynamicAt, stringsAt - dynamicAt);
  for (const [at, [name, value]] of [
    [tag, 1],
    [5, address + stringsAt],
    [0, 0],
  ].entries()) {
    word(dynamicAt + at * 2 * size, name ?? 0);
    word(dynamicAt + at * 2 * size + size, value ?? 0);
  }
  bytes.write(runpath, stringsAt + 1, "latin1");
  return bytes;
}
