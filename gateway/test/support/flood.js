// Sends the same request over several connections, one after another on each, until it is stopped.
// argv: number of connections, URL, body, headers as JSON. It runs in a process of its own, so that
// it does not use the event loop of the gateway under test.
import { Agent, request } from 'node:http'

const [connections, url = '', body, headers = '{}'] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) })
const options = { agent, method: 'POST', headers: JSON.parse(headers) }

function next() {
  const sent = request(url, options, (response) => response.resume().once('end', next))
  sent.once('error', () => process.exit(1))
  sent.end(body)
}
for (let n = 0; n < Number(connections); n += 1) next()
