import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ceilToStep, isBelow, isOnStep, nearestValid, stepOfDecimals } from './decimals.ts'

test.each([
  ['0.00015', { step: '0.0001' }, { below: '0.0001', above: '0.0002' }],
  ['0.00005', { step: '0.0001' }, { above: '0.0001' }],
  ['0.5', { step: '0.1', min: '1' }, { above: '1' }],
  ['7.77', { step: '0.1', max: '5' }, { below: '5' }],
  ['7.77', { step: '2', min: '1', max: '5' }, { below: '4' }],
  ['0', { step: '0.1' }, { above: '0.1' }],
  ['0.3', { step: '0.1' }, { below: '0.3', above: '0.3' }],
  ['0.5', { step: '1', min: '0.4' }, { above: '1' }],
  ['3', { step: '1', min: '5', max: '4' }, {}],
])('the valid neighbours of %s in %j are %j', (amount, steps, nearest) => {
  expect(nearestValid(amount, steps)).toEqual(nearest)
})

test('a neighbour is always valid, and nothing valid lies between it and the amount', () => {
  const decimal = fc
    .tuple(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 0, max: 8 }))
    .map(([digits, places]) => `${digits}e-${places}`)
  fc.assert(
    fc.property(decimal, decimal, decimal, (amount, step, min) => {
      const { below, above } = nearestValid(amount, { step, min })
      expect(above).toBeDefined()
      for (const neighbour of [below, above]) {
        if (neighbour === undefined) continue
        expect(isOnStep(neighbour, step) && !isBelow(neighbour, min)).toBe(true)
      }
      if (below !== undefined) expect(isBelow(amount, below)).toBe(false)
      if (above !== undefined && !isBelow(amount, min)) expect(isBelow(above, amount)).toBe(false)
    }),
  )
})

test('amounts are exact where a double is not', () => {
  expect(isOnStep('0.3', '0.1')).toBe(true)
  expect(isOnStep('123456789012345678901.1', '0.2')).toBe(false)
  expect(ceilToStep('5', '0.3', '0.001')).toBe('16.667')
  expect(ceilToStep('5', '2.5', '0.5')).toBe('2')
  expect(stepOfDecimals(6)).toBe('0.000001')
  expect(stepOfDecimals(0)).toBe('1')
})
