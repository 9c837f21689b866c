import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { changeClientLimits } from 'schema'
import { describe, expect, test } from 'vitest'
import { moveStore } from '../src/operations/move-store.ts'
import { createAuditStore } from '../src/store/audit-store.ts'
import { tryLockFor } from '../src/store/postgres/session.ts'
import { createDatabase as toDatabase } from '../src/store/sqlite/database.ts'
import { lockStore } from '../src/store/sqlite/lock.ts'
import { MOVED_TABLES } from '../src/store/sqlite/moved-tables.ts'
import { openStore } from '../src/store/sqlite/open.ts'
import { testApp } from './app.ts'
import { createSeededRandom } from './lane-simulation/seeded-random.ts'
import { databaseProxy } from './support/database-proxy.ts'
import { FORMS, restingCall } from './support/order-forms.ts'
import { createPerson } from './support/person.ts'
import { createDatabase, hasPostgres } from './support/postgres.ts'
import { fillWithRandomRows } from './support/random-rows.ts'
import { addPasskey, addTotp, asAdminOf } from './support/second-factors.ts'
import { tempFolder } from './support/temp-folder.ts'

const nowMs = () => 1_800_000_000_000

/** Every row of every table as SQLite has it, and the ids that were given. */
function contentOf(path: string) {
  const client = new Database(path, { readonly: true })
  try {
    const rows = MOVED_TABLES.map(({ name, order }) => [
      name,
      client
        .prepare(`select * from "${name}" order by ${order.join()}`)
        .safeIntegers()
        .raw()
        .all()
        .filter((row) => !(row as unknown[]).includes('log_index')),
    ])
    const ids = client.prepare('select name, seq from sqlite_sequence order by name').all()
    return { rows: Object.fromEntries(rows), ids }
  } finally {
    client.close()
  }
}

type Content = ReturnType<typeof contentOf>

/** Without what the moves themselves entered into the trail, and what SQLite makes again. */
function withoutMoves({ rows, ids }: Content) {
  return {
    rows: {
      ...rows,
      audit_entries: rows.audit_entries.filter((row: unknown[]) => !row.includes('database.moved')),
    },
    ids: (ids as { name: string }[]).filter(
      ({ name }) => name !== 'audit_entries' && name !== 'log_kinds',
    ),
  }
}

/** A file with some rows, and a database that is empty. */
async function world() {
  const folder = tempFolder()
  const path = join(folder, 'sluice.db')
  const store = openStore(path)
  store.db.$client.exec(`
    insert into clients (client_id, secret_hash, secret_preview, created_at_ms, updated_at_ms) values ('a', 'h', 'p', 1, 1);
    insert into request_logs (at_ms, method, endpoint, status_code, response_ms, queue_ms, client_ref, request_id)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
      select i, 'GET', '/x', 200, 1, 0, 1, 'r' || i from n`)
  store.close()
  const url = await createDatabase('empty')
  return { folder, path, url, back: join(folder, 'back.db') }
}

