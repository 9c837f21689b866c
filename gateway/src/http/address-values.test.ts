import Type from 'typebox'
import { expect, test } from 'vitest'
import { readAddressValues } from './address-values.ts'

const schema = Type.Object({
  ...{ id: Type.Integer(), ratio: Type.Optional(Type.Number()) },
  ...{ isOpen: Type.Optional(Type.Boolean()), symbol: Type.Optional(Type.String()) },
})

test('numbers and truth values are read where the schema has them', () => {
  const values = { id: '42', ratio: '-0.5', isOpen: 'false', symbol: '42' }
  expect(readAddressValues(schema, values)).toEqual({
    ...{ id: 42, ratio: -0.5, isOpen: false, symbol: '42' },
  })
})

test.each(['1.5', '1e3', '0x10', ' 1', '1 ', '', '+1', 'true', '99999999999999999', '١'])(
  'the text %j is no whole number and stays text',
  (id) => {
    expect(readAddressValues(schema, { id })).toEqual({ id })
  },
)

test.each(['1', 'TRUE', 'yes', ''])('the text %j is no truth value and stays text', (isOpen) => {
  expect(readAddressValues(schema, { isOpen })).toEqual({ isOpen })
})

test('what is there twice stays a list, and what is not declared stays as it is', () => {
  const values = { id: ['1', '2'], other: '7', constructor: '1' }
  expect(readAddressValues(schema, values)).toEqual(values)
  expect(readAddressValues(schema, undefined)).toEqual({})
})
