/** Texts of a given length, each made to be slow to read in a way of its own. */
export type MakeText = (length: number) => string

/** As many parts as fit. */
function parts(length: number, part: (index: number) => string, between = ','): string {
  const found: string[] = []
  for (let left = length - part(0).length; left >= 0; ) {
    const next = part(found.length)
    found.push(next)
    left -= next.length + between.length
  }
  return found.join(between)
}

const nested = (open: string, close: string) => open.repeat(60) + close.repeat(60)
const name = (index: number) => index.toString(36)

/** Keeps the last text of each kind: making one takes longer than most calls with it. */
function cached<Made extends Readonly<Record<string, MakeText>>>(made: Made): Made {
  const keeping = Object.entries(made).map(([kind, make]): [string, MakeText] => {
    let last = { length: -1, text: '' }
    return [
      kind,
      (length) => {
        if (last.length !== length) last = { length, text: make(length) }
        return last.text
      },
    ]
  })
  return Object.fromEntries(keeping) as Made
}

/** JSON with as many values as fit, and JSON that is one long thing. */
export const wideJson = cached({
  'numbers of one digit': (length) => `[${parts(length - 2, () => '1')}]`,
  'decimal numbers': (length) => `[${parts(length - 2, () => '0.1')}]`,
  'numbers that a double cannot hold': (length) =>
    `[${parts(length - 2, () => '12345678901234567890')}]`,
  'empty texts': (length) => `[${parts(length - 2, () => '""')}]`,
  'empty lists': (length) => `[${parts(length - 2, () => '[]')}]`,
  'empty objects': (length) => `[${parts(length - 2, () => '{}')}]`,
  'objects that are all alike': (length) => `[${parts(length - 2, () => '{"a":1}')}]`,
  'objects with a name of their own each': (length) =>
    `[${parts(length - 2, (index) => `{"${name(index)}":1}`)}]`,
  'many names': (length) => `{${parts(length - 2, (index) => `"${name(index)}":1`)}}`,
  'many numbers as names': (length) => `{${parts(length - 2, (index) => `"${index * 7919}":1`)}}`,
  'one name many times': (length) => `{${parts(length - 2, () => '"a":1')}}`,
  'deep lists side by side': (length) => `[${parts(length - 2, () => nested('[', ']'))}]`,
  'deep objects side by side': (length) =>
    `[${parts(length - 2, () => nested('{"a":', '}').replace('}', '1}'))}]`,
  'depth without end': (length) => '['.repeat(length),
  'objects without end': (length) => '{"a":'.repeat(Math.floor(length / 5)),
  'one long text': (length) => `"${'x'.repeat(length - 2)}"`,
  'one text of escapes': (length) => `"${'\\"'.repeat(Math.floor(length / 2) - 1)}"`,
  'one text of code points': (length) => `"${'\\u002c'.repeat(Math.floor(length / 6) - 1)}"`,
  'one long name': (length) => `{"${'x'.repeat(length - 6)}":1}`,
  'one long number': (length) => '1'.repeat(length),
  'one long decimal': (length) => `0.${'1'.repeat(length - 2)}`,
  'a text without end': (length) => `"${'x'.repeat(length - 1)}`,
  'nothing but quotes': (length) => '"'.repeat(length),
  'nothing but backslashes': (length) => '\\'.repeat(length),
  'nothing but commas': (length) => ','.repeat(length),
  'nothing but colons': (length) => ':'.repeat(length),
  'space inside of an object': (length) => `{${' '.repeat(length - 2)}}`,
  'a name and space': (length) => `{"category"${' '.repeat(length - 14)}:1}`,
  'texts and space': (length) => `[${parts(length - 2, () => `"a"${' '.repeat(200)}`)}]`,
})

/** Pairs as queries and forms have them. */
export const widePairs = cached({
  'one name many times': (length) => parts(length, () => 'a=1', '&'),
  'many names': (length) => parts(length, (index) => `${name(index)}=1`, '&'),
  'names alone': (length) => parts(length, () => 'a', '&'),
  'nothing but ampersands': (length) => '&'.repeat(length),
  'nothing but equals signs': (length) => '='.repeat(length),
  'nothing but plus signs': (length) => '+'.repeat(length),
  'encoded pairs': (length) => parts(length, (index) => `%61${name(index)}=%31+`, '&'),
  'one encoded value': (length) => `symbol=${'%41'.repeat(Math.floor(length / 3) - 3)}`,
  'a list in a value': (length) => `batchOrders=[${parts(length - 14, () => '1')}]`,
  'an encoded list in a value': (length) =>
    `batchOrders=%5B${parts(length - 20, () => '1', '%2C')}%5D`,
  'symbols in a value': (length) => `symbol=${parts(length - 8, () => 'A')}`,
})
