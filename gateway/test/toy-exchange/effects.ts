import type { EffectForm } from '../../src/exchanges/call-effect.ts'
import {
  namesOf,
  requiredName,
  requiredPositive,
  requiredWord,
} from '../../src/exchanges/call-effect.ts'

export const ordering: EffectForm = {
  fields: namesOf('pair side kind price amount tag'),
  read(fields) {
    const side = requiredWord(fields, 'side', ['buy', 'sell'])
    return {
      kind: 'order',
      market: 'spot',
      symbol: requiredName(fields, 'pair'),
      side,
      size: requiredPositive(fields, 'amount'),
      price: requiredPositive(fields, 'price'),
      ...{ reduces: side === 'sell', rests: true },
    }
  },
}
