import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/policy/canonical-json.ts";
import { redact } from "../../../src/policy/redact.ts";
import { isShownWhole, NOTHING_LEFT_OUT, Redactions } from "../../../src/policy/redactions.ts";
import { isSecretName } from "../../../src/policy/secret-names.ts";
import { law } from "../../laws/law.ts";
import { json } from "../../support/generate-json.ts";

type Redact = typeof redact;

describe("a name", () => {
  test.each(
    "api_key apikey token secret password authorization cookie session bearer access_key private_key".split(
      " ",
    ),
  )("%s says that a secret stands under it, in capitals and in the plural too (S4-8)", (name) => {
    expect([name, name.toUpperCase(), `${name}s`, `MY_${name}`, `${name}.x`].map(isSecretName)).toEqual(
      Array(5).fill(true),
    );
  });

  test.each([
    "accessToken",
    "X-Api-Key",
    "session_id",
    "dbPassword",
    "AWSSecretAccessKey",
    "apiKey",
    "APIKey",
    "set-cookie",
    "pass_word",
    "oauth2Token",
    "token2",
    "passphrase",
    "credentials",
    "PWD",
    "my token",
  ])("%s says so by one of its parts (S4-8)", (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  test.each([
    "tokenizer",
    "secretary",
    "key",
    "access",
    "monkey",
    "keyboard",
    "obsession",
    "author",
    "",
    "_",
    "pass",
  ])("%j does not (S4-8)", (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});

describe("arguments", () => {
  test("show no value under the name of a secret, and say where it stood (S4-8, S4-11, C15)", () => {
    const args = {
      url: "https://x",
      headers: { Authorization: "x", "X-Api-Key": ["a", "b"] },
      session: { id: 7 },
    };
    expect(redact(args)).toEqual({
      safeArgs: {
        url: "https://x",
        headers: { Authorization: "[hidden]", "X-Api-Key": "[hidden]" },
        session: "[hidden]",
      },
      redactions: {
        hidden: [
          { at: "headers.Authorization", because: "name" },
          { at: "headers.X-Api-Key", because: "name" },
          { at: "session", because: "name" },
        ],
        cut: [],
        isMore: false,
      },
    });
  });

  test("show numbers of tokens, and yes, no and null (S4-8)", () => {
    const args = { max_tokens: 100, tokens: 5, keepSession: true, password: null };
    expect(redact(args)).toEqual({ safeArgs: args, redactions: NOTHING_LEFT_OUT });
    expect(redact({ tokens: "abc", session_id: 5, token: 5 }).safeArgs).toEqual({
      tokens: "[hidden]",
      session_id: "[hidden]",
      token: "[hidden]",
    });
  });

  test("show no credential in any text or key, by its shape (S4-11, S4-20)", () => {
    expect(redact({ run: ["sh", "-c", "TOKEN=abc ls"], "http://u:a@h": 1, "http://u:b@h": 2 })).toEqual({
      safeArgs: {
        run: ["sh", "-c", "TOKEN=[hidden] ls"],
        "http://u:[hidden]@h": 1,
        "http://u:[hidden]@h (2)": 2,
      },
      redactions: {
        hidden: [
          { at: "run[2]", because: "shape" },
          { at: '["http://u:[hidden]@h"]', because: "shape" },
          { at: '["http://u:[hidden]@h"]', because: "shape" },
        ],
        cut: [],
        isMore: false,
      },
    });
  });

  test("show no word behind an option that is named like a secret (S4-20)", () => {
    const words = [
      "x",
      "--token",
      "abc",
      "-p",
      "22",
      "--no-session",
      "--force",
      "-password",
      "b",
      "--tokenizer",
      "c",
    ];
    expect(redact(words).safeArgs).toEqual(
      words.map((word) => (["abc", "b"].includes(word) ? "[hidden]" : word)),
    );
  });

  test("are cut at 50 items, 2,000 characters and 8 in one another, and say how large the whole is (S4-9, S4-11)", () => {
    let deep: Json = { x: 1 };
    for (let level = 0; level < 7; level += 1) deep = [deep];
    const members = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, index]));
    const { safeArgs, redactions } = redact({
      deep,
      list: Array(1_200).fill(0),
      members,
      text: "é".repeat(5_000),
      fine: Array(50).fill(0),
    });
    expect(safeArgs).toEqual({
      deep: [[[[[[["[cut]"]]]]]]],
      list: Array(50).fill(0),
      members: Object.fromEntries(Object.entries(members).slice(0, 50)),
      text: "é".repeat(2_000),
      fine: Array(50).fill(0),
    });
    expect(redactions).toEqual({
      hidden: [],
      cut: [
        { at: "deep[0][0][0][0][0][0][0]", whole: "1 item" },
        { at: "list", whole: "1,200 items" },
        { at: "members", whole: "51 items" },
        { at: "text", whole: "5,000 characters" },
      ],
      isMore: false,
    });
  });

  test("list at most 50 places of each kind, and say that there are more (S4-11)", () => {
    const places = (count: number): Json => [
      Array(count - 10).fill({ token: "x" }),
      Array(10).fill({ token: "x" }),
    ];
    expect([redact(places(50)).redactions.hidden.length, redact(places(50)).redactions.isMore]).toEqual([
      50,
      false,
    ]);
    expect([redact(places(51)).redactions.hidden.length, redact(places(51)).redactions.isMore]).toEqual([
      50,
      true,
    ]);
  });

  test("are shown to about 32 KiB in all (S4-9)", () => {
    const text = "x".repeat(2_000);
    const { safeArgs, redactions } = redact(Array(40).fill(text));
    expect(JSON.stringify(safeArgs).length).toBeGreaterThan(32_000);
    expect(JSON.stringify(safeArgs).length).toBeLessThan(34_000);
    expect(redactions.cut.at(-1)).toEqual({ at: "", whole: "40 items" });
    expect(redact(Array(16).fill(text)).safeArgs).toEqual(Array(16).fill(text));
  });

  law(
    "are shown as they are exactly when nothing is said to be left out (S4-11)",
    (hide: Redact) =>
      fc.property(withSecrets(), (args) => {
        const before = JSON.stringify(args);
        const { safeArgs, redactions } = hide(args);
        expect(JSON.stringify(safeArgs) === before).toBe(isShownWhole(redactions));
        expect(JSON.stringify(args)).toBe(before);
        expect(Redactions.parse(redactions)).toEqual(redactions);
      }),
    redact,
    {
      "says nothing of what it hides": (args) => ({ ...redact(args), redactions: NOTHING_LEFT_OUT }),
      "shows all and says otherwise": (args) => ({ ...redact(args), safeArgs: args }),
    },
  );

  law(
    "never show what stands under the name of a secret, wherever and among whatever (S4-8)",
    (hide: Redact) =>
      fc.property(withSecrets(), (args) => {
        expect(JSON.stringify(hide(args).safeArgs)).not.toContain("hunter2");
      }),
    redact,
    {
      "hides in the outermost object only": (args) =>
        args !== null && typeof args === "object" && "password" in args
          ? redact(args)
          : { ...redact(args), safeArgs: args },
      "hides texts only": (args) => ({
        ...redact(args),
        safeArgs: JSON.parse(
          JSON.stringify(args, (key, value) => (/pass/i.test(key) && typeof value === "string" ? "" : value)),
        ),
      }),
    },
  );

  law(
    "are hidden once: what is shown of what is shown is the same",
    (hide: Redact) =>
      fc.property(withSecrets(), (args) => {
        const { safeArgs } = hide(args);
        expect(hide(safeArgs).safeArgs).toEqual(safeArgs);
        expect(hide(args)).toEqual(hide(args));
      }),
    redact,
    { "puts what it shows in a list": (args) => ({ ...redact(args), safeArgs: [redact(args).safeArgs] }) },
  );

  law(
    "are bounded, whatever comes (S4-9)",
    (hide: Redact) =>
      fc.property(fc.nat(60), fc.nat(60), fc.nat(5_000), (outer, inner, length) => {
        const { safeArgs, redactions } = hide(Array(outer).fill(Array(inner).fill("x".repeat(length))));
        expect(JSON.stringify(safeArgs).length).toBeLessThan(45_000);
        expect(redactions.cut.length).toBeLessThanOrEqual(50);
      }),
    redact,
    { "bounds each part and not the whole": (args) => ({ ...redact(args), safeArgs: boundedParts(args) }) },
  );
});

function boundedParts(value: Json): Json {
  if (typeof value === "string") return value.slice(0, 2_000);
  return Array.isArray(value) ? value.slice(0, 50).map(boundedParts) : value;
}

/** Arguments in which `hunter2` stands under names of secrets only. */
function withSecrets(): fc.Arbitrary<Json> {
  const secret = fc.oneof(
    fc.constant("hunter2"),
    fc.constant<Json>(["hunter2"]),
    fc.constant<Json>({ x: "hunter2" }),
  );
  const named = fc
    .tuple(fc.constantFrom("password", "dbPassword", "X-Api-Key", "tokens"), secret)
    .map(([name, value]) => ({ [name]: value }));
  return fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      named,
      json,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", "pass"), tie("value"), { maxKeys: 3 }),
    ),
  })).value;
}
