import { beforeEach, expect, test } from "vitest";
import { AnswerWait } from "../../../src/inbox/wait.ts";

let now = 0;
let wait: AnswerWait;
beforeEach(() => {
  now = 0;
  wait = new AnswerWait(() => now);
});

/** Time goes by. */
const pass = (ms: number): void => {
  now += ms;
};

test("what comes up by itself waits for a second, at first and after an answer", () => {
  pass(999);
  expect(wait.isOver).toBe(false);
  pass(1);
  expect(wait.takes(1)).toBe(true);
  wait.beginUnasked();
  pass(999);
  expect(wait.isOver).toBe(false);
  expect(wait.leftMs).toBe(1);
  pass(1);
  expect(wait.isOver).toBe(true);
});

test("what a person turned to waits for less, once the page has stood still", () => {
  pass(1_000);
  wait.begin();
  pass(299);
  expect(wait.isOver).toBe(false);
  pass(1);
  expect(wait.isOver).toBe(true);
});

test("what is drawn or turned to while a long wait lasts makes it no shorter", () => {
  pass(500);
  wait.begin();
  pass(999);
  expect(wait.isOver).toBe(false);
  pass(1);
  expect(wait.isOver).toBe(true);
});

test("whoever presses on and on never gets anything answered", () => {
  for (let press = 0; press < 50; press += 1) {
    pass(400);
    expect(wait.takes(1)).toBe(false);
  }
  pass(1_000);
  expect(wait.takes(1)).toBe(true);
});

test("the second click of a double click counts for nothing, and has to be waited out", () => {
  pass(5_000);
  expect(wait.takes(2)).toBe(false);
  pass(299);
  expect(wait.takes(1)).toBe(false);
  pass(300);
  expect(wait.takes(1)).toBe(true);
  expect(wait.takes(0)).toBe(true);
});
