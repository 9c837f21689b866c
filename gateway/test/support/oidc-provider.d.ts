/** What the tests use of it; the package has no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Grant {
    addOIDCScope(scopes: string): void
    save(): Promise<string>
  }
  export interface Context {
    readonly path: string
    body: unknown
    readonly oidc: {
      readonly provider: { readonly Grant: new (of: object) => Grant }
      readonly client: { readonly clientId: string }
      readonly session: { readonly accountId: string }
    }
  }
  export default class Provider {
    constructor(issuer: string, configuration: object)
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
      options?: object,
    ): Promise<void>
    on(event: string, listener: (...args: unknown[]) => void): void
  }
}
