import { execFile } from 'node:child_process'
import { expect, test } from 'vitest'

const MODULE = new URL('close-on-signal.ts', import.meta.url).href

interface Ended {
  readonly code: unknown
  readonly stdout: string
  readonly stderr: string
}

interface Closing {
  readonly drain?: string
  readonly close?: string
  /** Default: longer than a busy machine needs. */
  readonly withinMs?: number
}

/** Runs a process that drains and closes as `drain` and `close` say, and does what `body` says. */
function run(
  body: string,
  { drain, close = `console.log('closed')`, withinMs = 60_000 }: Closing = {},
): Promise<Ended> {
  const program = `
    import { setTimeout as sleep } from 'node:timers/promises'
    import { closeOnSignal } from '${MODULE}'
    const now = performance.now.bind(performance)
    let passedMs = 0
    performance.now = () => now() + passedMs
    // Keeps the process running, as a server does.
    setInterval(() => {}, 60_000)
    const closing = closeOnSignal({
      ${drain === undefined ? '' : `async drain(cutShort) { ${drain} },`}
      withinMs: ${withinMs},
      async close() { ${close} },
    })
    ${body}`
  const args = ['--input-type=module', '--eval', program]
  return new Promise((resolve) => {
    execFile(process.execPath, args, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? error?.signal ?? 0, stdout, stderr }),
    )
  })
}

const SIGNAL = `process.kill(process.pid, 'SIGTERM')`
/** More than two seconds pass: a signal that then comes is no copy of the one before. */
const LATER = 'passedMs += 2_100'
/** Waits until the process has dealt with an event: it has asked for it before. */
const until = (event: string) => `await new Promise((resolve) => process.once('${event}', resolve))`

const DRAIN = `console.log('draining'); await sleep(20); console.log('drained')`

test('each signal drains before it closes, without a limit of time', async () => {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2']
  const listeners = `${JSON.stringify(signals)}.map((name) => process.listeners(name))`
  // All have the one listener that this signal calls.
  const counts = `all.map(({ length }) => length).join(''), new Set(all.flat()).size`
  const body = `const all = ${listeners}; console.log(${counts}); ${SIGNAL}`
  const ended = await run(body, { drain: DRAIN, withinMs: 1 })
  expect(ended).toEqual({ code: 0, stdout: '11111 1\ndraining\ndrained\nclosed\n', stderr: '' })
})

test.each([
  ['an exception', `setImmediate(() => { throw new Error('the reason') })`],
  ['a rejected promise', `Promise.reject(new Error('the reason'))`],
])('%s that nobody catches is logged and closes, without a drain', async (_, body) => {
  const { code, stdout, stderr } = await run(body, { drain: DRAIN })
  expect({ code, stdout }).toEqual({ code: 1, stdout: 'closed\n' })
  expect(stderr).toContain('closing after an error: Error: the reason')
})

test('an error while closing is logged, and closing continues', async () => {
  const close = `Promise.reject(new Error('late')); ${until('unhandledRejection')}; console.log('closed')`
  const { code, stdout, stderr } = await run(SIGNAL, { close })
  expect({ code, stdout }).toEqual({ code: 1, stdout: 'closed\n' })
  expect(stderr).toContain('while closing: Error: late')
})

test.each([
  ['does not close in time', 'await new Promise(() => {})', 20, 'Closing took over 20 ms'],
  ['cannot be closed', `throw new Error('it is stuck')`, 60_000, 'it is stuck'],
])('what %s is ended, with the reason', async (_, close, withinMs, reason) => {
  const { code, stderr } = await run(SIGNAL, { close, withinMs })
  expect(code).toBe(1)
  expect(stderr).toContain(`ended before everything was closed: Error: ${reason}`)
})

test('a process that stops by itself drains as on a signal, keeps its exit code, and takes no first signal for a second', async () => {
  const ended = await run('closing.stop(75)', {
    drain: `${LATER}; console.log('drained')`,
    close: `${SIGNAL}; ${until('SIGTERM')}; console.log('closed')`,
  })
  expect(ended).toEqual({ code: 75, stdout: 'drained\nclosed\n', stderr: '' })
})

test.each([
  ['a second signal', SIGNAL, 0],
  ['an error', `Promise.reject(new Error('late'))`, 1],
])('%s ends a drain, and closing follows', async (_, later, code) => {
  const cut = `await new Promise((resolve) => cutShort.addEventListener('abort', resolve))`
  const ended = await run(SIGNAL, { drain: `${LATER}; ${later}; ${cut}` })
  expect(ended).toMatchObject({ code, stdout: 'closed\n' })
})

test('a process that has stopped listening ends as any other does', async () => {
  const { code, stdout } = await run(`closing.remove(); ${SIGNAL}`)
  expect({ code, stdout }).toEqual({ code: 'SIGTERM', stdout: '' })
})
