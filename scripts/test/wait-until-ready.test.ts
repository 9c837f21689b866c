import { expect, test } from 'vitest'
import { httpServer } from '../../gateway/test/support/http-server.ts'
import { runCommand } from './support/run-command.ts'

/** A server whose health route answers with each status in turn, and then with the last one. */
async function gateway(statuses: readonly number[]): Promise<string> {
  const left = [...statuses]
  const url = await httpServer((_request, response) => {
    const status = (left.length > 1 ? left.shift() : left[0]) ?? 200
    const reasons = status === 200 ? [] : ['the store cannot be written: the disk is full']
    response.writeHead(status).end(JSON.stringify({ reasons }))
  })
  return new URL(url).port
}

const wait = (env: Readonly<Record<string, string>>, seconds: number) =>
  runCommand('wait-until-ready', env, [`--seconds=${seconds}`])

test('a gateway that becomes ready has started', async () => {
  const PORT = await gateway([503, 503, 200])
  expect(await wait({ PORT, MAINPID: `${process.pid}` }, 60)).toEqual({ code: 0, output: '' })
})

// Administrators need a gateway on a full disk: systemd would end one whose start failed.
test('a gateway that runs without being ready is left running, and the reasons are printed', async () => {
  const PORT = await gateway([503])
  expect(await wait({ PORT, MAINPID: `${process.pid}` }, 1)).toEqual({
    code: 0,
    output:
      'The gateway runs, but it is not ready: the store cannot be written: the disk is full\n',
  })
})

test('a gateway whose process has ended has not started', async () => {
  const { code, output } = await wait({ PORT: '1', MAINPID: '4194304' }, 3_600)
  expect({ code, output }).toEqual({
    code: 1,
    output: 'The gateway does not respond; its log says why.\n',
  })
})
