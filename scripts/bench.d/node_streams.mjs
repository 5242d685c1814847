// node_streams.mjs FILE - the same server by the http module of node: it follows a log and sends each line to everybody
import { closeSync, fstatSync, openSync, readSync, watch } from 'node:fs';
import { createServer } from 'node:http';

const [file] = process.argv.slice(2);
const log = openSync(file);
const clients = new Set();
const buffer = Buffer.alloc(65536);
let rest = '';
let place = fstatSync(log).size;

watch(file, () => {
  for (let got; (got = readSync(log, buffer, 0, buffer.length, place)) > 0; place += got) rest += buffer.toString('utf8', 0, got);
  const lines = rest.split('\n');
  rest = lines.pop();
  for (const line of lines) {
    const frame = `id: ${JSON.parse(line).seq}\ndata: ${line}\n\n`;
    for (const client of clients) client.write(frame);
  }
});

const server = createServer((request, response) => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.write(': events\n\n');
  clients.add(response);
  request.on('close', () => clients.delete(response));
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () => console.log(server.address().port));
process.on('SIGTERM', () => (closeSync(log), process.exit(0)));
