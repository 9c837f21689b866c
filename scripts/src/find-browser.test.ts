import { expect, test } from 'vitest'
import { findBrowser } from './find-browser.ts'

test('CHROMIUM_PATH names the browser', () => {
  expect(findBrowser({ CHROMIUM_PATH: process.execPath })).toBe(process.execPath)
})

test('a CHROMIUM_PATH that names nothing is an error, not another browser', () => {
  expect(() => findBrowser({ CHROMIUM_PATH: '/nowhere/chromium' })).toThrow('"/nowhere/chromium"')
})
