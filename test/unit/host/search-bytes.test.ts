import { mkdirSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { MaskSearch } from "../../../src/host/look/search/search.ts";
import { joinPath, pathFromBytes, pathToBytes } from "../../../src/profile/path.ts";
import { Wood } from "../../support/search/wooded.ts";

/** Any name that Linux takes (path_resolution(7)): bytes other than NUL and slash, 255 at most, and not `.` or `..`. */
const odd = fc.constantFrom(
  0xff,
  0xfe,
  0xc3,
  0xed,
  0xa0,
  0x80,
  0xe2,
  0x0a,
  0x0d,
  0x1b,
  0x7f,
  0x5c,
  0x2a,
  0x2e,
);
const byte = fc.oneof(odd, fc.integer({ min: 1, max: 255 })).filter((one) => one !== 0x2f);
const name = fc
  .array(byte, { minLength: 1, maxLength: 255, size: "max" })
  .map((bytes) => Buffer.from(bytes))
  .filter((bytes) => ![".", ".."].includes(bytes.toString("latin1")));

test("names of any bytes are found and told by their bytes, and so is what lies below them", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(name, { minLength: 1, maxLength: 6 }), async (names) => {
      using wood = new Wood();
      const folders = [...new Set(names.map((bytes) => pathFromBytes(bytes)))].map((text) =>
        joinPath(wood.top, text),
      );
      for (const folder of folders) {
        mkdirSync(Buffer.from(pathToBytes(folder)));
        writeFileSync(Buffer.from(pathToBytes(joinPath(folder, ".env"))), "");
        mkdirSync(Buffer.from(pathToBytes(joinPath(folder, ".git"))));
      }
      const { hits, signs } = await new MaskSearch().find([wood.profile({ none: ["**/.env"] })]);
      expect(hits).toEqual(folders.map((folder) => joinPath(folder, ".env")).sort());
      expect(signs.map(({ path }) => path)).toEqual(folders.map((folder) => joinPath(folder, ".git")).sort());
      const everything = await new MaskSearch().find([wood.profile({ none: [`${wood.top}/*`] })]);
      expect(everything.hits).toEqual(folders.toSorted());
    }),
    { numRuns: 40 },
  );
});

test("a large folder, which is read in parts, tells its names by their bytes too", async () => {
  using wood = new Wood();
  const names = Array.from({ length: 1_200 }, (_, at) =>
    Buffer.from([0xff, 0x0a, ...Buffer.from(`${at}`.padStart(30, "é"))]),
  );
  for (const bytes of names) writeFileSync(Buffer.concat([Buffer.from(`${wood.top}/`), bytes]), "");
  const { hits } = await new MaskSearch().find([wood.profile({ none: [`${wood.top}/*`] })]);
  expect(hits).toEqual(names.map((bytes) => joinPath(wood.top, pathFromBytes(bytes))).sort());
});
