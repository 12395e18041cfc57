import { deriveFor, profileMatchers, profileSerializer } from "cofferdam/testing";
import { expect, test } from "vitest";

expect.extend(profileMatchers);
expect.addSnapshotSerializer(profileSerializer);

const { withoutApproval, withApproval, ceiling } = deriveFor(
  `${import.meta.dirname}/cofferdam.yaml`,
  "shell",
);

test("without asking, only the cache can be written", () => {
  expect(withoutApproval).toAllow("write", "cache/a.txt");
  expect(withoutApproval).toDeny("write", "notes/a.txt");
  expect(withoutApproval).toAllow("read", "notes/a.txt");
  expect(withoutApproval).toDeny("connect", "example.com:443");
});

test("a yes adds the notes, and nothing that the team forbids", () => {
  expect(withApproval).toAllow("write", "notes/a.txt");
  expect(withApproval).toDeny("write", "notes/a.sh");
  expect(withApproval).toDeny("read", "cache/signing.key");
  expect(withoutApproval).toBeWithin(withApproval);
  expect(withApproval).toBeWithin(ceiling);
});

test("tools on files get the roots alone, and only those that write may write", () => {
  const reading = deriveFor(`${import.meta.dirname}/cofferdam.yaml`, "read_file");
  const writing = deriveFor(`${import.meta.dirname}/cofferdam.yaml`, "write_file");
  expect(reading.withApproval).toDeny("write", "cache/a.txt");
  expect(writing.withoutApproval).toAllow("write", "cache/a.txt");
  expect(writing.withoutApproval).toDeny("write", "notes/a.txt");
  expect(writing.withApproval).toDeny("read", "/usr/bin/env");
  expect(reading.withoutApproval).toBeWithin(writing.withoutApproval);
  expect(writing.withApproval).toBeWithin(withApproval);
});

test("what the config grants is pinned", () => {
  expect(withoutApproval).toMatchSnapshot();
});