async function query(url: string, sql: string) {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

async function verifyTrail(path: string) {
  const { db, close } = openStore(path)
  try {
    return await createAuditStore(toDatabase(db)).verify()
  } finally {
    close()
  }
}

/** An empty target has tables at most. */
async function isEmpty(url: string) {
  const [found] = await query(url, `select to_regclass('clients') is null as none`)
  if (found.none) return true
  const [row] = await query(
    url,
    'select (select count(*) from clients) + (select count(*) from request_logs) + (select count(*) from audit_entries) as rows',
  )
  return Number(row.rows) === 0
}

describe.skipIf(!hasPostgres)('an installation moves', () => {
  test('a gateway that was used moves to PostgreSQL and back, and continues where it was', async () => {
    const folder = tempFolder()
    const [path, back] = [join(folder, 'sluice.db'), join(folder, 'back.db')]
    const env = { MASTER_KEY: randomBytes(32).toString('base64') }
    const t = await testApp({ env: { ...env, DATABASE_URL: `file:${path}` } })
    const bot = await t.client('grid-bot')
    await t.call(changeClientLimits, {
      ...{ params: { id: bot.id }, body: { maxOrderValue: '100000', maxLeverage: 5 } },
    })
    const [url, body] = restingCall(FORMS.mexcFutures)
    const order = { method: 'POST', url, payload: body } as const
    const headers = { ...bot.headers, 'idempotency-key': 'k' }
    const placed = await t.app.inject({ ...order, headers })
    expect(placed.statusCode).toBe(200)
    await createPerson(t, 'operator')
    const grace = await createPerson(t, 'admin', 'grace@sluice.test')
    await addTotp(asAdminOf(t))
    await addPasskey({ app: t.app, headers: { ...grace.headers } })
    await t.app.close()
    const before = contentOf(path)
    for (const table of ['api_keys', 'second_factors', 'order_journal', 'request_logs', 'admins'])
      expect(before.rows[table].length, table).toBeGreaterThan(0)

    const there = await createDatabase('empty')
    const moved = await moveStore({ from: `file:${path}`, to: there, nowMs })
    expect(moved).toMatchObject({ changed: {}, lostNames: 0, brokenEntry: undefined })
    expect(contentOf(path)).toEqual(before)
    const [entry] = await query(there, 'select * from audit_entries order by id desc limit 1')
    expect(entry).toMatchObject({
      ...{ action: 'database.moved', subject: path, actor_kind: 'command-line' },
    })
    const [limited] = await query(there, 'select limits::text as text from clients')
    expect(limited.text).toBe(
      before.rows.clients[0].find((v: unknown) => String(v).includes('100000')),
    )

    await moveStore({ from: there, to: back, nowMs })
    expect(withoutMoves(contentOf(back))).toEqual(withoutMoves(before))
    expect(statSync(back).mode & 0o777).toBe(0o600)
    for (const database of [`file:${back}`, there]) {
      const again = await testApp({ env: { ...env, DATABASE_URL: database } })
      expect((await again.token(bot)).statusCode).toBe(200)
      const retried = await again.app.inject({ ...order, headers })
      expect(retried.body).toBe(placed.body)
      expect(again.paper.orders('mx')).toEqual([])
    }
    expect(await verifyTrail(back)).toMatchObject({ broken: undefined })
  })

  test.each([1, 2, 3])('any row moves to PostgreSQL and back unchanged, seed %i', async (seed) => {
    const { path, url, back } = await world()
    fillWithRandomRows(path, createSeededRandom(seed))
    const before = contentOf(path)
    for (const { name } of MOVED_TABLES) expect(before.rows[name].length, name).toBeGreaterThan(1)
    const moved = await moveStore({ from: path, to: url, nowMs })
    expect(moved.brokenEntry).toBe(1)
    await moveStore({ from: url, to: back, nowMs })
    expect(withoutMoves(contentOf(back))).toEqual(withoutMoves(before))
  })

  test('the rows are those of one moment', async () => {
    const { path, url, back } = await world()
    await moveStore({ from: path, to: url, nowMs })
    const onCopied = async () => {
      await query(url, `update request_logs set note = 'later' where id = 7`)
      await query(url, 'delete from request_logs where id = 8')
    }
    await moveStore({ from: url, to: back, nowMs, onCopied })
    expect(contentOf(back).rows.request_logs).toEqual(contentOf(path).rows.request_logs)
  })

  test('the next row gets an id that was never given', async () => {
    const { path, url } = await world()
    const client = new Database(path)
    client.exec('delete from request_logs where id > 2990')
    client.close()
    await moveStore({ from: path, to: url, nowMs })
    const [log] = await query(
      url,
      `insert into request_logs (at_ms, method, endpoint, status_code, response_ms, queue_ms, request_id) values (1, '', '', 1, 1, 1, '') returning id`,
    )
    const [key] = await query(
      url,
      `insert into api_keys (client_ref, exchange, api_key_sealed, api_secret_sealed, key_id, created_at_ms) values (1, 'mx', '', '', '', 1) returning id`,
    )
    expect([Number(log.id), Number(key.id)]).toEqual([3001, 1])
    await expect(
      query(url, `insert into audit_entries select * from audit_entries`),
    ).rejects.toThrow('append-only')
  })

  test('what PostgreSQL cannot store is as its stores write it, and is counted', async () => {
    const { path, url } = await world()
    const client = new Database(path)
    client.exec(`update clients set description = 'a' || char(0) || 'b';
      insert into order_journal (id, client_ref, client_id, exchange, method, endpoint, fingerprint, state, created_at_ms)
        values ('o', 1, 'a', 'mx', 'POST', '/x', 'f', 'done', 1);
      insert into order_names values ('o', 'kept'), ('o', 'b' || char(0)), ('o', printf('%.*c', 3000, 'x'))`)
    client.close()
    const moved = await moveStore({ from: path, to: url, nowMs })
    expect(moved).toMatchObject({ changed: { clients: 1 }, lostNames: 2 })
    expect(await query(url, 'select description from clients')).toEqual([
      { description: 'a\u{fffd}b' },
    ])
    expect(await query(url, 'select name from order_names')).toEqual([{ name: 'kept' }])
  })
})

describe.skipIf(!hasPostgres)('nothing is moved', () => {
  test.each([
    [
      `update clients set active = 'yes'`,
      'in the table clients, in the row with id 1, "active" is of another type',
    ],
    [
      `update clients set description = 5.5, created_at_ms = 'x'`,
      '"created_at_ms" is of another type',
    ],
    [`update clients set limits = '{'`, '"limits" is not JSON'],
    [`update clients set description = cast(x'ff' as text)`, '"description" is not UTF-8'],
    [
      `insert into audit_entries (id, at_ms, actor, actor_kind, action, subject_kind, subject, previous_hash, hash)
         values (1, 1, 'a' || char(0), 'gateway', '', '', '', '${'0'.repeat(64)}', '')`,
      'in the table audit_entries, in the row with id 1, "actor" has the character U+0000',
    ],
    [
      `pragma foreign_keys = off; delete from clients`,
      'rows of "request_logs" refer to missing rows',
    ],
    [
      'delete from __drizzle_migrations where created_at = (select max(created_at) from __drizzle_migrations)',
      'an older version of Sluice',
    ],
  ])('when the file has what is no row: %s', async (sql, message) => {
    const { path, url } = await world()
    const client = new Database(path)
    client.exec(sql)
    client.close()
    await expect(moveStore({ from: path, to: url, nowMs })).rejects.toThrow(message)
    expect(await isEmpty(url)).toBe(true)
  })

  test('to a target that holds something', async () => {
    const { path, url, back } = await world()
    await moveStore({ from: path, to: url, nowMs })
    await expect(moveStore({ from: path, to: url, nowMs })).rejects.toThrow(
      /holds rows.*must be empty/,
    )
    await moveStore({ from: url, to: back, nowMs })
    await expect(moveStore({ from: url, to: back, nowMs })).rejects.toThrow('exists already')
    const nothing = await createDatabase('empty')
    await expect(moveStore({ from: nothing, to: `${back}2`, nowMs })).rejects.toThrow(
      'there is nothing of Sluice in it',
    )
    const other = await createDatabase('empty')
    await query(other, 'create table theirs (id int)')
    await expect(moveStore({ from: path, to: other, nowMs })).rejects.toThrow('another program')
  })

  test('between two of one kind, from nowhere, or to nowhere', async () => {
    const { path, url, back, folder } = await world()
    const secret = 'sesame'
    const gone = `postgres://sluice:${secret}@127.0.0.1:1/none`
    const tries = [
      [path, back, 'both are files'],
      [url, gone, 'both are databases of PostgreSQL'],
      [join(folder, 'none.db'), url, 'there is no such file'],
      [url, back, 'no gateway has written anything into it'],
      [path, gone, 'nothing listens there'],
      [gone, back, 'nothing listens there'],
      [':memory:', url, 'in memory'],
    ] as const
    for (const [from, to, message] of tries) {
      const error = await moveStore({ from, to, nowMs }).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ message: expect.stringContaining(message) })
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(secret)
    }
    await moveStore({ from: path, to: url, nowMs })
    await expect(moveStore({ from: url, to: join(folder, 'none', 'x.db'), nowMs })).rejects.toThrow(
      'no such folder',
    )
  })

  test('while a gateway uses one of them, and no gateway starts in that time', async () => {
    const { path, url, back } = await world()
    const unlock = lockStore(path)
    await expect(moveStore({ from: path, to: url, nowMs })).rejects.toThrow('stop it first')
    unlock()
    const otherGateway = new pg.Client({ connectionString: url, application_name: 'sluice' })
    await otherGateway.connect()
    await expect(moveStore({ from: path, to: url, nowMs })).rejects.toThrow(
      'a gateway or a command of Sluice is connected to it; stop it',
    )
    await otherGateway.end()
    const onCopied = async () => {
      expect(() => lockStore(path)).toThrow('Another gateway runs')
      expect(await query(url, `${tryLockFor('owner')} as got`)).toEqual([{ got: false }])
      await expect(
        query(url, `set lock_timeout = 100; insert into settings values ('a', 'b')`),
      ).rejects.toThrow('lock timeout')
    }
    await moveStore({ from: path, to: url, nowMs, onCopied })
    await query(url, 'select 1')
    await expect(moveStore({ from: url, to: back, nowMs })).resolves.toMatchObject({ to: back })
  })

  test('when the copy is not what was copied', async () => {
    const { path } = await world()
    // A trigger of somebody else changes what is inserted.
    const other = await createDatabase()
    await query(
      other,
      `create function alter_row() returns trigger language plpgsql as $$ begin
         if new.id = 1234 then new.note := 'altered'; end if; return new; end $$;
       create trigger altered before insert on request_logs for each row execute function alter_row()`,
    )
    await expect(moveStore({ from: path, to: other, nowMs })).rejects.toThrow(
      'in the table request_logs, the copy differs from the original in the row with id 1234',
    )
    expect(await isEmpty(other)).toBe(true)
  })

  test('when a row is added to the target, or is missing there', async () => {
    for (const wrong of [
      'return null;',
      `if pg_trigger_depth() < 2 then insert into request_logs (id, at_ms, method, endpoint, status_code, response_ms, queue_ms, request_id) values (999999, 1, '', '', 1, 1, 1, ''); end if; return new;`,
    ]) {
      const { path } = await world()
      const url = await createDatabase()
      await query(
        url,
        `create function wrong() returns trigger language plpgsql as $$ begin
           if new.id = 2999 then ${wrong} end if; return new; end $$;
         create trigger wrong before insert on request_logs for each row execute function wrong()`,
      )
      await expect(moveStore({ from: path, to: url, nowMs })).rejects.toThrow('the copy differs')
      expect(await isEmpty(url)).toBe(true)
    }
  })

  test('when the connection breaks, in the middle or at the commit', async () => {
    const { path, url } = await world()
    const proxy = await databaseProxy(url)
    for (const text of ['insert into "request_logs"', 'fetch 500', 'analyze']) {
      proxy.cut(text, 'before')
      await expect(moveStore({ from: path, to: proxy.url, nowMs })).rejects.toThrow(
        'Nothing was moved',
      )
      expect(await isEmpty(url)).toBe(true)
    }
    await moveStore({ from: path, to: proxy.url, nowMs })
  })
})
