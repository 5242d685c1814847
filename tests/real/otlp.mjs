// otlp.mjs FILE - check requests of team-export, one a line, against the published parts of OpenTelemetry
//
// Each request must survive the way through the protobuf schema unchanged: a key that the schema does not know, a number
// that should be a string or an id in another form does not. Every attribute must be in the registry of the semantic
// conventions, or be ours. Prints the number of spans; ends with 1 at the first difference.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
const require = createRequire(import.meta.url);
const root = require('@opentelemetry/otlp-transformer/build/src/generated/root.js');
const Request = root.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;

const names = new Set(Object.entries(conventions).filter(([key]) => key.startsWith('ATTR_')).map(([, name]) => name));
const operations = new Set(
  Object.entries(conventions).filter(([key]) => key.startsWith('GEN_AI_OPERATION_NAME_VALUE_')).map(([, name]) => name));

function eachId(value, change) {
  if (Array.isArray(value)) return value.map((element) => eachId(element, change));
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) =>
    [key, ['traceId', 'spanId', 'parentSpanId'].includes(key) ? change(inner, key) : eachId(inner, change)]));
}

function toBytes(text, key) {
  assert.match(text, key === 'traceId' ? /^[0-9a-f]{32}$/ : /^[0-9a-f]{16}$/, key);
  assert.doesNotMatch(text, /^0+$/, key);
  return Buffer.from(text, 'hex');
}

function checkAttributes(attributes) {
  const keys = attributes.map(({ key }) => key);
  assert.equal(new Set(keys).size, keys.length, `a key twice in ${keys}`);
  for (const { key, value } of attributes) {
    assert.ok(names.has(key) || key.startsWith('teamkit.'), `unknown attribute ${key}`);
    if (key === 'gen_ai.operation.name') assert.ok(operations.has(value.stringValue), value.stringValue);
  }
}

let spans = 0;
for (const line of readFileSync(process.argv[2], 'utf8').trimEnd().split('\n')) {
  const sent = JSON.parse(line);
  const message = Request.fromObject(eachId(sent, toBytes));
  assert.equal(Request.verify(message), null);
  const read = Request.toObject(Request.decode(Request.encode(message).finish()), { longs: String, enums: Number, bytes: Buffer });
  assert.deepEqual(eachId(JSON.parse(JSON.stringify(eachId(read, (bytes) => bytes.toString('hex')))), (text) => text), sent);
  for (const { resource, scopeSpans } of sent.resourceSpans) {
    checkAttributes(resource.attributes);
    for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
      assert.ok(BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano), 'a span ends before it begins');
      checkAttributes(span.attributes);
      for (const link of span.links ?? []) checkAttributes(link.attributes);
      spans += 1;
    }
  }
}
console.log(spans);
