import { quoteText } from "../../../backend/seatbelt/sbpl.ts";
import type { Act } from "./act.ts";
import { type At, OPEN, type Probe, SHUT, starting } from "./probe.ts";

/** Ports at which nobody has to listen: what is asked is whether the kernel lets it be tried. */
const PORT = 49_731;
const OTHER = 49_732;

/** Addresses of this machine and of none (RFC 5737). `own` is one that it has in its network, or null. */
export function networkProbes(own: string | null): readonly Probe[] {
  const connect = (host: string, port: number) => (): Act => ({ kind: "connect", host, port });
  const bind = (host: string, port: number) => (): Act => ({ kind: "bind", host, port });
  return [
    {
      id: "network-none",
      asks: "whether anything is reached where no rule gives any of the network",
      relies: "with the network off nothing is reached, on loopback and by unix sockets neither",
      trials: [
        {
          given: ["s="],
          text: () => `${SHUT}${starting("network*")}`,
          acts: {
            loopback: connect("127.0.0.1", PORT),
            "loopback of version 6": connect("::1", PORT),
            beyond: connect("192.0.2.1", PORT),
            "a port of its own": bind("127.0.0.1", PORT),
            "a unix socket": (at: At): Act => ({ kind: "connect-socket", path: at("s") }),
          },
        },
      ],
      outcomes: [
        {
          value: "version 6",
          says: "this machine, by version 6 of the protocol",
          standing: "problem",
          when: { "loopback of version 6": "done" },
        },
        {
          value: "nothing",
          says: "nothing",
          standing: "expected",
          when: {
            loopback: "refused",
            beyond: "refused",
            "a port of its own": "refused",
            "a unix socket": "refused",
          },
        },
      ],
      otherwise: { says: "something", standing: "problem" },
    },
    {
      id: "one-port",
      asks: "whether a rule on one port of this machine lets that one alone be reached",
      relies: "hosts are reached by the one port of the egress proxy",
      trials: [
        {
          text: () =>
            `${SHUT}${starting("network*")}(allow network-outbound (remote tcp "localhost:${PORT}"))\n`,
          acts: {
            "that port": connect("127.0.0.1", PORT),
            "another port": connect("127.0.0.1", OTHER),
            beyond: connect("192.0.2.1", PORT),
          },
        },
      ],
      outcomes: [
        {
          value: "yes",
          says: "yes",
          standing: "expected",
          when: { "that port": "done", "another port": "refused", beyond: "refused" },
        },
        {
          value: "none",
          says: "that one is not reached either",
          standing: "harmless",
          when: { "that port": "refused", "another port": "refused", beyond: "refused" },
        },
      ],
      otherwise: { says: "no: with listed hosts more would be reached than the proxy", standing: "weaker" },
    },
    {
      id: "localhost",
      asks: "which addresses rules take for `localhost` besides 127.0.0.1",
      relies:
        "with listed hosts the egress proxy has its port on 127.0.0.1 and ::1; on these it is anybody's of this machine",
      trials: [
        {
          text: () =>
            `${SHUT}${starting("network*")}(allow network-outbound (remote tcp "localhost:${PORT}"))\n`,
          acts: {
            "::1": connect("::1", PORT),
            "::ffff:127.0.0.1": connect("::ffff:127.0.0.1", PORT),
            ...(own === null ? {} : { "its own in the network": connect(own, PORT) }),
          },
        },
      ],
      outcomes: [
        ...(own === null
          ? []
          : ([
              {
                value: "all",
                says: "::1, ::ffff:127.0.0.1, and its own in the network",
                standing: "harmless",
                when: { "::1": "done", "::ffff:127.0.0.1": "done", "its own in the network": "done" },
              },
              {
                value: "loopback-and-own",
                says: "::1, and its own in the network",
                standing: "harmless",
                when: { "::1": "done", "its own in the network": "done" },
              },
            ] as const)),
        {
          value: "loopback-and-mapped",
          says: "::1 and ::ffff:127.0.0.1",
          standing: "harmless",
          when: { "::1": "done", "::ffff:127.0.0.1": "done" },
        },
        { value: "loopback", says: "::1", standing: "expected", when: { "::1": "done" } },
        { value: "none", says: "none", standing: "harmless", when: { "::1": "refused" } },
      ],
      otherwise: { says: "some", standing: "harmless" },
    },
    {
      id: "listening",
      asks: "which ports can be taken where a rule gives those of loopback, and where it gives one",
      relies: "the group `listen` gives the ports of loopback, and no others",
      trials: [
        {
          text: () =>
            `${SHUT}${starting("network*")}(allow network-bind network-inbound (local ip "localhost:*"))\n`,
          acts: { loopback: bind("127.0.0.1", PORT), "every address": bind("0.0.0.0", PORT) },
        },
        {
          text: () =>
            `${SHUT}${starting("network*")}(allow network-bind network-inbound (local ip "localhost:${PORT}"))\n`,
          acts: { "another than the one": bind("127.0.0.1", OTHER) },
        },
      ],
      outcomes: [
        {
          value: "loopback",
          says: "those of loopback alone; where it gives one, that one",
          standing: "expected",
          when: { loopback: "done", "every address": "refused", "another than the one": "refused" },
        },
        {
          value: "any-port",
          says: "those of loopback alone, whichever port a rule names",
          standing: "expected",
          when: { loopback: "done", "every address": "refused", "another than the one": "done" },
        },
        {
          value: "every-address",
          says: "those of every address: with `listen` what a program opens so is reached from the network",
          standing: "weaker",
          when: { loopback: "done", "every address": "done" },
        },
        {
          value: "none",
          says: "none: with `listen` nothing can be listened on",
          standing: "harmless",
          when: { loopback: "refused", "every address": "refused" },
        },
      ],
      otherwise: { says: "some", standing: "harmless" },
    },
    {
      id: "socket-by-files",
      asks: "whether a rule on files keeps a program from a unix socket",
      relies: "nothing: unix sockets are given by rules on the network, and by those alone",
      trials: [
        {
          given: ["s="],
          text: (at) => `${OPEN}(deny file-read* file-write* (literal ${quoteText(at("s"))}))\n`,
          acts: { "a denied file": (at) => ({ kind: "connect-socket", path: at("s") }) },
        },
        {
          given: ["s="],
          text: (at) => `${OPEN}(deny network-outbound (literal ${quoteText(at("s"))}))\n`,
          acts: { "a denied peer": (at) => ({ kind: "connect-socket", path: at("s") }) },
        },
      ],
      outcomes: [
        {
          value: "no",
          says: "no; a rule on the network does",
          standing: "expected",
          when: { "a denied file": "done", "a denied peer": "refused" },
        },
        {
          value: "yes",
          says: "yes, and so does a rule on the network",
          standing: "harmless",
          when: { "a denied file": "refused", "a denied peer": "refused" },
        },
      ],
      otherwise: { says: "nor does a rule on the network by its path", standing: "problem" },
    },
  ];
}
