import Database from 'better-sqlite3'

// A process that reads every page of a database and prints what it finds: `ok`, or a problem. It is
// no thread, because SQLite cannot be interrupted there: a gateway that stops ends this process.

const [path] = process.argv.slice(2)
if (path === undefined) throw new Error('The path of the database is missing')
try {
  const client = new Database(path, { readonly: true, timeout: 5_000 })
  console.log(client.pragma('quick_check(1)', { simple: true }))
  client.close()
} catch (error) {
  if (!(error instanceof Database.SqliteError)) throw error
  console.log(`${error.code} ${error.message}`)
}
