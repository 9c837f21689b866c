import { createServer } from 'node:http'
import { setPriority } from 'node:os'

// The upstream of the pace and network benchmarks, in a process of its own: notes when each request
// arrives, by path, and responds after the `ms` that the path says. What is measured shares the
// cores with this clock, which needs the higher priority. Only root may set it.
if (process.getuid?.() === 0) setPriority(-20)
const arrivalsMs = new Map<string, number[]>()

const server = createServer((request, response) => {
  const atMs = performance.now()
  const path = request.url ?? '/'
  const known = arrivalsMs.get(path)
  if (known === undefined) arrivalsMs.set(path, [atMs])
  else known.push(atMs)
  const ms = Number(new URL(path, 'http://upstream').searchParams.get('ms'))
  // As Bitget states it: whole milliseconds.
  const requestTime = Math.floor(performance.timeOrigin + atMs)
  const respond = () => response.end(`{"requestTime":${requestTime}}`)
  if (ms > 0) setTimeout(respond, ms)
  else respond()
})
server.keepAliveTimeout = 120_000
server.listen(0, '127.0.0.1', () => process.send?.({ address: server.address() }))
process.on('message', () => process.send?.({ arrivalsMs: [...arrivalsMs] }))
process.on('disconnect', () => process.exit(0))
