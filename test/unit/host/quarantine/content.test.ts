import { expect, test } from "vitest";
import { Shelf } from "../../../support/quarantine/shelf.ts";

async function shown(shelf: Shelf): Promise<unknown> {
  return shelf.quarantine.contentOf(await shelf.take("x"), 0);
}

test("of a file its bytes are shown, of a link what it says, and of a folder all that is in it", async () => {
  using shelf = new Shelf();
  const file = (text: string) => ({ kind: "file", bytes: Buffer.from(text) });
  shelf.file("x", "content");
  expect(await shown(shelf)).toEqual(file("content"));
  shelf.link("x", "../nowhere");
  expect(await shown(shelf)).toEqual({ kind: "link", target: "../nowhere" });
  shelf.file("x/b/c", "2");
  shelf.file("x/a", "1");
  shelf.link("x/l", "a");
  shelf.folder("x/b/empty");
  expect(await shown(shelf)).toEqual({
    kind: "folder",
    entries: [
      { name: "a", content: file("1") },
      { name: "b/", content: null },
      { name: "b/c", content: file("2") },
      { name: "b/empty/", content: null },
      { name: "l", content: { kind: "link", target: "a" } },
    ],
    more: 0,
  });
});

test("what is too large to be looked at is not shown, and counted where it is one of many", async () => {
  using shelf = new Shelf();
  shelf.file("x", Buffer.alloc(1024 ** 2 + 1));
  expect(await shown(shelf)).toBeNull();
  shelf.file("x/a", Buffer.alloc(1024 ** 2));
  shelf.file("x/b", "more than there is room for");
  for (let at = 100; at < 300; at += 1) shelf.file(`x/${at}`, "");
  const content = await shown(shelf);
  expect(content).toMatchObject({ kind: "folder", more: 2 });
  shelf.file("x/a", Buffer.alloc(1024 ** 2));
  shelf.file("x/b", "more than there is room for");
  expect(await shown(shelf)).toMatchObject({
    entries: [
      { name: "a", content: { kind: "file" } },
      { name: "b", content: null },
    ],
  });
});

test("of what is not held any more, or is no item of the record, nothing is shown", async () => {
  using shelf = new Shelf();
  shelf.file("x", "content");
  const record = await shelf.take("x");
  await shelf.quarantine.drop(record.id);
  expect([await shelf.quarantine.contentOf(record, 0), await shelf.quarantine.contentOf(record, 1)]).toEqual([
    null,
    null,
  ]);
});
