import { type Supervisor, terminalHandler } from "cofferdam";
import { cofferdamTools } from "cofferdam/langchain";

/** Two tools for a program of one's own: a question is put to whoever sits at the terminal. */
export function toolsFor(supervisor: Supervisor) {
  return cofferdamTools(supervisor, { handler: terminalHandler(), only: ["read_file", "shell"] });
}
