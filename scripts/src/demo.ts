import { command, runAsProcess, wholeNumber } from './cli.ts'

const USAGE = `Usage:
  npm run demo -- [--gateway-port N] [--console-port N] [--paper-port N] [--data FOLDER]

Starts gateway, console and paper exchange on this machine, with an administrator and a client that can trade, and
prints how to use them. Ctrl-C stops it. The next start keeps the clients and the log; the paper exchange starts empty.

  --gateway-port N   default 8080; 0 takes any free port, here and below
  --console-port N   default 8081
  --paper-port N     default 8082
  --data FOLDER      folder for its data; default data/demo`

const PORT_MAX = 65_535

export const run = command({
  usage: USAGE,
  failed: 'The demo did not start.',
  options: {
    'gateway-port': { type: 'string', default: '8080' },
    'console-port': { type: 'string', default: '8081' },
    'paper-port': { type: 'string', default: '8082' },
    data: { type: 'string', default: 'data/demo' },
  },
  async run(values, _positionals, call) {
    const ports = {
      gateway: wholeNumber('gateway-port', values['gateway-port'], 0, PORT_MAX),
      console: wholeNumber('console-port', values['console-port'], 0, PORT_MAX),
      paper: wholeNumber('paper-port', values['paper-port'], 0, PORT_MAX),
    }
    // Loaded when it is to start: the console's builder takes seconds.
    const { runDemo } = await import('./demo/start-demo.ts')
    await runDemo(ports, values.data, call)
    return 0
  },
})

await runAsProcess(import.meta, run)
