import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Io, Run } from '../../src/cli.ts'

export interface Ended {
  readonly code: number
  /** What it said, on either output. */
  readonly output: string
}

/** Runs one of the operator's commands in this process, without a terminal. */
export async function runCommand(
  /** Of its file. */
  name: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  /** What is piped into it. */
  input = '',
): Promise<Ended> {
  const { run }: { run: Run } = await import(`../../src/${name}.ts`)
  const { io, output } = testIo(input)
  const code = await run(args, { PATH: process.env.PATH, ...env }, io)
  return { code, output: await output() }
}

/** What a command without a terminal has. */
export function testIo(input = '') {
  const both = new PassThrough()
  const said = text(both)
  const io: Io = {
    ...{ in: Readable.from([input]), out: both, err: both },
    stopSignal: () => new AbortController().signal,
    // This process has other tests to run at its own priority.
    giveWay() {},
    closeOnSignal: () => () => {},
    onExit: () => {},
  }
  return {
    io,
    /** What it said, once it has ended. */
    output() {
      both.end()
      return said
    },
  }
}
