import { expect, test } from 'vitest'
import { rejectionError } from '../exchanges/protocol/rejection.ts'
import type { RejectionClass } from '../exchanges/protocol/verdict.ts'
import {
  ExchangeStoppedError,
  GatewayStoppingError,
  notSent,
  QueueEntryDroppedError,
  QueueFullError,
} from '../lane/errors.ts'
import { GatewayRestartedError, NotCarriedOutError } from '../orders/errors.ts'
import { NotOwnerError, StoreDamagedError, StoreUnwritableError } from '../store/errors.ts'
import { PasswordQueueFullError } from '../vault/errors.ts'
import { retryAfterSeconds } from './retry-after.ts'

const rejected = (name: RejectionClass) =>
  rejectionError('MEXC', { class: name, exchangeCode: '1', exchangeMessage: 'No' })

test.each([
  ['the exchange is stopped', new ExchangeStoppedError('MEXC', 'a drill'), 60],
  ['the gateway stops', new GatewayStoppingError(), 10],
  ['the gateway was restarted', new GatewayRestartedError(), 10],
  ['the store cannot be written', new StoreUnwritableError(), 10],
  ['another node took over the exchange', new NotOwnerError(), 1],
  ['the store is damaged', new StoreDamagedError(), 60],
  ['too many people sign in', new PasswordQueueFullError(), 10],
  ['the exchange is being maintained', rejected('maintenance'), 120],
  ['the exchange limits the rate', rejected('rate'), 10],
  ['the error knows it', notSent(new QueueFullError('MEXC', 9), 2_500), 3],
  ['a person dropped it', new QueueEntryDroppedError('MEXC', 'no'), undefined],
  ['it was not carried out', new NotCarriedOutError('MEXC', 'an order'), undefined],
])('when %s', (_what, error, seconds) => {
  expect(retryAfterSeconds(error, error.statusCode ?? 500)).toBe(seconds)
})
