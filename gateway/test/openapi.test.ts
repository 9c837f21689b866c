import { createConfig, lintFromString } from '@redocly/openapi-core'
import { catalogue } from 'schema'
import { expect, test } from 'vitest'
import { testApp } from './app.ts'

test('the description is OpenAPI 3.1 and a standard linter finds no error in it', async () => {
  const { app } = await testApp()
  const { body } = await app.inject({ url: '/docs/json' })
  expect(JSON.parse(body).openapi).toMatch(/^3\.1\./)
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: body, config })
  const errors = problems
    .filter(({ severity }) => severity === 'error')
    .map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`)
  expect(errors).toEqual([])
})

test('the description names every endpoint of the catalogue', async () => {
  const { app } = await testApp()
  const description = (await app.inject({ url: '/docs/json' })).json()
  const operations = Object.values(description.paths).flatMap((path) => Object.values(Object(path)))
  const ids = operations.map((operation) => Object(operation).operationId).filter(Boolean)
  const described = catalogue.filter(({ id }) => id !== 'openApi').map(({ id }) => id)
  expect(ids.toSorted()).toEqual(described.toSorted())
})

test('the OpenAPI page loads nothing from another host', async () => {
  const { app } = await testApp()
  const page = await app.inject({ url: '/docs/' })
  expect(page.statusCode).toBe(200)
  expect(page.body).not.toMatch(/(src|href)="(https?:)?\/\//)
  const policy = String(page.headers['content-security-policy'])
  expect(policy).toContain("script-src 'self'")
  expect(policy).not.toMatch(/https?:/)
})
