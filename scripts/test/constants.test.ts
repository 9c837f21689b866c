import { globSync, readFileSync } from 'node:fs'
import { type ESTree, parseSync } from 'vite'
import { expect, test } from 'vitest'

/**
 * A number, a text, a pattern, or a list or set of them: written down, not computed and not built
 * of parts.
 */
function isWrittenDown(value: ESTree.Node | null): boolean {
  switch (value?.type) {
    case 'Literal':
      return true
    case 'TemplateLiteral':
      return value.expressions.length === 0
    case 'UnaryExpression':
      return isWrittenDown(value.argument)
    case 'BinaryExpression':
      return isWrittenDown(value.left) && isWrittenDown(value.right)
    case 'ArrayExpression':
      return value.elements.length > 0 && value.elements.every(isWrittenDown)
    case 'NewExpression':
      return value.arguments.length > 0 && value.arguments.every(isWrittenDown)
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return isWrittenDown(value.expression)
    default:
      return false
  }
}

/** The constants of a module that are written down. */
function constantsIn(file: string, text: string): string[] {
  return parseSync(file, text).program.body.flatMap((statement) => {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (declared?.type !== 'VariableDeclaration' || declared.kind !== 'const') return []
    return declared.declarations.flatMap(({ id, init }) =>
      id.type === 'Identifier' && isWrittenDown(init) ? [id.name] : [],
    )
  })
}

// The linter's rule for names cannot tell a constant from a function or a schema. The console's
// catalogue is apart: what it exports is read as the fields of one object, `texts.cancel`.
test('a constant of a module is written in capitals', () => {
  const files = globSync(
    '{schema,gateway,gateway/paper-exchange,console,scripts}/src/**/*.{ts,tsx,js}',
  )
  const constants = files
    .filter((file) => !/(\.test|texts)\.ts$/.test(file))
    .flatMap((file) =>
      constantsIn(file, readFileSync(file, 'utf8')).map((name) => ({ file, name })),
    )
  expect(constants.length).toBeGreaterThan(300)
  expect(constants.filter(({ name }) => !/^[A-Z][A-Z0-9_]*$/.test(name))).toEqual([])
})

test.each([
  ['const waitMs = 24 * 3_600_000', ['waitMs']],
  [`export const kinds = ['a', 'b'] as const`, ['kinds']],
  ['const codes = new Set([1, 2])', ['codes']],
  ['const toText = (n: number) => String(n)', []],
  ['const routes = [placeOrder]', []],
])('%s has the constants %j', (text, names) => {
  expect(constantsIn('x.ts', text)).toEqual(names)
})
