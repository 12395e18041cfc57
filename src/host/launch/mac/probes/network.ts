import { quoteText } from "../../../../backend/seatbelt/sbpl.ts";
import type { Act } from "./act.ts";
import {
  type At,
  expected,
  harmless,
  type KernelProbe,
  OPEN,
  problem,
  SHUT,
  starting,
  weaker,
} from "./probe.ts";

/** A port that needs no listener: the probe only asks whether the kernel allows the attempt. */
const PORT = 49_731;
const OTHER = 49_732;

/** Addresses of this machine and unassigned ones (RFC 5737). `own`: this machine's address in its network, or null. */
export function networkProbes(own: string | null): readonly KernelProbe[] {
  const connect = (host: string, port: number) => (): Act => ({ kind: "connect", host, port });
  const bind = (host: string, port: number) => (): Act => ({ kind: "bind", host, port });
  return [
    {
      id: "network-none",
      asks: "whether anything can be reached if no rule allows the network",
      relies: "with the network off nothing can be reached, also not on loopback or by unix sockets",
      trials: [
        {
          given: ["s="],
          text: () => `${SHUT}${starting("network*")}`,
          acts: {
            loopback: connect("127.0.0.1", PORT),
            "IPv6 loopback": connect("::1", PORT),
            beyond: connect("192.0.2.1", PORT),
            "a port of its own": bind("127.0.0.1", PORT),
            "a unix socket": (at: At): Act => ({ kind: "connect-socket", path: at("s") }),
          },
        },
      ],
      outcomes: [
        problem("version 6", "this machine, by IPv6", { "IPv6 loopback": "done" }),
        expected("nothing", "nothing", {
          loopback: "refused",
          beyond: "refused",
          "a port of its own": "refused",
          "a unix socket": "refused",
        }),
      ],
      otherwise: { says: "something", standing: "problem" },
    },
    {
      id: "one-port",
      asks: "whether a rule for one port of this machine allows only that port",
      relies: "hosts are reached through the port of the egress proxy",
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
        expected("yes", "yes", { "that port": "done", "another port": "refused", beyond: "refused" }),
        harmless("none", "that port can't be reached either", {
          "that port": "refused",
          "another port": "refused",
          beyond: "refused",
        }),
      ],
      otherwise: { says: "no: with listed hosts more than the proxy could be reached", standing: "weaker" },
    },
    {
      id: "localhost",
      asks: "which addresses are `localhost` to rules besides 127.0.0.1",
      relies:
        "with listed hosts the egress proxy has its port on 127.0.0.1 and ::1; on other addresses any program could have it",
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
              harmless("all", "::1, ::ffff:127.0.0.1, and its own in the network", {
                "::1": "done",
                "::ffff:127.0.0.1": "done",
                "its own in the network": "done",
              }),
              harmless("loopback-and-own", "::1, and its own in the network", {
                "::1": "done",
                "its own in the network": "done",
              }),
            ] as const)),
        harmless("loopback-and-mapped", "::1 and ::ffff:127.0.0.1", {
          "::1": "done",
          "::ffff:127.0.0.1": "done",
        }),
        expected("loopback", "::1", { "::1": "done" }),
        harmless("none", "none", { "::1": "refused" }),
      ],
      otherwise: { says: "some", standing: "harmless" },
    },
    {
      id: "listening",
      asks: "which ports can be opened if a rule allows those of loopback, and if it allows one",
      relies: "the group `listen` allows only the ports of loopback",
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
        expected("loopback", "only those of loopback; with a rule for one, that one", {
          loopback: "done",
          "every address": "refused",
          "another than the one": "refused",
        }),
        expected("any-port", "only those of loopback, any port even if a rule names one", {
          loopback: "done",
          "every address": "refused",
          "another than the one": "done",
        }),
        weaker(
          "every-address",
          "those of every address: with `listen` the network reaches ports that a program opens",
          { loopback: "done", "every address": "done" },
        ),
        harmless("none", "none: with `listen` no port can be opened", {
          loopback: "refused",
          "every address": "refused",
        }),
      ],
      otherwise: { says: "some", standing: "harmless" },
    },
    {
      id: "socket-by-files",
      asks: "whether a rule for files denies a unix socket",
      relies: "nothing: only rules for the network allow unix sockets",
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
        expected("no", "no; a rule for the network does", {
          "a denied file": "done",
          "a denied peer": "refused",
        }),
        harmless("yes", "yes, and a rule for the network does too", {
          "a denied file": "refused",
          "a denied peer": "refused",
        }),
      ],
      otherwise: {
        says: "no; a rule for its path in the network does not either",
        standing: "problem",
      },
    },
  ];
}
