import { getOperations, listNodes, login } from 'schema'
import { callGateway, type Reached } from './call-gateway.ts'
import { expectThat, until } from './check.ts'
import type { Project } from './compose.ts'
import { startGroupBot } from './group-bot.ts'
import type { Person } from './sign-in.ts'
import { reachedThroughProxy } from './use-project.ts'

export const GATEWAYS = ['gateway-1', 'gateway-2'] as const
export type GatewayName = (typeof GATEWAYS)[number]

const LIST_ORDERS =
  "fetch('http://127.0.0.1:8082/paper/orders?exchange=mx').then(async (r) => console.log(await r.text()))"

/** What an operator sees of the gateways of compose.ha.yaml. */
export interface Group {
  readonly reached: () => Promise<Reached>
  readonly asAdmin: () => Promise<{ readonly gateway: Reached; readonly token: string }>
  /** @throws unless one gateway is the owner and the other one stands by */
  readonly roles: () => Promise<{ readonly owner: GatewayName; readonly standby: GatewayName }>
  readonly untilOwner: (name: GatewayName) => Promise<void>
  /** How many exchanges are stopped. */
  readonly stoppedExchanges: () => Promise<number>
  /** @throws unless each order that a bot got during the work is at the exchange, once */
  readonly whileTrading: (token: string, work: () => Promise<void>) => Promise<string>
}

export function createGroup(project: Project, tlsPort: number, admin: Person): Group {
  const reached = () => reachedThroughProxy(project, tlsPort)

  async function asAdmin() {
    const gateway = await reached()
    return { gateway, token: (await callGateway(gateway, login, { body: admin })).token }
  }

  async function ownerAmong() {
    const { gateway, token } = await asAdmin()
    const { nodes } = await callGateway(gateway, listNodes, { token, body: undefined })
    const url = nodes.find(({ isOwner }) => isOwner)?.url ?? ''
    return { owner: GATEWAYS.find((name) => url.includes(name)), nodes }
  }

  async function ordersAtExchange(): Promise<number> {
    const list = ['exec', '-T', 'paper-exchange', 'node', '-e', LIST_ORDERS]
    return JSON.parse(await project.compose(...list)).length
  }

  return {
    reached,
    asAdmin,
    async roles() {
      const { owner, nodes } = await ownerAmong()
      const standby = GATEWAYS.find((name) => name !== owner)
      expectThat(owner !== undefined && standby !== undefined, 'no gateway is the owner')
      expectThat(nodes.length === GATEWAYS.length, `there are ${nodes.length} nodes`)
      return { owner, standby }
    },
    untilOwner: (name) =>
      until(`${name} is the owner`, async () => (await ownerAmong()).owner === name),
    async stoppedExchanges() {
      const { gateway, token } = await asAdmin()
      const now = await callGateway(gateway, getOperations, { token, body: undefined })
      return now.exchanges.filter(({ state }) => state === 'stopped').length
    },
    async whileTrading(token, work) {
      const before = await ordersAtExchange()
      const bot = startGroupBot(await reached(), token)
      await bot.trades(2)
      await work()
      await bot.trades(2)
      const placed = await bot.stop()
      const found = (await ordersAtExchange()) - before
      expectThat(found === placed, `the bot has ${placed} orders, and the exchange ${found}`)
      return `${placed} orders, each once`
    },
  }
}
