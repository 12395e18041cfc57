import assert from "node:assert/strict";
import { test } from "node:test";
import { priceText } from "../src/price.js";

test("a price has two digits for its cents", () => {
  assert.deepEqual([priceText(5), priceText(1234)], ["0.05", "12.34"]);
});
