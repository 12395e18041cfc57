import { expect, test } from "vitest";
import { RuntimeSection } from "../../../src/tool/settings.ts";

test("folders that are listed by hand can't be called as the machine's own programs are", () => {
  const listed = (name: string): boolean => RuntimeSection.safeParse({ name, read: ["/opt/x"] }).success;
  expect(["system", "python", "tools"].map(listed)).toEqual([false, true, true]);
  expect(RuntimeSection.safeParse("system").success).toBe(true);
});
