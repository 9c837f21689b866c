import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openPostgres, type PostgresStore } from '../../src/store/postgres/open.ts'
import { asSuperuser, createDatabase, hasPostgres, runningCluster } from '../support/postgres.ts'
import { startCluster, stopCluster } from '../support/postgres-cluster.ts'
import { selfSigned } from '../support/self-signed.ts'
import { tempFolder } from '../support/temp-folder.ts'

async function open(url: string): Promise<PostgresStore> {
  const store = await openPostgres(url)
  onTestFinished(() => store.close())
  return store
}

type Part = 'port' | 'username' | 'password' | 'pathname' | 'search' | 'hostname'
type Parts = Partial<Record<Part, string>>

/** The URL with other parts. */
const changed = (url: string, parts: Parts): string => Object.assign(new URL(url), parts).href

/** Runs SQL in a database as the superuser. */
async function run(url: string, sql: string): Promise<void> {
  await asSuperuser(await runningCluster(), sql, new URL(url).pathname.slice(1))
}

describe.skipIf(!hasPostgres)('opening a database of PostgreSQL', () => {
  const SECRET = 'sesame:/@'

  async function refused(url: string): Promise<string> {
    const error = await openPostgres(url).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'STORE_UNOPENABLE' })
    expect(String(error)).not.toContain('sesame')
    return String(error)
  }

  test.each<[message: string | RegExp, parts: Parts]>([
    ['nothing listens there', { port: '1' }],
    [
      /host name (is not known|cannot be resolved)/,
      { hostname: 'nowhere.invalid', search: 'sslmode=disable' },
    ],
    ['it names several hosts', { hostname: 'db-1,db-2' }],
    ['there is no such database', { pathname: 'nowhere' }],
    ['the user or the password is wrong', { username: 'with_password' }],
    ['does not let this user in', { username: 'locked_out' }],
    ['does not encrypt connections', { search: 'sslmode=verify-full' }],
    ['add ?sslmode=verify-full', { hostname: 'db.example' }],
    ['sslmode "prefer" in DATABASE_URL is not possible', { search: 'sslmode=prefer' }],
    ['parameter "passwd" is not known', { search: `passwd=${encodeURIComponent(SECRET)}` }],
    ['sslrootcert "/nowhere" cannot be read', { search: 'sslmode=require&sslrootcert=/nowhere' }],
  ])('%s', async (message, parts) => {
    const url = await createDatabase('empty')
    expect(await refused(changed(url, { password: SECRET, ...parts }))).toMatch(message)
  })

  test('several hosts, as libpq takes them, are not possible, and a URL that is none is not shown', async () => {
    const hosts = 'db-1:5432,db-2:5432/sluice?target_session_attrs=read-write'
    expect(await refused(`postgres://sluice:sesame@${hosts}`)).toContain('it names several hosts')
    expect(await refused('postgres://sluice:a@b/c%d#sesame@:x')).toContain('%40')
  })

  test('a password is sent, with any characters', async () => {
    const url = await createDatabase('empty')
    const database = new URL(url).pathname.slice(1)
    await run(url, `alter database ${database} owner to with_password`)
    await run(url, `alter role with_password password '${SECRET}'`)
    const password = encodeURIComponent(SECRET)
    const store = await open(changed(url, { username: 'with_password', password }))
    expect(store.name).toBe(`postgres://with_password@127.0.0.1:${new URL(url).port}/${database}`)
  })

  test('an empty database is migrated once, by the first that comes', async () => {
    const url = await createDatabase('empty')
    const stores = await Promise.all([open(url), open(url), open(url)])
    for (const { pendingMigrations } of stores) expect(await pendingMigrations()).toBe(0)
    const { rows } = await (stores[0] as PostgresStore).db.execute(
      'select hash from __drizzle_migrations group by hash having count(*) > 1',
    )
    expect(rows).toEqual([])
  })

  test('a socket is named as libpq names it', async () => {
    const cluster = await runningCluster()
    const name = new URL(await createDatabase()).pathname.slice(1)
    expect(await (await open(cluster.socketUrl(name))).pendingMigrations()).toBe(0)
    const { hostname: folder } = new URL(cluster.socketUrl(name))
    await open(`postgres://sluice@localhost:${cluster.port}/${name}?host=${folder}`)
  })

  test('the tables are in the schema of the role', async () => {
    const url = await createDatabase('empty')
    await run(url, 'create schema own')
    await run(url, `alter database ${new URL(url).pathname.slice(1)} set search_path to own`)
    const { db } = await open(url)
    const { rows } = await db.execute(
      `select distinct schemaname from pg_tables where tablename like '%client%'`,
    )
    expect(rows).toEqual([{ schemaname: 'own' }])
  })

  test('the tables of another program are not touched', async () => {
    const url = await createDatabase('empty')
    await run(url, 'create table theirs (id int)')
    await expect(openPostgres(url)).rejects.toMatchObject({ code: 'NOT_OUR_DATABASE' })
    await run(
      url,
      `create table __drizzle_migrations (id serial, hash text, created_at bigint); insert into __drizzle_migrations (hash) values ('theirs')`,
    )
    await expect(openPostgres(url)).rejects.toMatchObject({ code: 'NOT_OUR_DATABASE' })
  })

  test('the migrations that a replaced database lacks are counted', async () => {
    const url = await createDatabase()
    const store = await open(url)
    await run(url, 'delete from __drizzle_migrations where id = 1')
    expect(await store.pendingMigrations()).toBe(1)
  })

  test('a user who may not create tables, a read-only server and another encoding are named', async () => {
    const url = await createDatabase('empty')
    const database = new URL(url).pathname.slice(1)
    const other = changed(url, { username: 'without_rights' })
    await expect(openPostgres(other)).rejects.toThrow('make it the owner')
    await run(url, `alter database ${database} set default_transaction_read_only to on`)
    await expect(openPostgres(url)).rejects.toThrow('it is read-only')
    const name = `latin_${database}`
    const cluster = await runningCluster()
    const latin = `encoding 'LATIN1' locale 'C' template template0`
    await asSuperuser(cluster, `create database ${name} ${latin}`)
    const encoded = openPostgres(changed(url, { pathname: name }))
    await expect(encoded).rejects.toThrow('its encoding is LATIN1')
    await asSuperuser(cluster, `drop database ${name}`)
  })

  test('the certificate of the server is verified as sslmode says', async () => {
    const { binaries } = inject('postgres') ?? { binaries: '' }
    const [folder, files] = [tempFolder(), tempFolder()]
    const { key, cert } = selfSigned()
    writeFileSync(join(files, 'cert.pem'), cert)
    const cluster = await startCluster({ binaries, folder, tls: { key, cert } })
    onTestFinished(() => stopCluster(folder))
    const url = (search: string) => `${cluster.url('postgres')}?${search}`
    await expect(openPostgres(url('sslmode=verify-full'))).rejects.toThrow('could not be verified')
    const root = `sslrootcert=${join(files, 'cert.pem')}`
    const modes = ['require', `verify-full&${root}`, `verify-ca&${root}`]
    for (const search of modes.map((mode) => `sslmode=${mode}`)) {
      const { db } = await open(url(search))
      const { rows } = await db.execute('select ssl from pg_stat_ssl where pid = pg_backend_pid()')
      expect(rows).toEqual([{ ssl: true }])
    }
    const other = changed(url(`sslmode=verify-full&${root}`), { hostname: 'localhost' })
    await expect(openPostgres(other)).rejects.toThrow('the host name that the certificate is for')
  })
})
