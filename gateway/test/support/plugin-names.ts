/*
 * Fastify asks each plugin for its name, and looks for one without a name of its own among all
 * modules that were loaded with `require`: a sixteenth of what an app's start computes. None of our
 * plugins is such a module, so what is left is the name of the function.
 */
const NAME = Symbol.for('fastify.display-name')

if (!(NAME in Function.prototype))
  Object.defineProperty(Function.prototype, NAME, {
    configurable: true,
    get(this: { readonly name: string }) {
      return this.name
    },
    set(this: object, value: string) {
      Object.defineProperty(this, NAME, { value, configurable: true, writable: true })
    },
  })
