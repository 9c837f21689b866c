import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { POSTGRES_MIGRATIONS_FOLDER } from '../../src/store/database-path.ts'
import { readMigrations } from '../../src/store/postgres/migrations.ts'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { takenAway } from '../support/expand-only.ts'
import { createDatabase, hasPostgres } from '../support/postgres.ts'
import { untilWaiting } from '../support/until-waiting.ts'

/** Every migration that was released, by the hash that databases remember. */
const RELEASED = {
  '0000_start': 'dd94e3e6dcc0f6db869e204d93da841f8e26914356182c2ac22a425ff6e1b49c',
  '0001_triggers': '9201eaaa55bbd500d76ffc58635e426b381b113f40a6ea1a9fe0f026f8565fca',
  '0002_lane_owners': '0962cd6c667b135c9670c149e41f10daaf7ee66db1163fa62bb73ee60b82d180',
  '0003_log_kinds': '5d10db6323a66254f957f06ead318a4757e1872f5d3ba3fcab0a8341469446a0',
  '0005_handed_over': '0bcc634673d6d8520dd48b60cc584a889eed177f73c7f5b7341fcafdd44746e7',
  '0004_nodes': 'b060147cda3fe9d9c56c70298f799f13d562c62a393c2000cd439df18ef08e4b',
  '0006_client_orders': '93eac40823c46cba99e5b255da9d8bac25c4584a4eb883da517698eeea1645ea',
  '0007_own_positions': 'd26e257e8bddb271e1007ace2af31a0b0c169709af81cc87fba10c1fdf458053',
  '0008_new_keys': 'f7cf3e47380d9456689c12cd990a815c6fb784639946d455aba308f84cb9c6fe',
  '0009_listed_orders': '894a3bbcd6add0a788bc3d10123eb45c8314dc53e759e0882546942c1939b5f4',
  '0010_streams': 'ab6159a54b72acbbc83a138fe41d9e7951f4389dc656a28c319586d9b46c5389',
} as const
/** No gateway of several ran before these: nobody had to work with older tables. */
const BEFORE_GROUPS = 5
const migrations = readMigrations(POSTGRES_MIGRATIONS_FOLDER)

test('every released migration of PostgreSQL is unchanged and listed here', () => {
  expect(Object.fromEntries(migrations.map(({ name, hash }) => [name, hash]))).toEqual(RELEASED)
})

// CONTRIBUTING.md, "A migration of PostgreSQL": the version before works on the new tables.
test('a migration only adds, unless it says which earlier one made that possible', () => {
  for (const [index, { name, statements, needs }] of migrations.entries()) {
    if (index < BEFORE_GROUPS) continue
    if (needs === null) expect([name, statements.flatMap(takenAway)]).toEqual([name, []])
    else expect(migrations.findIndex((one) => one.name === needs)).toSatisfy((at) => at < index)
  }
})

test.each([
  ['CREATE TABLE "a" ("id" bigint NOT NULL)', 0],
  ['ALTER TABLE "a" ADD COLUMN "b" text', 0],
  ['ALTER TABLE "a" ADD COLUMN "b" bigint DEFAULT 0 NOT NULL', 0],
  ['CREATE INDEX "i" ON "a" USING btree ("b")', 0],
  ['CREATE FUNCTION "f"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM "x"; END $$', 0],
  ['ALTER TABLE "a" ADD COLUMN "b" bigint NOT NULL', 1],
  ['alter table "a" drop column "b"', 1],
  ['ALTER TABLE "a" RENAME COLUMN "b" TO "c"', 1],
  ['ALTER TABLE "a" ALTER COLUMN "b" SET DATA TYPE bigint', 1],
  ['ALTER TABLE "a" ALTER COLUMN "b" SET NOT NULL', 1],
  ['ALTER TABLE "a" ADD CONSTRAINT "c" UNIQUE("b")', 1],
  ['CREATE UNIQUE INDEX "i" ON "a" USING btree ("b")', 1],
  ['DROP TABLE "a"', 1],
  ['DELETE FROM "a"', 1],
  ['TRUNCATE "a"', 1],
])('%s: what it takes away is found', (statement, count) => {
  expect(takenAway(statement)).toHaveLength(count)
})

