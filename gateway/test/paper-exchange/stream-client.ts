import { createHmac } from 'node:crypto'
import { pro } from 'ccxt'
import { expect, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { bitgetKeys, mexcKeys } from './paper.ts'

/** With ccxt's reader of MEXC's messages: no code of the paper exchange. */
const reader = new pro.mexc()
// It loads the reader beside its own start, and a push may come before.
await reader.loadExchangeSpecificFiles()

// biome-ignore lint/suspicious/noExplicitAny: tests look into frames of every shape
type Frame = any

/** A protobuf push as an object: 64-bit numbers as text. */
export const decoded = (bytes: Uint8Array): Frame => reader.decodeProtoMsg(bytes)

export interface StreamClient {
  /** What has come: text, JSON, or a decoded push. */
  readonly frames: readonly Frame[]
  /** The bytes of binary frames. */
  readonly binary: readonly Buffer[]
  /** The code with which the connection was closed; null while it is open. */
  closedWith(): number | null
  send(frame: object | string): void
  /** The first frame that is like this one, from now on or before. */
  next(like: object | string): Promise<Frame>
}

/** A connection to a feed, closed with the test. `path` with its query. */
export async function dial({ url }: PaperExchange, path: string): Promise<StreamClient> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`)
  const frames: Frame[] = []
  const binary: Buffer[] = []
  let closedWith: number | null = null
  onTestFinished(() => socket.terminate())
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) binary.push(data)
    frames.push(isBinary ? readBinary(data) : readText(data.toString()))
  })
  socket.on('close', (code) => {
    closedWith = code
  })
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  const isLike = (like: object | string) => {
    const asked = typeof like === 'string' ? like : expect.objectContaining(like)
    return (frame: Frame) => {
      try {
        expect(frame).toEqual(asked)
        return true
      } catch {
        // Another frame.
        return false
      }
    }
  }
  return {
    frames,
    binary,
    closedWith: () => closedWith,
    send: (frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    async next(like) {
      const found = isLike(like)
      await expect.poll(() => frames.some(found), { interval: 5 }).toBe(true)
      return frames.find(found)
    },
  }
}

function readText(text: string): Frame {
  if (!text.startsWith('{')) return text
  return JSON.parse(text)
}

function readBinary(data: Buffer): Frame {
  // gzip begins so; a protobuf message of MEXC with the tag of its first field.
  return data[0] === 0x1f ? { gzip: data } : decoded(data)
}

const signature = (secret: string, text: string, encoding: 'base64' | 'hex') =>
  createHmac('sha256', secret).update(text).digest(encoding)

/** The login of Bitget, in seconds as its SDKs send it. */
export function bitgetLogin(nowMs = Date.now(), { apiKey, apiSecret, passphrase } = bitgetKeys) {
  const timestamp = `${Math.floor(nowMs / 1_000)}`
  const sign = signature(apiSecret, `${timestamp}GET/user/verify`, 'base64')
  return { op: 'login', args: [{ apiKey, passphrase, timestamp, sign }] }
}

/** The login of MEXC futures. */
export function mexcLogin(nowMs = Date.now(), { apiKey, apiSecret } = mexcKeys) {
  const reqTime = `${nowMs}`
  const param = { apiKey, reqTime, signature: signature(apiSecret, apiKey + reqTime, 'hex') }
  return { method: 'login', param }
}
