import { userInfo } from 'node:os'
import type { AuditAct, Author, NewAuditEntry } from '../store/audit-chain.ts'

/** The person at the command line, by the name that this machine knows. */
function commandLineAuthor(atMs: number): Author {
  return {
    ...{ atMs, actor: userName(), actorKind: 'command-line' },
    ...{ session: null, address: null, requestId: null },
  }
}

/** An entry of what a command does. */
export function byCommand(atMs: number, act: AuditAct): NewAuditEntry {
  return { author: commandLineAuthor(atMs), ...act }
}

/** In a container, the user may have a number and no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}