describe.skipIf(!hasPostgres)('a database that another version has migrated', () => {
  test('is used when that version only added, and refused when it took away what this one needs', async () => {
    const url = await createDatabase()
    const client = await connect(url)
    const last = migrations.at(-1)?.name
    const add = (hash: string, needs: string | null) =>
      client.query('insert into __drizzle_migrations (hash, needs) values ($1, $2)', [hash, needs])
    await add('added by the next', null)
    await (await openPostgres(url)).close()
    await add('taken away by the one after, what this one does not use', last ?? '')
    await (await openPostgres(url)).close()
    await add('taken away, what only the next does not use', '9999_next')
    await client.query(
      `update __drizzle_migrations set release = '3.4.5' where needs = '9999_next'`,
    )
    await expect(openPostgres(url)).rejects.toMatchObject({
      code: 'STORE_TOO_NEW',
      message: expect.stringContaining('was written by Sluice 3.4.5'),
    })
  })

  test('remembers nothing of it where the first versions made it', async () => {
    const url = await createDatabase()
    const client = await connect(url)
    await client.query('alter table __drizzle_migrations drop column needs')
    await (await openPostgres(url)).close()
    await client.query(`insert into __drizzle_migrations (hash) values ('newer')`)
    await (await openPostgres(url)).close()
  })
})

describe.skipIf(!hasPostgres)('a migration while gateways run', () => {
  test('does not make them wait for somebody who reads for long', async () => {
    const url = await createDatabase('empty')
    await migrateUpTo(url, '0003_log_kinds')
    const reader = await connect(url)
    await reader.query('begin; select 1 from request_logs')
    const migrated = openPostgres(url)
    const [gateway, watcher] = [await connect(url), await connect(url)]
    // The reader's lock is in the migration's way, and that one's is in the gateway's for a moment.
    for (let round = 0; round < 3; round += 1) {
      await untilWaiting(watcher, 1)
      await gateway.query('select 1 from request_logs limit 1')
    }
    await reader.query('rollback')
    const store = await migrated
    expect(await store.pendingMigrations()).toBe(0)
    await store.close()
  })
})

describe.skipIf(!hasPostgres)('an index of a table that is big', () => {
  const isWhole = async (client: pg.Client) => {
    const { rows } = await client.query(
      `select indisvalid from pg_index where indexrelid = to_regclass('order_journal_symbol')`,
    )
    return rows[0]?.indisvalid
  }

  test('is made while gateways write orders', async () => {
    const url = await createDatabase('empty')
    await migrateUpTo(url, '0009_listed_orders')
    const [reader, gateway] = [await connect(url), await connect(url)]
    // The making of the index waits for it at its end: until then the test sees it under way.
    await reader.query('begin isolation level repeatable read; select 1 from clients')
    const migrated = openPostgres(url)
    await untilWaiting(gateway, 1)
    expect(await isWhole(gateway)).toBe(false)
    await gateway.query(`set statement_timeout = '4s'; update order_journal set lookups = 1`)
    // A node that starts now leaves it to the first.
    await (await openPostgres(url)).close()
    await reader.query('commit')
    await (await migrated).close()
    expect(await isWhole(gateway)).toBe(true)
  })

  test('is made by the next start where its making was interrupted', async () => {
    const url = await createDatabase()
    const client = await connect(url)
    await client.query(
      `update pg_index set indisvalid = false where indexrelid = 'order_journal_symbol'::regclass`,
    )
    await (await openPostgres(url)).close()
    expect(await isWhole(client)).toBe(true)
  })
})

/** Makes the tables as they were before a migration. */
async function migrateUpTo(url: string, name: string): Promise<void> {
  const client = await connect(url)
  await client.query(
    'create table __drizzle_migrations (id serial primary key, hash text not null, created_at bigint)',
  )
  for (const { statements, hash } of migrations.slice(
    0,
    migrations.findIndex((one) => one.name === name),
  )) {
    for (const statement of statements) await client.query(statement)
    await client.query('insert into __drizzle_migrations (hash) values ($1)', [hash])
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}
