import * as nodeModule from 'node:module'

// Node parses a package's `exports` again for each module of the package that it resolves. Those of
// drizzle-orm are 170 kB, which was two thirds of the CPU time of a command's start.

const DRIZZLE = '/node_modules/drizzle-orm/'

// Older versions of Node, on which npm may run, have no such hooks.
nodeModule.registerHooks?.({
  resolve(specifier, context, nextResolve) {
    const { parentURL } = context
    if (!specifier.startsWith('.') || !parentURL?.includes(DRIZZLE) || !parentURL.endsWith('.js'))
      return nextResolve(specifier, context)
    return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
  },
})
