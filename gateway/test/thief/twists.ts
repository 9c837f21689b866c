import type { ThiefCall } from './calls.ts'
import type { Dice } from './dice.ts'

/** Fields that say how much is traded, at which price, of what. */
const AMOUNTS = ['quantity', 'quoteOrderQty', 'price', 'size', 'qty', 'vol'] as const
const ODD_NUMBERS = [
  ...['1e4', '1E+4', '-1', '0', '00', '.5', '5.', '+5', ' 5', '5 ', '5,000', '0x5', 'NaN'],
  ...['Infinity', '9007199254740993', '99999999999999999999', '0.00000000000000000001', ''],
]

/** The same order, written so that two readers may read it differently. */
export function twist(dice: Dice, call: ThiefCall): ThiefCall {
  const [base = '', query = ''] = call.url.split('?')
  if (query !== '') {
    const { query: changed, body } = twistPairs(dice, query)
    const more = body === '' ? {} : { text: body, isForm: dice.chance(0.7) }
    return { ...call, url: `${base}?${changed}`, ...more }
  }
  if (call.text !== undefined) {
    const { query: changed, body } = twistPairs(dice, call.text)
    return { ...call, text: changed, url: body === '' ? base : `${base}?${body}` }
  }
  return twistJson(dice, call)
}

/** A query or form; what goes to the other place is in `body`. */
function twistPairs(dice: Dice, text: string): { query: string; body: string } {
  const name = namedIn(dice, [...new URLSearchParams(text).keys()])
  const large = `${name}=${dice.pick(['1000', '100000', ...ODD_NUMBERS])}`
  const alike = large.replace(name, likeName(dice, name))
  return dice.pick([
    { query: `${text}&${large}`, body: '' },
    { query: `${large}&${text}`, body: '' },
    { query: text, body: large },
    { query: text, body: alike },
    { query: `${text}&${alike}`, body: '' },
    { query: `${text};${large}`, body: '' },
    { query: text.replace(new RegExp(`(^|&)${name}=[^&]*`), `$1${large}`), body: '' },
    { query: '', body: text },
    { query: text.replace('USDT', 'usdt'), body: '' },
    {
      query: text.replace('USDT', dice.pick(['USDC', '_USDT', 'USDT ', '-USDT', 'USD'])),
      body: '',
    },
  ])
}

function twistJson(dice: Dice, call: ThiefCall): ThiefCall {
  const text = JSON.stringify(call.fields)
  const name = namedIn(dice, Object.keys(Object(call.fields)))
  const odd = dice.pick(['"1000"', '100000', '1e9', ...ODD_NUMBERS.map((each) => `"${each}"`)])
  const member = `"${name}":${odd}`
  const alike = member.replace(name, likeName(dice, name))
  const written = new RegExp(`"${name}":(?:"[^"]*"|[^,}]+)`)
  const type = { 'content-type': dice.pick(['text/plain', 'application/x-www-form-urlencoded']) }
  return {
    ...call,
    ...dice.pick<Partial<ThiefCall>>([
      { text: text.replace('{', `{${member},`) },
      { text: text.replace(/\}$/, `,${member}}`) },
      { text: text.replace(/\}$/, `,${alike}}`) },
      { text: text.replace(written, member) },
      { text: text.replace(written, `"${name}":{"value":${odd}}`) },
      { text, url: `${call.url}?${name}=1000` },
      { text: `[${text}]` },
      { text: `${text}${text}` },
      { text: text.replace('USDT"', dice.pick(['usdt"', 'USDC"', 'USD"', 'USDT_UMCBL"'])) },
      {
        text: text.replace(
          'USDT-FUTURES',
          dice.pick(['COIN-FUTURES', 'USDC-FUTURES', 'SUSDT-FUTURES']),
        ),
      },
      { text: new URLSearchParams(Object.entries(Object(call.fields))).toString(), isForm: true },
      { text, headers: type },
      { text: text.replace(/\}$/, ',"stpMode":"a&quantity=1000"}') },
      { text: text.replace(/\}$/, ',"marketCeiling":true,"flashClose":true}') },
      { text: text.replace(/\}$/, ',"reduceOnly":"YES","tradeSide":"open"}') },
      { text: text.replace(/\}$/, ',"leverage":100}') },
      { text: `\ufeff${text}` },
    ]),
  }
}

function namedIn(dice: Dice, names: readonly string[]): string {
  const amounts = AMOUNTS.filter((name) => names.includes(name))
  return amounts.length === 0 ? 'size' : dice.pick(amounts)
}

/** A name that some parser takes for the same one. */
function likeName(dice: Dice, name: string): string {
  return dice.pick([
    name.toUpperCase(),
    ` ${name}`,
    `${name} `,
    `${name}[]`,
    `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`,
    name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`),
  ])
}
