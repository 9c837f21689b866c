import type { Plugin } from 'vite'

const PLACE = /@mantine\/hooks\/esm\/use-id\/use-id\.mjs$/

/**
 * Gives Mantine's `useId` the id that React makes, and keeps it. Mantine replaces it after the
 * first drawing, for versions of React that have none: each field and tooltip is drawn twice.
 */
export function oneId(): Plugin {
  let isFound = false
  return {
    name: 'one-id',
    apply: 'build',
    load(id) {
      if (!PLACE.test(id)) return null
      isFound = true
      return MODULE
    },
    buildEnd(error) {
      if (error === undefined && !isFound) this.error(`No module is at ${PLACE.source} any more`)
    },
  }
}

const MODULE = `
import { useId as useReactId } from 'react'
export function useId(given) {
  const own = useReactId()
  return typeof given === 'string' ? given : own
}
`
