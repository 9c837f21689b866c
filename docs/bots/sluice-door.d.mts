import type { Server } from 'node:http'

/** Listens on 127.0.0.1 alone. The port 0 is a free one; the server's `address()` names it. */
export function startDoor(port?: number | string): Server
