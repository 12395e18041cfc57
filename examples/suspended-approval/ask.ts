import { createSupervisor } from "cofferdam";

/** The call of an agent, which may end before a person reads the question. */
const supervisor = await createSupervisor({ config: `${import.meta.dirname}/cofferdam.yaml` });
try {
  const session = supervisor.session({ agent: "publisher" });
  const outcome = await session.call("write_file", { path: "site:index.html", content: "<h1>Hello</h1>\n" });
  console.log(outcome.kind === "pending" ? outcome.approvalId : JSON.stringify(outcome));
} finally {
  await supervisor.close();
}
