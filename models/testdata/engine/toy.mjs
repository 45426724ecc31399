// Writes a model of a few hundred tokens: which character follows which, as
// counted in a text. It speaks gibberish, and is a model like any other to the
// engine: node toy.mjs TEXT OUT.
import {readFileSync, writeFileSync} from "node:fs";
import {pathToFileURL} from "node:url";

// What the format calls things.
const GGUF = {version: 3, align: 32, float32: 0, u32: 4, f32: 6, bool: 7, string: 8, array: 9};
const TOKEN = {normal: 1, unknown: 2, control: 3, unused: 5, byte: 6};
const HEAD = 32; // the width of one head of attention; all widths are multiples
const SPACE = "\u2581"; // how the vocabulary writes a space

// Bytes gathers what is written, all of it little-endian.
class Bytes {
  parts = [];
  raw(buffer) { this.parts.push(buffer); return this; }
  number(size, write) { const b = Buffer.alloc(size); write(b); return this.raw(b); }
  u32(n) { return this.number(4, b => b.writeUInt32LE(n)); }
  u64(n) { return this.number(8, b => b.writeBigUInt64LE(BigInt(n))); }
  f32(n) { return this.number(4, b => b.writeFloatLE(n)); }
  text(s) { const b = Buffer.from(s, "utf8"); return this.u64(b.length).raw(b); }
  pad() { return this.raw(Buffer.alloc((GGUF.align - this.length % GGUF.align) % GGUF.align)); }
  get length() { return this.parts.reduce((sum, p) => sum + p.length, 0); }
  get whole() { return Buffer.concat(this.parts); }
}

// vocabulary has the special tokens, all bytes, and the printable characters.
function vocabulary() {
  const tokens = [
    {text: "<unk>", type: TOKEN.unknown, score: 0},
    {text: "<s>", type: TOKEN.control, score: 0},
    {text: "</s>", type: TOKEN.control, score: 0},
  ];
  for (let byte = 0; byte < 256; byte++) {
    tokens.push({text: `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`, type: TOKEN.byte, score: 0});
  }
  const characters = [SPACE, ...Array.from({length: 94}, (_, i) => String.fromCharCode(33 + i))];
  for (const text of characters) tokens.push({text, type: TOKEN.normal, score: -1});
  while (tokens.length % HEAD) tokens.push({text: `<unused${tokens.length}>`, type: TOKEN.unused, score: -100});
  return tokens;
}

// follows counts, for each token, what comes next in the text, and returns the
// logarithms of the probabilities: row b, column a for b after a.
function follows(text, tokens) {
  const size = tokens.length, start = 1, end = 2;
  const number = new Map(tokens.map((t, i) => [t.text, i]));
  const counts = new Float64Array(size * size), sums = new Float64Array(size);
  for (const line of text.split("\n").filter(l => l.trim())) {
    const written = Array.from(line.trim(), c => number.get(c === " " ? SPACE : c) ?? number.get("?"));
    [start, ...written].forEach((a, i) => {
      counts[(written[i] ?? end) * size + a]++;
      sums[a]++;
    });
  }
  const least = 1e-4; // so that nothing is impossible
  return Float32Array.from(counts, (n, i) => Math.log((n + least) / (sums[i % size] + least * size)));
}

// tensors are the weights. Each token is embedded as itself alone, attention
// and the layer behind it add nothing, so that the last matrix decides.
function tensors(text, tokens) {
  const size = tokens.length;
  const filled = (n, value) => new Float32Array(n).fill(value);
  const identity = filled(size * size, 0);
  for (let i = 0; i < size; i++) identity[i * size + i] = 1;
  const square = name => [name, [size, size], filled(size * size, 0)];
  return [
    ["token_embd.weight", [size, size], identity],
    ["blk.0.attn_norm.weight", [size], filled(size, 1)],
    ...["attn_q", "attn_k", "attn_v", "attn_output"].map(name => square(`blk.0.${name}.weight`)),
    ["blk.0.ffn_norm.weight", [size], filled(size, 1)],
    ["blk.0.ffn_gate.weight", [size, HEAD], filled(size * HEAD, 0)],
    ["blk.0.ffn_up.weight", [size, HEAD], filled(size * HEAD, 0)],
    ["blk.0.ffn_down.weight", [HEAD, size], filled(size * HEAD, 0)],
    // The norm makes the one of an embedding the root of its width; this takes
    // it back.
    ["output_norm.weight", [size], filled(size, 1 / Math.sqrt(size))],
    ["output.weight", [size, size], follows(text, tokens)],
  ];
}

// facts are what a file says of its model.
function facts(tokens) {
  const all = new Bytes();
  let count = 0;
  const fact = (name, type, write) => { count++; all.text(name).u32(type); write(all); };
  const text = (name, value) => fact(name, GGUF.string, b => b.text(value));
  const number = (name, value) => fact(name, GGUF.u32, b => b.u32(value));
  const list = (name, type, values, write) => fact(name, GGUF.array, b => {
    b.u32(type).u64(values.length);
    for (const value of values) write(b, value);
  });
  text("general.architecture", "llama");
  text("general.name", "toy");
  number("general.file_type", 0);
  number("llama.context_length", 4096);
  number("llama.embedding_length", tokens.length);
  number("llama.block_count", 1);
  number("llama.feed_forward_length", HEAD);
  number("llama.attention.head_count", tokens.length / HEAD);
  number("llama.attention.head_count_kv", tokens.length / HEAD);
  fact("llama.attention.layer_norm_rms_epsilon", GGUF.f32, b => b.f32(1e-6));
  number("llama.rope.dimension_count", HEAD);
  number("llama.vocab_size", tokens.length);
  text("tokenizer.ggml.model", "llama");
  list("tokenizer.ggml.tokens", GGUF.string, tokens, (b, t) => b.text(t.text));
  list("tokenizer.ggml.scores", GGUF.f32, tokens, (b, t) => b.f32(t.score));
  list("tokenizer.ggml.token_type", 5, tokens, (b, t) => b.u32(t.type)); // 5: signed, of 32 bits
  number("tokenizer.ggml.unknown_token_id", 0);
  number("tokenizer.ggml.bos_token_id", 1);
  number("tokenizer.ggml.eos_token_id", 2);
  fact("tokenizer.ggml.add_bos_token", GGUF.bool, b => b.raw(Buffer.from([1])));
  return {count, bytes: all.whole};
}

export function toy(text) {
  const tokens = vocabulary(), told = facts(tokens), weights = tensors(text, tokens);
  const file = new Bytes().raw(Buffer.from("GGUF")).u32(GGUF.version).u64(weights.length).u64(told.count).raw(told.bytes);
  const body = new Bytes();
  for (const [name, shape, values] of weights) {
    file.text(name).u32(shape.length);
    for (const side of shape) file.u64(side);
    file.u32(GGUF.float32).u64(body.length);
    body.raw(Buffer.from(values.buffer)).pad();
  }
  return Buffer.concat([file.pad().whole, body.whole]);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , from, to] = process.argv;
  writeFileSync(to, toy(readFileSync(from, "utf8")));
}
