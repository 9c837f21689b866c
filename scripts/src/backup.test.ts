import { expect, test } from 'vitest'
import { progressText, showProgress } from './backup.ts'

const MB = 1024 ** 2

test('the text says how far the copy is and how long it takes still', () => {
  expect(progressText({ copiedBytes: 300 * MB, totalBytes: 1200 * MB }, 10_000)).toBe(
    '[========                      ] 25 %, 300 of 1200 MB, 30 s left',
  )
  expect(progressText({ copiedBytes: 0, totalBytes: 1200 * MB }, 10)).toBe(
    '[                              ] 0 %, 0 of 1200 MB',
  )
})

test('a terminal gets one line, drawn at most five times a second, and removed at the end', () => {
  const { written, progress, passMs } = shown(true)
  progress.onProgress({ copiedBytes: 0, totalBytes: 10 * MB })
  passMs(100)
  progress.onProgress({ copiedBytes: MB, totalBytes: 10 * MB })
  passMs(100)
  progress.onProgress({ copiedBytes: 5 * MB, totalBytes: 10 * MB })
  progress.onCopied()
  progress.clear()
  const lines = written.join('').split('\r\u001b[K')
  expect(lines).toEqual([
    '',
    expect.stringContaining('0 of 10 MB'),
    expect.stringContaining('5 of 10 MB, 1 s left'),
    expect.stringContaining('Reading the copy back'),
    '',
  ])
})

test('under cron nothing is written', () => {
  const { written, progress } = shown(false)
  progress.onProgress({ copiedBytes: MB, totalBytes: 10 * MB })
  progress.onCopied()
  progress.clear()
  expect(written).toEqual([])
})

function shown(isTTY: boolean) {
  const written: string[] = []
  let nowMs = 0
  const write = (text: string | Uint8Array) => {
    written.push(String(text))
    return true
  }
  return {
    written,
    passMs(ms: number): void {
      nowMs += ms
    },
    progress: showProgress({ isTTY, write }, () => nowMs),
  }
}
