import { equal, rejects } from "../testing/assert.ts";
import { FakeProgram } from "../testing/program.ts";
import { JMAPClient } from "./client.ts";

Deno.test("calls of one turn travel in one request", async () => {
  const program = new FakeProgram();
  program.answer("Core/echo", (values) => values);
  const client = await JMAPClient.connect(program.sender);
  const answers = await Promise.all([client.call("Core/echo", { a: 1 }), client.call("Core/echo", { b: 2 })]);
  equal(answers, [{ a: 1 }, { b: 2 }]);
  equal(program.requests, 1);
});

Deno.test("one refused call does not fail the others", async () => {
  const program = new FakeProgram();
  program.answer("Core/echo", (values) => values);
  program.answer("Bad/get", () => ({ error: { type: "invalidArguments", description: "Not so." } }));
  const client = await JMAPClient.connect(program.sender);
  const [bad, good] = [client.call("Bad/get", {}), client.call("Core/echo", { a: 1 })];
  await rejects(bad, "Not so.");
  equal(await good, { a: 1 });
});

Deno.test("a call can point into the answer of one before it", async () => {
  const program = new FakeProgram();
  program.answer("Email/query", () => ({ ids: ["m"] }));
  program.answer("Email/get", (values) => values);
  const client = await JMAPClient.connect(program.sender);
  const batch = client.batch();
  const query = batch.add("Email/query", {});
  const emails = batch.add("Email/get", { "#ids": query.ref("/ids") });
  await batch.send();
  equal(await emails.answer, { "#ids": { resultOf: "c0", name: "Email/query", path: "/ids" } });
});

Deno.test("a program that does not answer is told apart from one that refuses", async () => {
  const program = new FakeProgram();
  let isThere = true;
  const client = await JMAPClient.connect((url, init) =>
    isThere ? program.sender(url, init) : Promise.reject(new TypeError("no"))
  );
  const heard: boolean[] = [];
  client.onReachable = (isReachable) => heard.push(isReachable);
  isThere = false;
  await rejects(client.call("Core/echo", {}), "mailkernel is not responding.");
  equal(heard, [false]);
});

Deno.test("a request that was ended does not say that the program is gone", async () => {
  const program = new FakeProgram();
  const client = await JMAPClient.connect((url, init) => {
    if (!init?.signal) return program.sender(url, init);
    const signal = init.signal;
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  const heard: boolean[] = [];
  client.onReachable = (isReachable) => heard.push(isReachable);
  const end = new AbortController();
  const batch = client.batch();
  const { answer } = batch.add("Core/echo", {});
  const sent = batch.send(end.signal);
  end.abort(new Error("No longer needed."));
  await sent;
  await rejects(answer, "No longer needed.");
  equal(heard, []);
});

Deno.test("an answer tells when the session is another by now", async () => {
  const program = new FakeProgram();
  program.answer("Core/echo", (values) => values);
  const client = await JMAPClient.connect(program.sender);
  let heard = 0;
  client.onStale = () => heard += 1;
  await client.call("Core/echo", {});
  equal(heard, 0);
  program.session = { ...program.session, state: "1" };
  await client.call("Core/echo", {});
  equal(heard, 1);
  await client.reloadSession();
  await client.call("Core/echo", {});
  equal(heard, 1);
});
