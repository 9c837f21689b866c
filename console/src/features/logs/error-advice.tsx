import type { errorHelp } from 'virtual:error-help'
import { Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { botErrors } from 'schema'
import { InlineCode } from '../../components/inline-code.tsx'
import * as texts from './texts.ts'

type Help = typeof errorHelp

/** What an error code means, and what its bot should do; from the page for authors of bots. */
export function ErrorAdvice({ code }: { readonly code: string }) {
  const [help, setHelp] = useState<Help>()
  useEffect(() => {
    let isShown = true
    const show = (module: { errorHelp: Help }) => isShown && setHelp(module.errorHelp)
    // A page of an older version, whose files are gone, shows the code alone.
    void import('virtual:error-help').then(show, () => {})
    return () => {
      isShown = false
    }
  }, [])
  const known = help?.[code]
  if (known === undefined) return null
  const todo = botErrors.find((error) => error.code === code)?.todo ?? texts.advice[known.again]
  return (
    <>
      <Text fz="sm">
        <InlineCode text={known.means} />
      </Text>
      <Text fz="sm" c="dimmed">
        <InlineCode text={todo} />
      </Text>
    </>
  )
}
