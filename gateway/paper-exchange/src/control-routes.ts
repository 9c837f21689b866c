import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { MIGRATION_TARGETS, PERMISSIONS } from './account.ts'
import type { PaperControl } from './control.ts'
import { FAULT_KINDS } from './faults.ts'
import { STREAM_FAULT_KINDS, STREAM_NAMES } from './streams/stream-socket.ts'

const Exchange = Type.Union([Type.Literal('mx'), Type.Literal('bg')])
const Amounts = Type.Record(Type.String({ maxLength: 20 }), Type.String({ maxLength: 40 }))

const DaysLeft = Type.Integer({ minimum: 0, maximum: 1_000 })

const NewAccount = Type.Object(
  {
    exchange: Exchange,
    apiKey: Type.String({ minLength: 1, maxLength: 200 }),
    apiSecret: Type.String({ minLength: 1, maxLength: 200 }),
    passphrase: Type.Optional(Type.String({ maxLength: 200 })),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
    balances: Type.Optional(Amounts),
    futuresBalances: Type.Optional(Amounts),
    permissions: Type.Optional(
      Type.Array(Type.Union(PERMISSIONS.map((permission) => Type.Literal(permission)))),
    ),
    ipWhitelist: Type.Optional(Type.Array(Type.String({ maxLength: 60 }))),
    expired: Type.Optional(Type.Boolean()),
    keyDaysLeft: Type.Optional(DaysLeft),
    positionMode: Type.Optional(Type.Union([Type.Literal('one-way'), Type.Literal('hedge')])),
    unified: Type.Optional(Type.Boolean()),
    demo: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)

const AccountName = Type.Object({ name: Type.String({ minLength: 1, maxLength: 80 }) })
const Migration = Type.Object(
  { to: Type.Union(MIGRATION_TARGETS.map((target) => Type.Literal(target))) },
  { additionalProperties: false },
)

const KeyDays = Type.Object({ days: DaysLeft }, { additionalProperties: false })

const NewFault = Type.Object(
  {
    kind: Type.Union(FAULT_KINDS.map((kind) => Type.Literal(kind))),
    match: Type.Optional(
      Type.Object(
        {
          exchange: Type.Optional(Exchange),
          method: Type.Optional(Type.String({ maxLength: 10 })),
          path: Type.Optional(Type.String({ maxLength: 200 })),
          account: Type.Optional(Type.Union([Type.String({ maxLength: 80 }), Type.Null()])),
        },
        { additionalProperties: false },
      ),
    ),
    times: Type.Optional(Type.Integer({ minimum: 0 })),
    delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 3_600_000 })),
    retryAfterSeconds: Type.Optional(Type.Integer({ minimum: 0 })),
    status: Type.Optional(Type.Integer({ minimum: 400, maximum: 599 })),
    when: Type.Optional(Type.Union([Type.Literal('before'), Type.Literal('after')])),
    offsetMs: Type.Optional(Type.Integer()),
    bytes: Type.Optional(Type.Integer({ minimum: 0, maximum: 256 * 1024 * 1024 })),
  },
  { additionalProperties: false },
)

const NewStreamFault = Type.Object(
  {
    kind: Type.Union(STREAM_FAULT_KINDS.map((kind) => Type.Literal(kind))),
    match: Type.Optional(
      Type.Object(
        {
          stream: Type.Optional(Type.Union(STREAM_NAMES.map((name) => Type.Literal(name)))),
          account: Type.Optional(Type.Union([Type.String({ maxLength: 80 }), Type.Null()])),
          channel: Type.Optional(Type.String({ maxLength: 200 })),
        },
        { additionalProperties: false },
      ),
    ),
    times: Type.Optional(Type.Integer({ minimum: 0 })),
    delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 3_600_000 })),
  },
  { additionalProperties: false },
)

const NewPrice = Type.Object(
  {
    symbol: Type.String({ maxLength: 40 }),
    price: Type.String({ maxLength: 40 }),
    liquidity: Type.Optional(Type.String({ maxLength: 40 })),
  },
  { additionalProperties: false },
)

const ReceivedQuery = Type.Object(
  {
    exchange: Type.Optional(Exchange),
    path: Type.Optional(Type.String({ maxLength: 200 })),
    since: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { additionalProperties: false },
)

const OrdersQuery = Type.Object({ exchange: Type.Optional(Exchange) })

/**
 * The control interface over HTTP, below `/paper`. For a loopback address only: anyone who can
 * reach it may do everything.
 */
export const controlRoutes: FastifyPluginAsyncTypebox<{ control: PaperControl }> = async (
  app,
  { control },
) => {
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    app.getDefaultJsonParser('error', 'error'),
  )

  app.get('/received', { schema: { querystring: ReceivedQuery } }, async ({ query }) =>
    control.received(query),
  )
  app.delete('/received', async (_request, reply) => {
    control.clearReceived()
    return reply.code(204).send()
  })
  app.get('/accounts', async () => control.accounts.list())
  app.post('/accounts', { schema: { body: NewAccount } }, async ({ body }, reply) =>
    reply.code(201).send(control.accounts.add(body)),
  )
  app.post(
    '/accounts/:name/migrate',
    { schema: { params: AccountName, body: Migration } },
    async ({ params, body }) => control.accounts.migrate(params.name, body.to),
  )
  app.post(
    '/accounts/:name/key-days-left',
    { schema: { params: AccountName, body: KeyDays } },
    async ({ params, body }) => control.accounts.setKeyDaysLeft(params.name, body.days),
  )
  app.get('/orders', { schema: { querystring: OrdersQuery } }, async ({ query }) =>
    control.orders(query.exchange),
  )
  app.post('/price', { schema: { body: NewPrice } }, async ({ body }, reply) => {
    control.setPrice(body.symbol, body.price, body.liquidity)
    return reply.code(204).send()
  })
  app.post('/tick', async (_request, reply) => {
    control.tick()
    return reply.code(204).send()
  })
  app.get('/faults', async () => control.faults.list())
  app.post('/faults', { schema: { body: NewFault } }, async ({ body }, reply) => {
    control.faults.add(body)
    return reply.code(201).send(body)
  })
  app.delete('/faults', async (_request, reply) => {
    control.faults.clear()
    return reply.code(204).send()
  })
  app.get('/streams', async () => control.streams.list())
  app.get('/stream-faults', async () => control.streams.faults())
  app.post('/stream-faults', { schema: { body: NewStreamFault } }, async ({ body }, reply) => {
    control.streams.addFault(body)
    return reply.code(201).send(body)
  })
  app.delete('/stream-faults', async (_request, reply) => {
    control.streams.clearFaults()
    return reply.code(204).send()
  })
  app.post('/reset', async (_request, reply) => {
    control.reset()
    return reply.code(204).send()
  })
}
