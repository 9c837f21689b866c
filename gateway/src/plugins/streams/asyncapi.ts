import {
  STREAM_CLOSE_CODES,
  STREAM_EVENTS,
  StreamError,
  StreamMessage,
  StreamTokenTaken,
  streamEvents,
  streamSocket,
} from 'schema'
import { createComponents, JSON_TYPE, type Json } from '../../http/openapi-components.ts'
import { VERSION } from '../../version.ts'

/** The messages of Sluice's own streams, as AsyncAPI 3.0, from the schemas that OpenAPI has. */
export function describeStreams() {
  const components = createComponents()
  const example = streamEvents.sample.response
  const payloads: readonly (readonly [name: string, schema: unknown, title: string])[] = [
    ...Object.entries(STREAM_EVENTS).map(([name, schema]) => [name, schema, name] as const),
    ['tokenTaken', StreamTokenTaken, 'A token was taken'],
    ['error', StreamError, 'A message was not taken, or the connection ends'],
    ['token', StreamMessage, 'A new token'],
  ]
  const messages = Object.fromEntries(
    payloads.map(([name, schema, title]): [string, Json] => [
      name,
      {
        ...{ name, title, contentType: JSON_TYPE, payload: components.schema(schema) },
        ...(name === 'order' ? { examples: [{ payload: example }] } : {}),
      },
    ]),
  )
  const events = Object.keys(STREAM_EVENTS)
  const sent = [...events, 'tokenTaken', 'error']
  const { query, description, path } = streamSocket
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Sluice streams',
      version: VERSION,
      description: 'What happens in the accounts of a bot. OpenAPI at `/docs/json` has the rest.',
      license: { name: 'MIT' },
    },
    defaultContentType: JSON_TYPE,
    channels: {
      events: {
        address: streamEvents.path,
        title: streamEvents.summary,
        description: streamEvents.description,
        messages: refs(events),
      },
      socket: {
        address: path,
        title: streamSocket.summary,
        description,
        messages: refs([...sent, 'token']),
        bindings: {
          ws: { method: 'GET', query: components.schema(query), bindingVersion: '0.1.0' },
        },
        'x-close-codes': STREAM_CLOSE_CODES,
      },
    },
    operations: {
      sendEvents: operationOf('send', 'events', events, 'What happens, as Server-Sent Events'),
      sendMessages: operationOf('send', 'socket', sent, 'What happens, on a WebSocket'),
      receiveToken: {
        ...operationOf('receive', 'socket', ['token'], 'A new token keeps the connection'),
        reply: {
          channel: { $ref: '#/channels/socket' },
          messages: ['tokenTaken', 'error'].map((name) => messageOf('socket', name)),
        },
      },
    },
    components: { messages, schemas: components.used.schemas },
  }
}

const refs = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]))

const messageOf = (channel: string, name: string) => ({
  $ref: `#/channels/${channel}/messages/${name}`,
})

function operationOf(
  action: 'send' | 'receive',
  channel: string,
  names: readonly string[],
  summary: string,
): Json {
  const messages = names.map((name) => messageOf(channel, name))
  return { action, summary, channel: { $ref: `#/channels/${channel}` }, messages }
}
