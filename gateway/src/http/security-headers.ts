import { Socket } from 'node:net'
import helmet from 'helmet'

// Not imported: errors.ts says why.
const { IncomingMessage, ServerResponse } = process.getBuiltinModule('node:http')

/**
 * The security headers of every response. They are the same each time, so helmet computes them
 * once: for each response anew it would take as long as the check of the token.
 */
export async function headersByHelmet(): Promise<Record<string, string>> {
  const setHeaders = helmet({
    // The API serves no HTML; /docs sets its own policy.
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  })
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  await new Promise<void>((resolve, reject) =>
    setHeaders(request, response, (error) => (error === undefined ? resolve() : reject(error))),
  )
  return Object.fromEntries(
    Object.entries(response.getHeaders()).map(([name, value]) => [name, `${value}`]),
  )
}
