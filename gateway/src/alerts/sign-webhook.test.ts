import { expect, test } from 'vitest'
import { signWebhook } from './sign-webhook.ts'

test('a message is signed as the reference implementation of Standard Webhooks signs it', () => {
  // From the libraries' own tests (github.com/standard-webhooks/standard-webhooks).
  const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestampSeconds: 1614265330,
    body: '{"test": 2432232314}',
  }
  expect(signWebhook(secret, message)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})
