import { expect, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { decoded } from '../paper-exchange/stream-client.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into frames of every shape
type Frame = any

interface DialOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly protocols?: readonly string[]
}

/** A bot's connection to the gateway, closed with the test. */
export type SocketClient = Awaited<ReturnType<typeof dialGateway>>

/** @param path with its query */
export async function dialGateway(
  url: string,
  path: string,
  { headers = {}, protocols = [] }: DialOptions = {},
) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, [...protocols], { headers })
  onTestFinished(() => socket.terminate())
  /** Text, JSON, or a protobuf push as an object. */
  const frames: Frame[] = []
  let closed: number | undefined
  socket.on('message', (data: Buffer, isBinary) =>
    frames.push(isBinary ? decoded(data) : read(data)),
  )
  socket.on('close', (code) => {
    closed = code
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return {
    socket,
    frames,
    /** The code with which it was closed; undefined while it is open. */
    closed: () => closed,
    send: (...sent: (object | string)[]) => {
      for (const frame of sent)
        socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
    },
    /** The first frame that is like this one. */
    async next(like: object | string): Promise<Frame> {
      const asked = typeof like === 'string' ? like : expect.objectContaining(like)
      const isLike = (frame: Frame) => {
        try {
          expect(frame).toEqual(asked)
          return true
        } catch {
          return false // Another frame.
        }
      }
      await expect
        .poll(() => [frames.some(isLike), frames.length, closed], { timeout: 60_000, interval: 5 })
        .toEqual([true, expect.anything(), closed])
      return frames.find(isLike)
    },
    closedWith: (code: number) =>
      expect.poll(() => closed, { timeout: 60_000, interval: 5 }).toBe(code),
  }
}

function read(data: Buffer): Frame {
  const text = data.toString()
  return text.startsWith('{') ? JSON.parse(text) : text
}
