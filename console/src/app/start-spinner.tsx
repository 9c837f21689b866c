import { Loader, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import * as texts from './texts.ts'

const SLOW_MS = 3000

/** Fills the page while the stored session is checked; from 3 s on it says what it waits for. */
export function StartSpinner() {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Stack align="center" justify="center" gap={0} h="100vh" component="main">
      <Stack align="center" gap="sm" role="status" aria-label={texts.loading}>
        <Loader />
        {isSlow && <Text c="dimmed">{texts.slow}</Text>}
      </Stack>
    </Stack>
  )
}
