import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { portOf } from "../support/web/port-of.ts";

sandboxMustWork("what programs say to a proxy to no end");

/** The requests that the server of `a.test` has seen. */
const seen: string[] = [];
const web = createServer((request, response) => {
  seen.push(request.url ?? "");
  response.end("here");
});
beforeAll(() => new Promise<void>((done) => web.listen(0, "127.0.0.1", done)));
afterAll(() => new Promise((done) => web.close(done)));

/** Ten thousand connections that say nothing, two heads of a mebibyte, and then a request like any other. */
const LINES = [
  "perl -MSocket -e 'for (1 .. 10000) { socket my $s,2,1,0; connect $s,sockaddr_in(61080,inet_aton(\"127.0.0.1\")) or $no++; push @all,$s if @all < 900 } print $no || 0'",
  'head -c 1048576 /dev/zero | tr "\\0" x >head; curl -sS -m 20 -o /dev/null -w " %{http_code}" -H @head http://a.test/; printf "X: " | cat - head >named; curl -sS -m 20 -o /dev/null -w " %{http_code}" -H @named http://a.test/',
  'sleep 0.2; curl -sS -m 20 -w " %{http_code}" http://a.test/last',
];

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  it("net.hosts: what is said to no end is bounded and told: half-open connections by thousands, a head of a mebibyte", async () => {
    using place = new Place(person);
    seen.length = 0;
    const [, reply] = await place.run({
      settings: { shell: { network: { hosts: ["a.test:80"] } } },
      job: {
        calls: [{ argv: ["sh", "-c", LINES.join("; ")] }],
        outside: { names: {}, ports: { "a.test:80": portOf(web) } },
      },
    });
    if (reply?.kind !== "ran") throw new Error(JSON.stringify(reply));
    expect(reply.stdout).toMatch(/^\d+ (200|431|000) (431|000)here 200$/);
    expect(JSON.stringify(reply.egress)).toContain("programs are already connected to the proxy");
    expect(seen).toContain("/last");
  });
});
