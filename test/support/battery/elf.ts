/** Executables made by hand: a machine need not have a compiler, nor one for another ABI. */

/** mov eax,20 (i386 getpid); int 0x80; cmp eax,1; setl dil; movzx edi,dil; mov eax,60 (exit); syscall */
export const INT80 = Buffer.from(
  "b814000000" + "cd80" + "83f801" + "400f9cc7" + "400fb6ff" + "b83c000000" + "0f05",
  "hex",
);

/** The smallest x86-64 executable around some machine code (elf(5)): one header, one segment, no library, no compiler. */
export function programOf(code: Buffer): Buffer {
  const start = 120;
  const base = 0x400000n;
  const file = Buffer.alloc(start + code.length);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  for (const [at, value] of [
    [16, 2],
    [18, 62],
    [52, 64],
    [54, 56],
    [56, 1],
  ] as const)
    file.writeUInt16LE(value, at);
  for (const [at, value] of [
    [20, 1],
    [64, 1],
    [68, 5],
  ] as const)
    file.writeUInt32LE(value, at);
  const size = BigInt(file.length);
  for (const [at, value] of [
    [24, base + 120n],
    [32, 64n],
    [80, base],
    [88, base],
    [96, size],
    [104, size],
    [112, 4096n],
  ] as const)
    file.writeBigUInt64LE(value, at);
  file.set(code, start);
  return file;
}

/** mov eax,1 (i386 exit); mov ebx,7; int 0x80 */
const EXIT_7 = Buffer.from("b801000000" + "bb07000000" + "cd80", "hex");

/** The smallest 32-bit x86 executable (elf(5)); it ends with status 7 where it may run. */
export function program32(code: Buffer = EXIT_7): Buffer {
  const start = 84;
  const base = 0x08048000;
  const file = Buffer.alloc(start + code.length);
  file.set([0x7f, 0x45, 0x4c, 0x46, 1, 1, 1]);
  for (const [at, value] of [
    [16, 2],
    [18, 3],
    [40, 52],
    [42, 32],
    [44, 1],
  ] as const)
    file.writeUInt16LE(value, at);
  for (const [at, value] of [
    [20, 1],
    [24, base + start],
    [28, 52],
    [52, 1],
    [60, base],
    [64, base],
    [68, file.length],
    [72, file.length],
    [76, 5],
    [80, 4096],
  ] as const)
    file.writeUInt32LE(value, at);
  file.set(code, start);
  return file;
}

/** An i386 call: its number, and arguments as words. */
export type Call32 = readonly [number: number, ...args: readonly number[]];

/** Makes the calls one after another by `int 0x80`, and writes what each answered to standard output: see `answers32`. */
export function calling32(calls: readonly Call32[]): Buffer {
  const word = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(value | 0);
    return bytes;
  };
  // mov into eax, ebx, ecx, edx, esi, edi, ebp
  const registers = [0xb8, 0xbb, 0xb9, 0xba, 0xbe, 0xbf, 0xbd];
  const make = (call: Call32): Buffer =>
    Buffer.concat([
      ...registers.flatMap((code, at) => [Buffer.from([code]), word(call[at] ?? -1)]),
      Buffer.from("cd80" + "50", "hex"), // int 0x80; push eax
    ]);
  return Buffer.concat([
    ...calls.map(make),
    Buffer.from("b804000000" + "bb01000000" + "89e1" + "ba", "hex"), // eax = write, ebx = 1, ecx = esp, edx =
    word(4 * calls.length),
    Buffer.from("cd80" + "b801000000" + "31db" + "cd80", "hex"), // exit with 0
  ]);
}

/** What the calls of `calling32` answered, from what it wrote: the last one was pushed last and so comes first. */
export function answers32(written: Buffer): readonly number[] {
  return Array.from({ length: written.length / 4 }, (_, at) => written.readInt32LE(at * 4)).reverse();
}
