// Serves a model over the protocol of OpenAI: node server.mjs MODEL.gguf. It
// prints "listening PORT" once it can be asked, and ends with its input.
import {createServer} from "node:http";
import {getLlama, LlamaCompletion} from "node-llama-cpp";

const llama = await getLlama({gpu: false, build: "never", skipDownload: true, logLevel: "error"});
const model = await llama.loadModel({modelPath: process.argv[2]});
const context = await model.createContext({contextSize: 4096, threads: 1});
const sequence = context.getSequence();
const counts = {answered: 0, cancelled: 0};
let shown = ""; // the end of what the model was asked last

// One request at a time: each waits for the one before.
let turn = Promise.resolve();
const inTurn = work => (turn = turn.then(work, work));

class Refused extends Error {}

async function read(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  try {
    return JSON.parse(Buffer.concat(parts).toString("utf8"));
  } catch (error) {
    throw new Refused(`the body is no JSON: ${error.message}`);
  }
}

// grammar is what the answer must keep to; undefined leaves it free.
async function grammar(format) {
  switch (format?.type) {
    case undefined:
    case "text":
      return undefined;
    case "json_object":
      return llama.getGrammarFor("json");
    case "json_schema":
      return llama.createGrammarForJsonSchema(format.json_schema.schema);
  }
  throw new Refused(`there is no response_format ${format.type}`);
}

function send(response, status, body) {
  response.writeHead(status, {"content-type": "application/json"});
  response.end(JSON.stringify(body));
}

// Answer is one answer on its way.
class Answer {
  constructor(asked, response) {
    this.asked = asked;
    this.response = response;
    this.shared = {id: `chatcmpl-${counts.answered + counts.cancelled + 1}`, created: Math.floor(Date.now() / 1000), model: asked.model};
  }

  chunk(choices, usage = null) {
    const event = {...this.shared, object: "chat.completion.chunk", choices, usage};
    this.response.write(`data: ${JSON.stringify(event)}\n\n`);
  }

  piece(delta, finish = null) { this.chunk([{index: 0, delta, finish_reason: finish}]); }

  begin() {
    if (!this.asked.stream) return;
    this.response.writeHead(200, {"content-type": "text/event-stream"});
    this.piece({role: "assistant", content: ""});
  }

  end(text, finish, usage) {
    if (!this.asked.stream) {
      const message = {role: "assistant", content: text};
      send(this.response, 200, {...this.shared, object: "chat.completion", choices: [{index: 0, message, finish_reason: finish}], usage});
      return;
    }
    this.piece({}, finish);
    if (this.asked.stream_options?.include_usage) this.chunk([], usage);
    this.response.end("data: [DONE]\n\n");
  }
}

async function complete(asked, response) {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  if (!Array.isArray(asked.messages)) throw new Refused("messages must be a list");
  const rules = await grammar(asked.response_format);
  const said = asked.messages.map(m => `${m.role}: ${m.content}`).join("\n");
  shown = said.slice(-500);
  const prompt = model.tokenize(`${said}\nassistant:`).slice(-1500); // of a long one, the end
  const answer = new Answer(asked, response);
  answer.begin();
  await sequence.clearHistory();
  const completion = new LlamaCompletion({contextSequence: sequence});
  try {
    const {response: text, metadata} = await completion.generateCompletionWithMeta(prompt, {
      maxTokens: asked.max_completion_tokens ?? asked.max_tokens ?? 256,
      temperature: asked.temperature ?? 0.8, seed: asked.seed ?? 1, grammar: rules, signal: gone.signal,
      onTextChunk: text => asked.stream && answer.piece({content: text}),
    });
    const taken = prompt.length, given = model.tokenize(text).length;
    const usage = {prompt_tokens: taken, completion_tokens: given, total_tokens: taken + given};
    answer.end(text, metadata.stopReason === "maxTokens" ? "length" : "stop", usage);
    counts.answered++;
  } catch (error) {
    if (!gone.signal.aborted) throw error;
    counts.cancelled++;
  } finally {
    completion.dispose();
  }
}

async function serve(request, response) {
  try {
    const asked = `${request.method} ${request.url}`;
    if (asked === "GET /counts") return send(response, 200, counts);
    if (asked === "GET /shown") return send(response, 200, {shown});
    if (asked === "GET /v1/models") return send(response, 200, {object: "list", data: [{id: "toy", object: "model", owned_by: "nobody"}]});
    if (asked !== "POST /v1/chat/completions") return send(response, 404, {error: {message: `there is nothing at ${asked}`}});
    const body = await read(request);
    await inTurn(() => complete(body, response));
  } catch (error) {
    if (response.headersSent) return response.destroy();
    send(response, error instanceof Refused ? 400 : 500, {error: {message: error.message, type: "invalid_request_error"}});
  }
}

const server = createServer(serve).listen(0, "127.0.0.1", () => console.log(`listening ${server.address().port}`));
process.stdin.on("end", () => process.exit(0)).resume();
