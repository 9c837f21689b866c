import { parseArgs } from 'node:util'
import { createNetwork, type NetworkName } from '../../../gateway/test/lane-simulation/networks.ts'
import { startDelayingProxy } from '../../../gateway/test/support/delaying-proxy.ts'

// The networks of the network benchmark, in a process of their own: a proxy for each.
const { values } = parseArgs({
  options: {
    target: { type: 'string', default: '' },
    network: { type: 'string', multiple: true, default: [] },
  },
})
const SEED = 14

const urls = await Promise.all(
  values.network.map(async (name) => {
    const { thereMs, backMs } = createNetwork(name as NetworkName, SEED)
    const proxy = await startDelayingProxy({
      target: values.target,
      thereMs: () => thereMs(performance.now()),
      backMs: () => backMs(performance.now()),
    })
    return proxy.url
  }),
)
process.send?.({ urls })
process.on('disconnect', () => process.exit(0))
