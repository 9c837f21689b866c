import { parentPort, workerData } from 'node:worker_threads'

// Reports the number of each planned moment when it has come, on the clock that all threads share.
const { startMs, periodMs, count } = workerData as Record<'startMs' | 'periodMs' | 'count', number>
const NEVER = new Int32Array(new SharedArrayBuffer(4))

for (let index = 0; index < count; index += 1) {
  const leftMs = startMs + index * periodMs - Number(process.hrtime.bigint()) / 1e6
  if (leftMs > 0) Atomics.wait(NEVER, 0, 0, leftMs)
  parentPort?.postMessage(index)
}
