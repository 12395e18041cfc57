import { StreamableHTTPClientTransport as CurrentHttp } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport as PreviousHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as PreviousTransport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Ways } from "./clients.ts";

/** How clients get to an endpoint with a token. */
export function httpWay(url: string, token: string): Ways {
  const options = { requestInit: { headers: { authorization: `Bearer ${token}` } } };
  return {
    current: () => new CurrentHttp(new URL(url), options),
    previous: () => {
      const transport = new PreviousHttp(new URL(url), options);
      return {
        start: () => transport.start(),
        send: (message) => transport.send(message),
        close: () => transport.close(),
        set onmessage(take: PreviousTransport["onmessage"]) {
          if (take !== undefined) transport.onmessage = take;
        },
        set onclose(take: () => void) {
          transport.onclose = take;
        },
        set onerror(take: (error: Error) => void) {
          transport.onerror = take;
        },
        setProtocolVersion: (version) => transport.setProtocolVersion(version),
      };
    },
  };
}
