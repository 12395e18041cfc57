import { expect, test } from "vitest";
import { once } from "../../../src/approval/once.ts";
import { presentText } from "../../../src/approval/present.ts";

test("a presentation is not made before it is asked for, and then once for all who ask (S1-10)", async () => {
  let made = 0;
  const present = once(async () => {
    made += 1;
    return presentText(`made ${made}`);
  });
  expect(made).toBe(0);
  const [first, second] = await Promise.all([present(), present()]);
  expect(first).toEqual({ type: "text", content: "made 1" });
  expect(second).toBe(first);
  expect(await present()).toBe(first);
  expect(made).toBe(1);
});

test("a presentation that could not be made is tried again when it is asked for again (S1-10)", async () => {
  let tries = 0;
  const present = once(() => {
    tries += 1;
    if (tries < 3) throw new Error(`try ${tries}`);
    return Promise.resolve(presentText("made"));
  });
  const [one, other] = [present(), present()];
  await expect(one).rejects.toThrow("try 1");
  await expect(other).rejects.toThrow("try 1");
  await expect(present()).rejects.toThrow("try 2");
  expect(await present()).toEqual({ type: "text", content: "made" });
  expect(tries).toBe(3);
});
