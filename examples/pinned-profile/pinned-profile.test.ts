import { deriveFor, profileMatchers, profileSerializer } from "cofferdam/testing";
import { expect, test } from "vitest";

expect.extend(profileMatchers);
expect.addSnapshotSerializer(profileSerializer);

const { unasked, onYes, ceiling } = deriveFor(`${import.meta.dirname}/cofferdam.yaml`, "shell");

test("without asking, only the cache can be written", () => {
  expect(unasked).toAllow("write", "cache/a.txt");
  expect(unasked).toDeny("write", "notes/a.txt");
  expect(unasked).toAllow("read", "notes/a.txt");
  expect(unasked).toDeny("connect", "example.com:443");
});

test("a yes adds the notes, and nothing that the team forbids", () => {
  expect(onYes).toAllow("write", "notes/a.txt");
  expect(onYes).toDeny("write", "notes/a.sh");
  expect(onYes).toDeny("read", "cache/signing.key");
  expect(unasked).toBeWithin(onYes);
  expect(onYes).toBeWithin(ceiling);
});

test("tools on files get the roots alone, and only those that write may write", () => {
  const reading = deriveFor(`${import.meta.dirname}/cofferdam.yaml`, "read_file");
  const writing = deriveFor(`${import.meta.dirname}/cofferdam.yaml`, "write_file");
  expect(reading.onYes).toDeny("write", "cache/a.txt");
  expect(writing.unasked).toAllow("write", "cache/a.txt");
  expect(writing.unasked).toDeny("write", "notes/a.txt");
  expect(writing.onYes).toDeny("read", "/usr/bin/env");
  expect(reading.unasked).toBeWithin(writing.unasked);
  expect(writing.onYes).toBeWithin(onYes);
});

test("what the config grants is pinned", () => {
  expect(unasked).toMatchSnapshot();
});
