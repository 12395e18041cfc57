import fc from "fast-check";
import { expect, test } from "vitest";
import { notificationText } from "../../../src/inbox/notification-text.ts";
import { requestWith } from "../../support/approval/request.ts";

test("names the tool and the last folder of the project, and how many others wait", () => {
  const request = { tool: "shell", project: "/home/ann/shop/" };
  expect(notificationText(request, 0, true)).toEqual({
    title: "shell needs your approval",
    body: "in shop",
  });
  expect(notificationText(request, 2, true).body).toBe("in shop, 2 more requests wait");
  expect(notificationText({ tool: "a\u202eb" }, 1, true)).toEqual({
    title: "a\\u{202e}b needs your approval",
    body: "1 more request waits",
  });
});

test("names nothing at all if it shall not", () => {
  expect(notificationText({ tool: "shell", project: "/home/ann/shop" }, 1, false)).toEqual({
    title: "A call needs your approval",
    body: "1 more request waits",
  });
});

test("holds nothing else of a request, whatever that holds", () => {
  const secret = fc.stringMatching(/^[a-z]{12}$/);
  fc.assert(
    fc.property(secret, fc.nat(3), fc.boolean(), (word, others, namesTool) => {
      const request = requestWith({
        tool: "shell",
        project: `/home/${word}/shop`,
        agent: word,
        description: word,
        reason: word,
        safeArgs: { [word]: word },
        covers: word,
        sessionId: word,
      });
      expect(JSON.stringify(notificationText(request, others, namesTool))).not.toContain(word);
    }),
  );
});
