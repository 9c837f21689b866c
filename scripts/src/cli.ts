/** Only npm scripts get the Node that "npm ci" brings; a bare `node` may be any. */
export function requireNode24(): void {
  if (Number(process.versions.node.split('.')[0]) >= 24) return
  console.error(`This needs Node 24 and runs on ${process.version}. Start it with npm run.`)
  process.exit(1)
}

/** A sentence for the person at the terminal; the stack only of what nobody foresaw. */
export function startFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'EADDRINUSE' && 'port' in error)
    return `Port ${error.port} is taken by another program: stop it, or choose another port.`
  if ('code' in error || error.name === 'ConfigError') return error.message
  return error.stack ?? error.message
}
