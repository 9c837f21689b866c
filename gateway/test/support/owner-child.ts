import { Ownership } from '../../src/nodes/ownership.ts'
import { createOwnerLock } from '../../src/store/postgres/owner-lock.ts'
import { systemTime } from '../../src/time.ts'

/*
 * A node that only tries to become the owner, as a process of its own: tests halt and kill it. It
 * writes a line when it becomes the owner, `may-send` whenever it may send, and ends with 75 when
 * it is no longer the owner.
 */

const [url = '', nodeUrl = ''] = process.argv.slice(2)
const say = (line: string) => process.stdout.write(`${line}\n`)
const ownership = new Ownership({
  lock: createOwnerLock(url),
  node: { nodeId: `child ${process.pid}`, nodeUrl },
  time: systemTime,
  onError: (error) => say(`error ${error}`),
})
ownership.start({
  onOwner: async (fence) => void say(`owner ${fence}`),
  onLost: () => process.exit(75),
})
setInterval(() => ownership.maySend() && say('may-send'), 5)
